/* Reports as figures. */
#ifndef ATTNSCOPE_FIGURES_H
#define ATTNSCOPE_FIGURES_H

#include "render/figure.h"
#include "report/output/typeset/typeset.h"
#include "report/report.h"
#include "session/settings.h"

/* The style of exported figures, made from the settings figure.*. */

/* A style with storage for the family's name, which it borrows. Never fails; nothing to free. */
struct figure_form {
    struct figure_style style;
    char family[SETTING_TEXT_BYTES];
};
void figure_form_make(struct figure_form *form, const struct figure_settings *settings);

/* The title for figures and captions of something called `title`; NULL: none. */
const char *figure_form_title(const struct figure_settings *settings, const char *title);

enum { DRAWING_TEXTS_MOST = 8, DRAWING_SCALES_MOST = 2 };

/* A figure with everything it borrows; the report must outlive it. */
struct drawing {
    struct figure figure;
    struct figure_scale scales[DRAWING_SCALES_MOST]; // the first has the chosen colour map
    struct figure_panel *panels;
    struct figure_series series[FIGURE_COLOURS];
    struct typeset table; // for pictures of tables
    char *title;
    struct {
        char **texts; // (count)
        int count;
    } texts[DRAWING_TEXTS_MOST]; // labels
    int text_count;
};

/* True if a report can be drawn as a figure; lists of texts cannot. */
bool report_drawable(const struct report *report);
/* Draws the matrices of a report that are in IN_FIGURE, or its plot. On failure nothing needs to be
 * freed. */
bool drawing_of_report(struct drawing *drawing, const struct report *report,
                       const struct figure_settings *settings, struct status *status);
void drawing_free(struct drawing *drawing);

#endif
