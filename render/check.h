/* Is a description as render/figure.h says? */
#ifndef ATTNSCOPE_CHECK_H
#define ATTNSCOPE_CHECK_H

#include "render/figure.h"

bool figure_check(const struct figure *figure, const struct figure_style *style,
                  struct status *status);
bool notes_check(const struct figure_note *notes, int count, struct status *status);

#endif
