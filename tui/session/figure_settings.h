/* The settings figure.*: reading their texts, and the presets. */
#ifndef ATTNSCOPE_FIGURE_SETTINGS_H
#define ATTNSCOPE_FIGURE_SETTINGS_H

#include "tui/session/settings.h"

#define FIGURE_FONT "DejaVu Sans 8"
#define FIGURE_TITLE_AUTO "auto" // figure.title: the title of the view
#define FIGURE_TITLE_NONE "none"

/* The size in pt at the end of a font, "FAMILY [SIZE]"; 0: none. *family_bytes: the length of
 * FAMILY in bytes. */
double figure_font_size(const char *font, size_t *family_bytes);

/* Fails unless `text` is "FAMILY [SIZE]" with an installed family and a size in the range of
 * figures. */
bool figure_check_font_setting(const char *text, struct status *status);

/* Sets width, height, font and title to those of the preset in `settings`. */
void figure_preset_apply(struct settings *settings);

#endif
