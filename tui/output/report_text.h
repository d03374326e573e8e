/* Reports as text for people and pipes. */
#ifndef ATTNSCOPE_REPORT_TEXT_H
#define ATTNSCOPE_REPORT_TEXT_H

#include <stdio.h>

#include "tui/report/report.h"

/* Title and blocks that are part of `audience`: IN_TEXT, with IF_WATCHED where someone watches, or
 * IN_SCREEN. As wide as display_columns says. */
void text_report(FILE *stream, const struct report *report, unsigned audience);

/* Writes what stands beside the table that the screen shows (report_sheet): fields, lines and
 * further tables that are IN_SCREEN, without the title; translations that are compared stand above
 * the view. */
void text_notes(FILE *stream, const struct report *report);

/* Two texts one above the other (edit_lines.h), as wide as `columns`; on a terminal words that are
 * not kept are in reverse video, too, those that are dropped struck out, those that are inserted
 * underlined. */
void text_comparison(FILE *stream, const struct comparison *comparison, int columns);

/* A table as text_report has it. */
void text_table(FILE *stream, const struct table *table, unsigned audience);

#endif
