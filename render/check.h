/* Checks figures, styles and notes against what render/figure.h requires. STATUS_INVALID otherwise. */
#ifndef ATTNSCOPE_CHECK_H
#define ATTNSCOPE_CHECK_H

#include "render/figure.h"

bool figure_check(const struct figure *figure, const struct figure_style *style,
                  struct status *status);
/* Vector formats only: at most PAGE_CELLS_MOST cells. */
bool figure_check_cells(const struct figure *figure, struct status *status);
bool notes_check(const struct figure_note *notes, int count, struct status *status);

#endif
