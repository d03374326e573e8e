/* Cells of tables as people read them. */
#ifndef ATTNSCOPE_CELL_TEXT_H
#define ATTNSCOPE_CELL_TEXT_H

#include "tui/report/blocks.h"

/* The same as a text that the caller frees. NULL: out of memory. */
char *cell_text(const struct column *column, const struct value *value);

/* True if a column is read as numbers: aligned at the right, sorted by value. */
bool column_of_numbers(const struct column *column);

#endif
