#include "tui/figure_form.h"

#include <stdlib.h>
#include <string.h>

#include "tui/arguments.h"

enum { FONT_LEAST = 2, FONT_MOST = 72 };

/* Fonts ------------------------------------------------------------------------------------------ */

/* The size that the text ends in, in pt; 0: none. *family_bytes: what stands before it. */
static double split_size(const char *text, size_t *family_bytes)
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
    double size = split_size(text, &bytes);
    if (bytes != strlen(text) && !(size >= FONT_LEAST && size <= FONT_MOST))
        return status_fail(status, STATUS_INVALID, "a size of %g pt, expected %d to %d", size,
                           FONT_LEAST, FONT_MOST);
    snprintf(family, sizeof family, "%.*s", (int)bytes, text);
    return figure_font_check(family, status);
}

/* Presets ---------------------------------------------------------------------------------------- */

void figure_preset_apply(struct settings *settings)
{
    static const struct {
        double width, height; // mm
        const char *font, *title;
    } presets[] = {
        [PRESET_NONE] = {0, 0, FIGURE_FONT, FIGURE_TITLE_AUTO},
        // A column of the ACL's style is 7.7 cm wide, its page 16 cm. Captions tell what titles would.
        [PRESET_ACL_COLUMN] = {77, 0, "DejaVu Sans 7", FIGURE_TITLE_NONE},
        [PRESET_ACL_PAGE] = {160, 0, "DejaVu Sans 8", FIGURE_TITLE_NONE},
        // What a title leaves of 16 : 9.
        [PRESET_SLIDE] = {240, 120, "DejaVu Sans 16", FIGURE_TITLE_AUTO},
    };
    struct figure_settings *figure = &settings->figure;
    figure->width = presets[figure->preset].width;
    figure->height = presets[figure->preset].height;
    strcpy(figure->font, presets[figure->preset].font);
    strcpy(figure->title, presets[figure->preset].title);
}

/* Style ------------------------------------------------------------------------------------------ */

void figure_form_make(struct figure_form *form, const struct figure_settings *settings)
{
    size_t bytes;
    double size = split_size(settings->font, &bytes);
    form->style = figure_style_default();
    snprintf(form->family, sizeof form->family, "%.*s", (int)bytes, settings->font);
    form->style.font = form->family;
    form->style.font_pt = size > 0 ? size : form->style.font_pt;
    form->style.dpi = settings->dpi;
    form->style.width_mm = settings->width;
    form->style.height_mm = settings->height;
    form->style.values = settings->values;
}

/* Drawings --------------------------------------------------------------------------------------- */

static int count_panels(const struct drawing *drawing)
{
    int count = 0;
    for (int i = 0; i < drawing->figure.rows * drawing->figure.columns; i++)
        count += drawing->panels[i].kind == PANEL_MATRIX && drawing->panels[i].matrix.scale == 0;
    return count;
}

static void choose_scale(struct drawing *drawing, int choice)
{
    struct figure_scale *scale = &drawing->scales[0];
    switch ((enum figure_scale_setting)choice) {
    case SCALE_SHARED:
        if (scale->map->diverging && scale->range == RANGE_MAXIMUM)
            scale->range = RANGE_SYMMETRIC;
        break;
    case SCALE_UNIT:
        scale->range = RANGE_GIVEN;
        scale->least = 0;
        scale->most = 1;
        break;
    case SCALE_MATRIX:
        scale->range = RANGE_MAXIMUM;
        if (count_panels(drawing) > 1) {
            scale->range = RANGE_EACH;
            scale->title = "share of matrix maximum";
        }
        break;
    case SCALE_ROW:
        scale->range = RANGE_ROW;
        scale->title = "share of row maximum";
        break;
    case SCALE_LOG:
        scale->range = RANGE_LOG;
    }
}

void figure_form_draw(struct drawing *drawing, const struct figure_settings *settings)
{
    if (strcmp(settings->title, FIGURE_TITLE_AUTO) != 0)
        drawing->figure.title =
            strcmp(settings->title, FIGURE_TITLE_NONE) == 0 ? NULL : settings->title;
    choose_scale(drawing, settings->scale);
    for (int i = 0; !settings->labels && i < drawing->figure.rows * drawing->figure.columns; i++) {
        drawing->panels[i].matrix.row_labels = NULL;
        drawing->panels[i].matrix.column_labels = NULL;
        drawing->panels[i].plot.labels = NULL;
    }
}
