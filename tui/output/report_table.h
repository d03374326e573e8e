/* Reports as tables of text: the first table or matrix of a report that is part of them (IN_TABLE).
 *
 * A matrix has its labels in the first column and the first line. Matrices of several heads, and
 * several matrices, have a line for every weight. CSV quotes as RFC 4180 says, TSV writes \t, \n,
 * \r and \\; lines end in a line feed, numbers have 9 significant digits, what is absent is an
 * empty cell.
 */
#ifndef ATTNSCOPE_REPORT_TABLE_H
#define ATTNSCOPE_REPORT_TABLE_H

#include <stdio.h>

#include "tui/report/report.h"
#include "tui/terminal/pace.h"

enum table_format { TABLE_CSV, TABLE_TSV };

/* False: `pace` stopped it, and has the status. Write errors stay with the stream. */
bool table_report(FILE *stream, enum table_format format, const struct report *report,
                  struct pace *pace);

#endif
