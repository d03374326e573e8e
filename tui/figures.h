/* Views as figures: one function for every kind of view. */
#ifndef ATTNSCOPE_FIGURES_H
#define ATTNSCOPE_FIGURES_H

#include "render/figure.h"
#include "tui/result.h"

enum { DRAWING_TEXTS_MOST = 8, DRAWING_SCALES_MOST = 2 };

/* A figure with all that it borrows; the view must live as long. */
struct drawing {
    struct figure figure;
    struct figure_scale scales[DRAWING_SCALES_MOST]; // the first: of the chosen colour map
    struct figure_panel *panels;
    struct figure_series series[FIGURE_COLOURS];
    char *title;
    struct {
        char **texts; // (count)
        int count;
    } texts[DRAWING_TEXTS_MOST]; // labels
    int text_count;
    float *values; // of a matrix that the view does not have as it is drawn
};

/* The name of the difference of two states, with U+2212 for minus. */
#define FIGURES_DIFFERENCE "b \xe2\x88\x92 a"

/* Whether there is a figure of the view: of flips and lists of sentences or decisions there is none. */
bool drawing_can(const struct result *view);

/* On failure nothing needs to be freed. */
bool drawing_make(struct drawing *drawing, const struct session *session, const struct result *view,
                  struct status *status);
void drawing_free(struct drawing *drawing);

#endif
