/* Is a description as render/figure.h says? */
#ifndef ATTNSCOPE_CHECK_H
#define ATTNSCOPE_CHECK_H

#include "render/figure.h"

bool figure_check(const struct figure *figure, const struct figure_style *style,
                  struct status *status);
/* Not more cells than a file of rectangles may hold. */
bool figure_check_cells(const struct figure *figure, struct status *status);
bool notes_check(const struct figure_note *notes, int count, struct status *status);

#endif
