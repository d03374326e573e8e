/* Parts that reports of views share: the head, its weights with their tokens, and their origin. */
#ifndef ATTNSCOPE_VIEW_REPORT_H
#define ATTNSCOPE_VIEW_REPORT_H

#include <stdio.h>

#include "report/report.h"
#include "report/view.h"

/* Sets the title of a head's view: "encoder  layer 3/4  head 8/8  current  words", and `after`. */
void report_head_title(struct report *report, const struct session *session,
                       const struct attention_view *attention, const char *after);

/* The command that shows a head, without its colon: "attn encoder layer 3 head 8 word". */
void head_command_write(FILE *out, const char *name, const struct view *view, bool words);
const char *report_head_command(struct report *report, const char *name, const struct view *view,
                                bool words);

/* For cross-attention: adds the JSON member `cross_rows`, which says which target tokens name the
 * rows and also goes into files. */
void report_cross_rows(struct report *report, enum module module, const struct labels *rows);
/* Says the same in text, above a matrix: "target (predicted) ↓ source →". */
void report_cross_axes(struct report *report, enum module module, const struct labels *rows,
                       const char *columns);

/* Returns the title's note on words that are not separated by spaces, "" if they are; JSON gets it
 * as the member `note`. */
#define WORDS_BY_SCRIPT "no spaces between words: they end where the script changes"
const char *report_unspaced(struct report *report, const struct labels *rows,
                            const struct labels *columns);

/* The members `module`, `layer` and `head` of JSON. */
void report_head_fields(struct report *report, const struct view *view);
/* The members `module`, `layers`, `heads` and `off` of JSON; off is [layer][head]. */
void report_grid_fields(struct report *report, const struct head_grid *grid);
/* The arrays `layers` and `heads`. */
void report_grid_arrays(struct report *report, const struct head_grid *grid);

/* "encoder layer 1-4 head 8" between two other texts; `gap` separates its parts. */
const char *report_grid_text(struct report *report, const char *before,
                             const struct head_grid *grid, const char *gap, const char *after);

/* Moves a grid into the report and leaves `grid` empty. Out of memory: returns `grid` itself. */
const struct head_grid *report_take_grid(struct report *report, struct head_grid *grid);

/* A matrix of attention weights; the values are borrowed. */
struct matrix *report_weights(struct report *report, unsigned in, const struct loaded *loaded,
                              const struct attention_view *attention);

/* Sets the single state and sentence of a view. */
void report_origin(struct report *report, const struct session *session,
                   const struct sentence_pair *pair);

/* Writes the whole report of `:attn`; borrows `weights` and `rest`. */
void report_attention(struct report *report, const struct session *session,
                      const struct sentence_pair *pair, const struct attention_view *attention);

/* Indices of the `place_count` greatest of (count) weights, in descending order; equal weights in
 * their original order. -1: fewer weights. */
void strongest_places(const float *weights, int count, int *places, int place_count);

#endif
