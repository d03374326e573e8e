/* Reports as text: for people and pipes, and as tables. */
#ifndef ATTNSCOPE_REPORT_FORMS_H
#define ATTNSCOPE_REPORT_FORMS_H

#include <stdio.h>

#include "report/report.h"
#include "terminal/pace.h"

/* Writes the title and the blocks in `audience`: IN_TEXT, with IF_WATCHED for interactive readers,
 * or IN_SCREEN. As wide as display_columns says. */
void text_report(FILE *stream, const struct report *report, unsigned audience);

/* Writes what accompanies the table on the screen (report_sheet): the fields, lines and further
 * tables in IN_SCREEN, without the title; compared translations stand above the view. */
void text_notes(FILE *stream, const struct report *report);

/* Writes two texts one above the other (edit_script.h), as wide as `columns`. On a terminal changed
 * words are also in reverse video, dropped ones struck out, inserted ones underlined. */
void text_comparison(FILE *stream, const struct comparison *comparison, int columns);
/* Writes the log-probabilities of their tokens (comparison.h) in the same way; nothing if
 * unknown. */
void text_tokens(FILE *stream, const struct comparison *comparison, int columns);

/* Writes a table as text_report does. */
void text_table(FILE *stream, const struct table *table, unsigned audience);

/* Reports as tables of text: the first table or matrix of a report in IN_TABLE.
 *
 * A matrix has its labels in the first column and the first line. Matrices of several heads, and
 * several matrices, have one line per weight. CSV and TSV quote by RFC 4180; what is pasted has \t,
 * \n, \r and \\ instead. Lines end in a line feed, numbers have 9 significant digits, absent values
 * are empty cells. If lines that begin with # are comments, cells with a # are quoted. Cells that a
 * spreadsheet would take for formulas (= + - @) are unchanged: many vocabularies have such pieces.
 */

enum table_format {
    TABLE_CSV,
    TABLE_TSV,
    TABLE_PASTED,       // TSV for the clipboard (OUTLET_PASTED)
    TABLE_COMMENTED = 4 // OR'ed in: lines that begin with # are comments
};

/* False: `pace` stopped it and holds the status. Write errors stay with the stream. */
bool table_report(FILE *stream, unsigned format, const struct report *report, struct pace *pace);

#endif
