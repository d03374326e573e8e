/* Filling a table (sheet.h): sheet_begin, then for every row sheet_row and its cells from the left, notes at
 * any time, sheet_end. After a failure sheet_free.
 */
#ifndef ATTNSCOPE_SHEET_BUILD_H
#define ATTNSCOPE_SHEET_BUILD_H

#include "tui/screen/sheet.h"

/* `columns`: titles and which are numbers; copied. */
bool sheet_begin(struct sheet *sheet, const struct sheet_column *columns, int count,
                 struct status *status);

/* A row whose cells are all empty, and that Enter on runs nothing. */
bool sheet_row(struct sheet *sheet, struct status *status);
/* Cells of the last row. Text is copied; NULL: "". Numbers have that many decimals, differences a sign; NaN:
 * "". */
bool sheet_put_text(struct sheet *sheet, int column, const char *text, struct status *status);
bool sheet_put_number(struct sheet *sheet, int column, double number, int decimals,
                      struct status *status);
bool sheet_put_difference(struct sheet *sheet, int column, double number, int decimals,
                          struct status *status);
/* A number column's cell that reads otherwise, such as a range. */
bool sheet_put_named(struct sheet *sheet, int column, double number, const char *text,
                     struct status *status);
/* What Enter on the last row runs; taken, also on failure. */
bool sheet_put_command(struct sheet *sheet, char *command, struct status *status);

/* A note for each line of `text`. */
bool sheet_note(struct sheet *sheet, const char *text, struct status *status);

/* Measures the columns. */
void sheet_end(struct sheet *sheet);

#endif
