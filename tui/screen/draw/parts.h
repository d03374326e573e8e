/* The parts of the screen that draw.c puts together, and texts on the canvas. */
#ifndef ATTNSCOPE_PARTS_H
#define ATTNSCOPE_PARTS_H

#include "tui/screen/state/state.h"

/* The program's own texts: in ASCII where the terminal takes nothing else. Short of memory nothing
 * is drawn. */

/* Puts a text from `column` on, cut to `columns`. Returns its width. */
int put_left(struct screen *screen, int row, int column, int columns, struct style style,
             const char *text);

/* Puts a text, cut to `columns`, so that it ends before column `end`. Returns where it begins. */
int put_right(struct screen *screen, int row, int end, int columns, struct style style,
              const char *text);

/* Puts a text over the rows of an area, broken as display_line does, and cut in the last row.
 * Returns the width of its widest row. */
int put_wrapped(struct screen *screen, struct area area, struct style style, const char *text);

/* The model, and which heads are off. */
void draw_header(struct screen *screen, struct area area);
/* Source, translation and reference, in the places of the layout. */
void draw_sentence(struct screen *screen);
/* The sentences of the cursor's row in a table, one above the other; before them `line`, if it has
 * anything, in a row of its own. record_rows: how many rows that takes, whatever the row. */
void draw_record(struct screen *screen, struct area area, const char *line);
int record_rows(const struct sheet *sheet, int columns);
/* The panel at the right: the scale, numbers of the cursor's row and column, the map of heads,
 * whose place it writes into the layout. */
void draw_side(struct screen *screen, struct area area);
/* The line that names the keys of what is shown. */
void draw_keys(struct screen *screen, struct area area);

#endif
