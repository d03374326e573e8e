/* The form of exported figures: from the settings figure.* to a style. */
#ifndef ATTNSCOPE_FIGURE_FORM_H
#define ATTNSCOPE_FIGURE_FORM_H

#include "render/figure.h"
#include "tui/output/figures.h"
#include "tui/session/figure_settings.h"

/* A style, with the family's name, which it borrows. Nothing is freed, nothing fails. */
struct figure_form {
    struct figure_style style;
    char family[SETTING_TEXT_BYTES];
};
void figure_form_make(struct figure_form *form, const struct figure_settings *settings);

/* The title that figures and captions have, of what is called `title`; NULL: none. */
const char *figure_form_title(const struct figure_settings *settings, const char *title);

/* Gives a drawing, whose title is the view's, the title, labels and scale of the settings. */
void figure_form_draw(struct drawing *drawing, const struct figure_settings *settings);

#endif
