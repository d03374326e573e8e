/* What keys do (bindings.c has the table). */
#ifndef ATTNSCOPE_ACT_H
#define ATTNSCOPE_ACT_H

#include "tui/screen/screen.h"

#define CTRL(letter) ((letter)&0x1F)

typedef void act(struct screen *screen, int key, int count);

/* Moving (act_move.c). */
act act_cell, act_arrow_cell, act_page, act_first, act_last, act_line_end;
act act_head, act_layer, act_module, act_other;
void act_move(struct screen *screen, int rows, int columns);
/* The head that is looked at, or was asked for and is still being worked out. */
struct view act_view(const struct screen *screen);
void act_show(struct screen *screen, const struct view *view);

/* Other views (act_views.c). */
act act_open, act_overview, act_words, act_merged, act_token, act_token_step, act_importance,
    act_gates, act_hypotheses, act_hypothesis, act_sentence, act_beside, act_states, act_info,
    act_sort, act_table;
void act_token_module(struct screen *screen, enum module module);

/* Heads and states (act_heads.c). */
act act_toggle, act_clear, act_undo, act_redo;
void act_toggle_head(struct screen *screen, enum module module, int layer, int head);

/* The rest (act_session.c). */
act act_command, act_export, act_search, act_search_again, act_help, act_back, act_refresh,
    act_copy_value, act_copy_matrix, act_quit;

#endif
