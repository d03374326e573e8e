/* Filling a table (sheet.h): sheet_begin, then for every row sheet_row and its cells from the left,
 * notes at any time, sheet_end. After a failure sheet_free.
 */
#ifndef ATTNSCOPE_SHEET_BUILD_H
#define ATTNSCOPE_SHEET_BUILD_H

#include "tui/screen/sheet/sheet.h"

/* `columns`: titles and which are numbers; copied. */
bool sheet_begin(struct sheet *sheet, const struct sheet_column *columns, int count,
                 struct status *status);

/* Adds a row with empty cells and no command. */
bool sheet_row(struct sheet *sheet, struct status *status);
/* Fill in a cell of the last row. Text is copied; NULL is "". Numbers have that many decimals; NaN
 * is "". */
bool sheet_put_text(struct sheet *sheet, int column, const char *text, struct status *status);
bool sheet_put_number(struct sheet *sheet, int column, double number, int decimals,
                      struct status *status);
/* Fills in a cell of a number column whose text is not the number itself, such as a range. */
bool sheet_put_named(struct sheet *sheet, int column, double number, const char *text,
                     struct status *status);
/* Sets the command that Enter runs on the last row; taken, also on failure. */
bool sheet_put_command(struct sheet *sheet, char *command, struct status *status);

/* Adds a note for each line of `text`. */
bool sheet_note(struct sheet *sheet, const char *text, struct status *status);

/* Measures the columns; to be called last. */
void sheet_end(struct sheet *sheet);

#endif
