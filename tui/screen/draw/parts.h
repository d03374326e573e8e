/* The parts of the screen, which draw.c combines, and texts on the canvas. */
#ifndef ATTNSCOPE_PARTS_H
#define ATTNSCOPE_PARTS_H

#include "tui/screen/state/state.h"

/* Draw the program's own texts, in ASCII if required. Out of memory: draw nothing. */

/* Puts a text at `column`, cut to `columns`. Returns its width. */
int put_left(struct screen *screen, int row, int column, int columns, struct style style,
             const char *text);

/* Puts a text, cut to `columns`, so that it ends before column `end`. Returns its first column. */
int put_right(struct screen *screen, int row, int end, int columns, struct style style,
              const char *text);

/* Puts a text on the rows of an area, broken as by display_line and cut in the last row. Returns
 * the width of its widest row. */
int put_wrapped(struct screen *screen, struct area area, struct style style, const char *text);

/* The model, and the heads that are off. */
void draw_header(struct screen *screen, struct area area);
/* Source, translation and reference, placed by the layout. */
void draw_sentence(struct screen *screen);
/* The sentences of the cursor's row in a table, one above the other, after `line`, if not empty, on
 * its own row. record_rows: the rows needed for any row of the table. */
void draw_record(struct screen *screen, struct area area, const char *line);
int record_rows(const struct sheet *sheet, int columns);
/* The panel at the right: the scale, numbers of the cursor's row and column, and the map of heads,
 * whose place it writes into the layout. */
void draw_side(struct screen *screen, struct area area);
/* The line of keys for what is shown. */
void draw_keys(struct screen *screen, struct area area);

#endif
