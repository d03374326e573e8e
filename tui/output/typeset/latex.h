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
#ifndef ATTNSCOPE_LATEX_H
#define ATTNSCOPE_LATEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/status.h"

struct latex_needs {
    bool t1; // characters that the encoding T1 has and OT1, the default of pdflatex, has not
    uint32_t *characters; // (count): those to be defined, ascending
    size_t count, capacity;
};

bool latex_needs_add(struct latex_needs *needs, const char *text, struct status *status);
/* Lines of comments that name the packages, and of definitions. */
void latex_needs_write(FILE *stream, const struct latex_needs *needs);
void latex_needs_free(struct latex_needs *needs);

void latex_write(FILE *stream, const char *text);

#endif
