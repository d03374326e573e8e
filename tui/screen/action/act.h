/* What keys, clicks and the wheel do. An action is a function of the screen: its `key` is the one
 * that was pressed, where several run one action, its `count` the number typed before it.
 */
#ifndef ATTNSCOPE_ACT_H
#define ATTNSCOPE_ACT_H

#include "tui/manual/key_table.h"
#include "tui/screen/canvas/keys.h"
#include "tui/screen/state/state.h"

typedef void act(struct screen *screen);

/* How often a key is meant: its count, or once. */
int act_times(const struct screen *screen);

/* Moving the cursor, or the scroll position of a text, within what is shown. */

act act_cell; // h j k l, and the arrows that do the same
act act_page, act_first, act_last, act_line_end;

/* Moves by that many rows and columns, as far as there are some; in an overview by panels. */
void act_move(struct screen *screen, int rows, int columns);

/* Moves the cursor to the next place of screen->search.text, which must be set: a token among the
 * labels of a picture, a text in a table or page; says so where there is none. */
void act_find(struct screen *screen, bool backward);

/* From head to head: to another head, layer or module in the kind of view that is shown. */

act act_head, act_layer, act_module;
/* Arrows in views without single heads: layers of importance, the two sides of gates; of two states
 * beside each other the head or layer. */
act act_other;

/* Asks for that head, alone or, where two states are shown, in both. */
void act_show(struct screen *screen, const struct view *view);

/* Going to other views: each action asks the worker for one, or changes how the one shown is
 * presented. */

act act_open, act_overview, act_words, act_merged, act_method, act_token, act_token_step,
    act_hypothesis, act_sentence, act_beside, act_sort, act_table, act_side, act_whole;

/* True if there are words beside tokens (w), and something in place of what is shown (v). */
bool act_has_words(const struct frame *frame);
bool act_has_table(const struct frame *frame);

/* False for keys that would only say that there is nothing for them in what is shown. */
bool act_works(const struct screen *screen, const struct key_entry *key);

/* Sets *view to the head at the cursor of an overview, or of the heads of a token; false: others
 * are shown. */
bool act_head_at_cursor(struct screen *screen, struct view *view);

/* Takes a key that was pressed in the view: runs its action (key_table.h), or keeps it where it is
 * the beginning of a count or of gg. */
void act_press(struct screen *screen, int key);

/* Keys and clicks that move the focus between the prompt and the view, or that work in either.
 *
 * The first key at an empty prompt decides: text is text; ← → and Tab enter the view and act there,
 * as Esc and a click enter it from any line. A page up or down and the wheel scroll the view and
 * leave the focus where it is. A paste always goes to a line.
 */

/* A key of EVENT_KEY that came while a line is typed. */
void focus_line_key(struct screen *screen, const struct event *event);
void focus_mouse(struct screen *screen, const struct event *event);

#endif
