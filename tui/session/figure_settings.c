#include "tui/session/figure_settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/figure.h"

enum { FONT_LEAST = 2, FONT_MOST = 72 };

/* Fonts ---------------------------------------------------------------------------------------- */

double figure_font_size(const char *text, size_t *family_bytes)
{
    const char *last = strrchr(text, ' ');
    char *end;
    *family_bytes = strlen(text);
    if (!last || !last[1])
        return 0;
    double size = strtod(last + 1, &end);
    if (*end && strcmp(end, "pt") != 0)
        return 0;
    if (end == last + 1 || strspn(last + 1, "0123456789.") != (size_t)(end - last - 1))
        return 0;
    while (last > text && last[-1] == ' ')
        last--;
    *family_bytes = (size_t)(last - text);
    return size;
}

bool figure_check_font_setting(const char *text, struct status *status)
{
    char family[SETTING_TEXT_BYTES];
    size_t bytes;
    double size = figure_font_size(text, &bytes);
    if (bytes != strlen(text) && !(size >= FONT_LEAST && size <= FONT_MOST))
        return status_fail(status, STATUS_INVALID, "a size of %g pt, expected %d to %d", size,
                           FONT_LEAST, FONT_MOST);
    snprintf(family, sizeof family, "%.*s", (int)bytes, text);
    return figure_font_check(family, status);
}

/* Presets -------------------------------------------------------------------------------------- */

void figure_preset_apply(struct settings *settings)
{
    static const struct {
        double width, height; // mm
        const char *font, *title;
    } presets[] = {
        [PRESET_NONE] = {0, 0, FIGURE_FONT, FIGURE_TITLE_AUTO},
        // A column of the ACL's style is 7.7 cm wide, its page 16 cm. Captions tell what titles
        // would.
        [PRESET_ACL_COLUMN] = {77, 0, "DejaVu Sans 7", FIGURE_TITLE_NONE},
        [PRESET_ACL_PAGE] = {160, 0, "DejaVu Sans 8", FIGURE_TITLE_NONE},
        // The room that a title leaves of 16 : 9.
        [PRESET_SLIDE] = {240, 120, "DejaVu Sans 16", FIGURE_TITLE_AUTO},
    };
    struct figure_settings *figure = &settings->figure;
    figure->width = presets[figure->preset].width;
    figure->height = presets[figure->preset].height;
    strcpy(figure->font, presets[figure->preset].font);
    strcpy(figure->title, presets[figure->preset].title);
}
