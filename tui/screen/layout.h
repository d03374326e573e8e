/* Where the parts of the screen are: from its size, and from what is shown. */
#ifndef ATTNSCOPE_LAYOUT_H
#define ATTNSCOPE_LAYOUT_H

#include "tui/screen/screen.h"

/* Where the sentences' texts begin, behind "source". */
enum { LAYOUT_TEXT_COLUMN = 9 };

/* Columns kept at their right for the score, and for the place in a test set, on screens that are wide enough. */
enum { LAYOUT_ASIDE = 17, LAYOUT_LEAST_WITH_ASIDE = 60 };

void layout_make(const struct screen *screen, struct layout *layout);

#endif
