/* The tables of a report as texts in rows and columns, as people read them: what .tex, .md and
 * pictures of tables share.
 *
 * They are those that are printed, in order, matrices of numbers among them, or made for it (IN_TYPESET); records where csv has
 * them and none was made in their place; with the columns and rows that text has, and headings in place of short titles. Where
 * there are none, the one that csv has; where there is none, the matrices with their labels.
 * TYPESET_MAIN, of which pictures are, is the one made for it, or the one that csv has.
 *
 *     for (int i = 0; i < typeset_count(report); i++)
 *         if (!typeset_make(&table, report, i, &pace, status)) ...
 *     typeset_cell(&table, row, column), table.headings[column], table.numbers[column]
 *     typeset_free(&table);
 */
#ifndef ATTNSCOPE_TYPESET_H
#define ATTNSCOPE_TYPESET_H

#include "report/report.h"
#include "terminal/pace.h"

enum { TYPESET_MAIN = -1 };

struct typeset {
    const char *name; // of one matrix among others, of the report; NULL: none
    int rows, columns;
    char **headings; // (columns); owned
    bool *numbers;   // (columns): aligned at the right; owned
    char **cells;    // (rows, columns): "" where there is nothing; owned
};

/* The number of such tables, and true if there are any. */
int typeset_count(const struct report *report);
bool report_has_typeset(const struct report *report);
/* Makes number `which`, from 0, or TYPESET_MAIN, of a report that has it. Zeroes *out first; free
 * it in either case. False: out of memory, or `pace` (NULL: none) stopped it. */
bool typeset_make(struct typeset *out, const struct report *report, int which, struct pace *pace,
                  struct status *status);
void typeset_free(struct typeset *table);

static inline const char *typeset_cell(const struct typeset *table, int row, int column)
{
    return table->cells[(size_t)row * (size_t)table->columns + (size_t)column];
}

#endif
