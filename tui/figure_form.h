/* The form of exported figures: from the settings figure.* to a style. */
#ifndef ATTNSCOPE_FIGURE_FORM_H
#define ATTNSCOPE_FIGURE_FORM_H

#include "render/figure.h"
#include "tui/figures.h"
#include "tui/settings.h"

#define FIGURE_FONT "DejaVu Sans 8"
#define FIGURE_TITLE_AUTO "auto" // figure.title: what the view's title says
#define FIGURE_TITLE_NONE "none"

/* A style, with the family's name, which it borrows. Nothing is freed, nothing fails. */
struct figure_form {
    struct figure_style style;
    char family[SETTING_TEXT_BYTES];
};
void figure_form_make(struct figure_form *form, const struct figure_settings *settings);

/* Gives a drawing, whose title is the view's, the title, labels and scale of the settings. */
void figure_form_draw(struct drawing *drawing, const struct figure_settings *settings);

/* "FAMILY [SIZE]": an installed family, a size that figures take. */
bool figure_check_font_setting(const char *text, struct status *status);

/* Sets width, height, font and title as the preset of the settings has them. */
void figure_preset_apply(struct settings *settings);

#endif
