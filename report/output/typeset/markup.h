/* A report's tables for papers and pages: LaTeX (with booktabs) and Markdown (pipe tables of
 * GitHub), UTF-8.
 *
 * The title is the caption of all of them; comments before them say how they were made: "% KEY: TEXT" in LaTeX,
 * in Markdown "<!-- KEY: TEXT -->" with & and > as character references. What either language gives
 * a meaning is escaped.
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

/* Writes a report with report_has_typeset. title NULL or "": no caption. False: out of memory, or
 * `pace` stopped it; write errors stay with the stream. */
bool markup_report(FILE *stream, enum markup markup, const struct report *report, const char *title,
                   const struct figure_note *notes, int note_count, struct pace *pace,
                   struct status *status);

/* Texts in LaTeX, such that a document compiles whatever they hold: with pdflatex, xelatex and
 * lualatex.
 *
 *     zero-initialise needs; latex_needs_add of every text; latex_needs_write, before the first
 *     text; latex_write of each; latex_needs_free
 *
 * Characters that pdflatex has no definition of are written as they are. What latex_needs_write
 * defines for them prints their numbers in boxes in pdflatex alone, where nothing else defines them
 * (as CJKutf8 does). The marks that SentencePiece and OpenNMT put into pieces are drawn, so that no
 * font needs to have them.
 *
 * Texts are valid UTF-8 without control characters, as display_clean returns them.
 */

struct latex_needs {
    bool textcomp; // marks and signs that LaTeX has by itself since 2020 alone
    bool t1;       // characters that the encoding T1 has and OT1, the default of pdflatex, has not
    uint32_t *characters; // (count): those to be defined, ascending
    size_t count, capacity;
};

bool latex_needs_add(struct latex_needs *needs, const char *text, struct status *status);
/* Lines of comments that name the packages, and of definitions. */
void latex_needs_write(FILE *stream, const struct latex_needs *needs);
void latex_needs_free(struct latex_needs *needs);

void latex_write(FILE *stream, const char *text, size_t size);

#endif
