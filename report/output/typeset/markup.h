/* A report's tables for papers and pages: LaTeX (with booktabs) and Markdown (pipe tables of
 * GitHub), UTF-8.
 *
 * The title is the caption of all tables. Comments before the tables say how they were made:
 * "% KEY: TEXT" in LaTeX, in Markdown "<!-- KEY: TEXT -->" with & and > as character references.
 * Lines that the printed text has, such as signatures of scores, follow the tables, in LaTeX as
 * comments. Characters special to the language are escaped.
 */
#ifndef ATTNSCOPE_MARKUP_H
#define ATTNSCOPE_MARKUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"
#include "render/figure.h"
#include "report/report.h"
#include "terminal/pace.h"

enum markup { MARKUP_LATEX, MARKUP_MARKDOWN };

/* Writes a report for which report_has_typeset is true. title NULL or "": no caption. False: out of
 * memory, or `pace` stopped it; write errors stay with the stream. */
bool markup_report(FILE *stream, enum markup markup, const struct report *report, const char *title,
                   const struct figure_note *notes, int note_count, struct pace *pace,
                   struct status *status);

/* Texts in LaTeX that compile whatever they hold, with pdflatex, xelatex and lualatex.
 *
 *     zero-initialise needs; latex_needs_add for every text; latex_needs_write, before the first
 *     text; latex_write for each; latex_needs_free
 *
 * Characters that pdflatex does not define are written verbatim. For them latex_needs_write writes
 * definitions that print their numbers in boxes, only in pdflatex and only if nothing else (such as
 * CJKutf8) defines them. The marks that SentencePiece and OpenNMT put into pieces are drawn, so
 * that no font needs them.
 *
 * Texts are valid UTF-8 without control characters, as display_clean returns them.
 */

struct latex_needs {
    bool textcomp;        // marks and signs that are built into LaTeX only since 2020
    bool t1;              // characters in encoding T1 but not in OT1, pdflatex's default
    uint32_t *characters; // (count): characters to define, ascending
    size_t count, capacity;
};

bool latex_needs_add(struct latex_needs *needs, const char *text, struct status *status);
/* Writes comments that name the packages, and definitions. */
void latex_needs_write(FILE *stream, const struct latex_needs *needs);
void latex_needs_free(struct latex_needs *needs);

void latex_write(FILE *stream, const char *text, size_t size);

#endif
