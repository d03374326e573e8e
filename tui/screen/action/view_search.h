/* Searching: for a token among the labels of a picture, for a text in a table or page. */
#ifndef ATTNSCOPE_VIEW_SEARCH_H
#define ATTNSCOPE_VIEW_SEARCH_H

#include "tui/screen/state/state.h"

/* Moves the cursor to the next place of screen->search.text, which must be set; says so where there
 * is none. */
void view_search(struct screen *screen, bool backward);

#endif
