/* Parts that figures of views are put together from; the drawing (figures.h) keeps what they make. */
#ifndef ATTNSCOPE_FIGURE_PARTS_H
#define ATTNSCOPE_FIGURE_PARTS_H

#include "tui/output/figures.h"

/* Keeps texts (taken, also on failure) as long as the drawing. NULL is a failure. */
const char *const *drawing_keep(struct drawing *drawing, char **owned, int count,
                                struct status *status);

/* `count` texts that `name` writes. */
const char *const *drawing_names(struct drawing *drawing, int count,
                                 void (*name)(const void *view, int i, char *text, size_t size),
                                 const void *view, struct status *status);

/* A grid of that many panels, empty ones. */
struct figure_panel *drawing_panels(struct drawing *drawing, int rows, int columns,
                                    struct status *status);

#endif
