/* The text of PDF figures, as poppler reads it. Every function fails the running test if it finds
 * something wrong; `name` says in which figure. */
#ifndef ATTNSCOPE_TESTS_PDF_SUPPORT_H
#define ATTNSCOPE_TESTS_PDF_SUPPORT_H

#include "render/layout.h"

struct word {
    double left, top, right, bottom; // pt
    char text[200];
    int line; // the text of the layout that it belongs to; -1: none
};
struct words {
    struct word list[4000];
    int count;
    double width, height; // of the page
};

/* Returns the layout of PDF and SVG; layout_close frees it. */
struct figure_layout *vector_layout(const struct figure *figure, const struct figure_style *style);

/* Reads the words of the only page, and finds the line of the layout that each belongs to. */
void words_read(const char *path, const struct figure_layout *layout, struct words *words);

/* Checks that every line of text is where the layout puts it. */
void words_check_lines(const char *name, const struct words *words,
                       const struct figure_layout *layout);

/* Checks that every word is on the page, and that no word overlaps another line. */
void words_check_places(const char *name, const struct words *words);

/* Checks that all fonts are embedded. */
void fonts_check(const char *name, const char *path);

#endif
