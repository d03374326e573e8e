/* Reports as figures. */
#ifndef ATTNSCOPE_FIGURES_H
#define ATTNSCOPE_FIGURES_H

#include "render/figure.h"
#include "tui/output/typeset/typeset.h"
#include "tui/report/report.h"

enum { DRAWING_TEXTS_MOST = 8, DRAWING_SCALES_MOST = 2 };

/* A figure with all that it borrows; the report must live as long. */
struct drawing {
    struct figure figure;
    struct figure_scale scales[DRAWING_SCALES_MOST]; // the first: of the chosen colour map
    struct figure_panel *panels;
    struct figure_series series[FIGURE_COLOURS];
    struct typeset table; // of a picture of a table
    char *title;
    struct {
        char **texts; // (count)
        int count;
    } texts[DRAWING_TEXTS_MOST]; // labels
    int text_count;
};

/* True if there is a figure of a report: of lists of texts there is none. */
bool report_drawable(const struct report *report);
/* The matrices of a report that are part of figures, or its plot. On failure nothing needs to be
 * freed. */
bool drawing_of_report(struct drawing *drawing, const struct report *report,
                       const struct figure_settings *settings, struct status *status);
void drawing_free(struct drawing *drawing);

#endif
