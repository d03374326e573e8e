/* Views as data for other programs: tables of text, and arrays.
 *
 * One function for every kind of view in tables.c and arrays.c; other results cannot be asked for. Where
 * `pace` stops the work they fail, with its status.
 */
#ifndef ATTNSCOPE_TABLES_H
#define ATTNSCOPE_TABLES_H

#include <stdio.h>

#include "tui/pace.h"
#include "tui/result.h"

/* How many numbers a view has, for its pace. */
size_t view_numbers(const struct result *view);

enum table_format { TABLE_CSV, TABLE_TSV };

/* A matrix has its labels in the first column and the first line; heads, those of a token, and two states
 * have a line for every weight: of the latter, `matrix` is a, b or difference (b - a; not there where the
 * states have none). CSV quotes as RFC 4180 says, TSV writes \t, \n, \r and \\; lines end in a line feed,
 * numbers have 9 significant digits, what is missing is an empty cell. Write errors stay with the
 * stream. */
bool table_write(FILE *stream, enum table_format format, const struct result *view,
                 struct pace *pace, struct status *status);

/* The numbers alone as .npy: matrices (rows, columns), gates as in the table; heads (layers, heads, rows,
 * columns); a token (2, layers, heads, tokens), where it looks and who looks at it, or in cross-attention
 * (1, …) with the one that there is; averages of gates (groups); two states (3, rows, columns): a, b and
 * b - a. Two states with other tokens fail (STATUS_INVALID): they are no one array. */
bool array_write(FILE *stream, const struct result *view, struct pace *pace, struct status *status);

#endif
