/* The text of PDF figures, as poppler reads it. Every function fails the running test when it finds
 * something wrong; `name` says in which figure. */
#ifndef ATTNSCOPE_TESTS_PDF_SUPPORT_H
#define ATTNSCOPE_TESTS_PDF_SUPPORT_H

#include "render/layout.h"

struct word {
    double left, top, right, bottom; // pt
    char text[200];
    int line; // the layout's text that it is part of; -1: none
};
struct words {
    struct word list[4000];
    int count;
    double width, height; // of the page
};

/* Where everything lies in PDF and SVG; layout_close frees. */
struct figure_layout *vector_layout(const struct figure *figure, const struct figure_style *style);

/* The words of the one page, and which line of the layout each is part of. */
void words_read(const char *path, const struct figure_layout *layout, struct words *words);

/* Every line of text is where the layout has it. */
void words_check_lines(const char *name, const struct words *words,
                       const struct figure_layout *layout);

/* Every word is on the page, and none is over one of another line. */
void words_check_places(const char *name, const struct words *words);

/* All fonts are embedded. */
void fonts_check(const char *name, const char *path);

#endif
