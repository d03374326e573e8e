/* The tables of a report as rows and columns of text for people, shared by .tex, .md and pictures
 * of tables.
 *
 * They are, in order, the printed tables and matrices of numbers and the tables made for
 * typesetting (IN_TYPESET). Records are included only if csv has them and no table was made for
 * typesetting. Tables have the columns and rows of the text, with headings instead of short titles.
 * Without any such table: the one that csv has; without that, the matrices with their labels.
 * TYPESET_MAIN, which pictures use, is the table made for typesetting, or the one that csv has.
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
    const char *name; // names one matrix among several; owned by the report; NULL: none
    int rows, columns;
    char **headings; // (columns); owned
    bool *numbers;   // (columns): aligned at the right; owned
    char **cells;    // (rows, columns); "": empty; owned
};

/* The number of such tables; true if there are any. */
int typeset_count(const struct report *report);
bool report_has_typeset(const struct report *report);
/* Makes table `which` (from 0, or TYPESET_MAIN), which the report must have. Zeroes *out first; the
 * caller frees it, also after a failure. False: out of memory, or `pace` (NULL: none) stopped
 * it. */
bool typeset_make(struct typeset *out, const struct report *report, int which, struct pace *pace,
                  struct status *status);
void typeset_free(struct typeset *table);

static inline const char *typeset_cell(const struct typeset *table, int row, int column)
{
    return table->cells[(size_t)row * (size_t)table->columns + (size_t)column];
}

#endif
