/* Cells of tables as people read them. */
#ifndef ATTNSCOPE_CELL_TEXT_H
#define ATTNSCOPE_CELL_TEXT_H

#include "tui/report/blocks.h"

/* Writes a cell as its column has it; nothing where it is absent. The text may hold anything (display.h). */
void cell_write(FILE *stream, const struct column *column, const struct value *value);
/* The same as a text that the caller frees. NULL: out of memory. */
char *cell_text(const struct column *column, const struct value *value);

/* Whether a column is read as numbers: aligned at the right, sorted by value. */
bool column_of_numbers(const struct column *column);

#endif
