/* Reports as text: for people and pipes, and as tables. */
#ifndef ATTNSCOPE_REPORT_FORMS_H
#define ATTNSCOPE_REPORT_FORMS_H

#include <stdio.h>

#include "report/report.h"
#include "terminal/pace.h"

/* Title and blocks that are part of `audience`: IN_TEXT, with IF_WATCHED where someone watches, or
 * IN_SCREEN. As wide as display_columns says. */
void text_report(FILE *stream, const struct report *report, unsigned audience);

/* Writes what stands beside the table that the screen shows (report_sheet): fields, lines and
 * further tables that are IN_SCREEN, without the title; translations that are compared stand above
 * the view. */
void text_notes(FILE *stream, const struct report *report);

/* Two texts one above the other (edit_script.h), as wide as `columns`; on a terminal words that are
 * not kept are in reverse video, too, those that are dropped struck out, those that are inserted
 * underlined. */
void text_comparison(FILE *stream, const struct comparison *comparison, int columns);
/* The log-probabilities of their tokens (comparison.h), likewise; nothing where they are not
 * known. */
void text_tokens(FILE *stream, const struct comparison *comparison, int columns);

/* A table as text_report has it. */
void text_table(FILE *stream, const struct table *table, unsigned audience);

/* Reports as tables of text: the first table or matrix of a report that is part of them (IN_TABLE).
 *
 * A matrix has its labels in the first column and the first line. Matrices of several heads, and
 * several matrices, have a line for every weight. CSV quotes as RFC 4180 says, TSV writes \t, \n,
 * \r and \\; lines end in a line feed, numbers have 9 significant digits, what is absent is an
 * empty cell. Where lines that begin with # are comments no cell is taken for one: CSV quotes those
 * with a #, in TSV a line begins with \#. A cell that a spreadsheet would take for a formula (= + -
 * @) stays as it is: these are pieces of many vocabularies.
 */

enum table_format {
    TABLE_CSV,
    TABLE_TSV,
    TABLE_PASTED,       // TSV for the clipboard (OUTLET_PASTED)
    TABLE_COMMENTED = 4 // or it: lines that begin with # are comments
};

/* False: `pace` stopped it, and has the status. Write errors stay with the stream. */
bool table_report(FILE *stream, unsigned format, const struct report *report, struct pace *pace);

#endif
