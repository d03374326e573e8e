/* Reports as figures. */
#ifndef ATTNSCOPE_FIGURES_H
#define ATTNSCOPE_FIGURES_H

#include "render/figure.h"
#include "report/output/typeset/typeset.h"
#include "report/report.h"
#include "session/settings.h"

/* The form of exported figures: from the settings figure.* to a style. */

/* A style, with the family's name, which it borrows. Nothing is freed, nothing fails. */
struct figure_form {
    struct figure_style style;
    char family[SETTING_TEXT_BYTES];
};
void figure_form_make(struct figure_form *form, const struct figure_settings *settings);

/* The title that figures and captions have, of what is called `title`; NULL: none. */
const char *figure_form_title(const struct figure_settings *settings, const char *title);

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
