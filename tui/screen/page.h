/* Text to scroll and search: help, tables of numbers, whatever a command prints.
 *
 * page_make takes the text; then page_draw with a `struct page_spot` that the caller keeps. Lines are
 * cleaned (display.h) and not broken: who made the text knew the width (display_assume).
 */
#ifndef ATTNSCOPE_PAGE_H
#define ATTNSCOPE_PAGE_H

#include "tui/screen/canvas.h"
#include "tui/screen/look.h"

struct page {
    char *text;         // owned, cut into
    const char **lines; // (count)
    int count;
    int width; // of the widest, in columns
};

struct page_spot {
    int top, left; // first line and column that are seen
};

bool page_make(struct page *page, char *text, struct status *status); // takes text, also on failure
void page_free(struct page *page);                                    // leaves it empty

/* Draws what is seen; every place where `search` (NULL: none) stands is marked. Keeps `spot` inside. */
void page_draw(const struct page *page, const struct look *look, struct canvas *canvas,
               struct area area, struct page_spot *spot, const char *search);

/* The line of the next place of `search` from line `from` on (`backward`: up to it), going on at the other end;
 * -1: nowhere. Case counts only where `search` has capitals (find.h). */
int page_search(const struct page *page, const char *search, int from, bool backward);

#endif
