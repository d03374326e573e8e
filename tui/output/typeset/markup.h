/* A report's table for papers and pages: LaTeX (with booktabs) and Markdown (pipe tables of
 * GitHub), UTF-8.
 *
 * The title is the caption; comments before the table say how it was made: "% KEY: TEXT" in LaTeX,
 * in Markdown "<!-- KEY: TEXT -->" with & and > as character references. What either language gives
 * a meaning is escaped.
 */
#ifndef ATTNSCOPE_MARKUP_H
#define ATTNSCOPE_MARKUP_H

#include <stdio.h>

#include "render/figure.h"
#include "tui/report/report.h"
#include "tui/terminal/pace.h"

enum markup { MARKUP_LATEX, MARKUP_MARKDOWN };

/* Writes a report with report_has_typeset. title NULL or "": no caption. False: out of memory, or
 * `pace` stopped it; write errors stay with the stream. */
bool markup_report(FILE *stream, enum markup markup, const struct report *report, const char *title,
                   const struct figure_note *notes, int note_count, struct pace *pace,
                   struct status *status);

#endif
