/* Text that scrolls and can be searched: help, tables of numbers, any output of a command.
 *
 * page_make takes the text; page_draw draws it with a `struct page_scroll` that the caller keeps.
 * Lines are cleaned of control characters (display.h) and not wrapped: the text was written for the
 * width (display_assume).
 */
#ifndef ATTNSCOPE_PAGE_H
#define ATTNSCOPE_PAGE_H

#include "tui/screen/canvas/canvas.h"
#include "tui/screen/canvas/style.h"

struct page {
    char *text;         // owned; split into
    const char **lines; // (count)
    int count;
    int width; // of the widest, in columns
};

struct page_scroll {
    int top, left; // first visible line and column
};

bool page_make(struct page *page, char *text, struct status *status); // takes text, also on failure
void page_free(struct page *page);                                    // leaves it empty

/* Draws the visible part and highlights every match of `search` (NULL: none). Clamps `scroll` to
 * the text. */
void page_draw(const struct page *page, const struct screen_style *screen_style,
               struct canvas *canvas, struct area area, struct page_scroll *scroll,
               const char *search);

/* The line of the next match of `search` from line `from` on (`backward`: up to it), wrapping
 * around; -1: none. Case as in find.h. */
int page_search(const struct page *page, const char *search, int from, bool backward);

#endif
