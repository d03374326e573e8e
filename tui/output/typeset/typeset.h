/* The table of a report as texts in rows and columns, as people read it: what .tex, .md and
 * pictures of tables share.
 *
 * It is the table made for it (IN_TYPESET), or the one that csv has, with the columns and rows that
 * text has, and headings in place of short titles; where there is none, the one matrix with its
 * labels.
 *
 *     if (!typeset_make(&table, report, &pace, status)) ...
 *     typeset_cell(&table, row, column), table.headings[column], table.numbers[column]
 *     typeset_free(&table);
 */
#ifndef ATTNSCOPE_TYPESET_H
#define ATTNSCOPE_TYPESET_H

#include "tui/report/report.h"
#include "tui/terminal/pace.h"

struct typeset {
    int rows, columns;
    char **headings; // (columns); owned
    bool *numbers;   // (columns): aligned at the right; owned
    char **cells;    // (rows, columns): "" where there is nothing; owned
};

/* True if a report has such a table. */
bool report_has_typeset(const struct report *report);
/* Zeroes *out first; free it in either case. False: out of memory, or `pace` (NULL: none) stopped
 * it. */
bool typeset_make(struct typeset *out, const struct report *report, struct pace *pace,
                  struct status *status);
void typeset_free(struct typeset *table);

static inline const char *typeset_cell(const struct typeset *table, int row, int column)
{
    return table->cells[(size_t)row * (size_t)table->columns + (size_t)column];
}

#endif
