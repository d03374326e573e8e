#include "tui/output/figure_form.h"

#include <stdlib.h>
#include <string.h>

/* Style ---------------------------------------------------------------------------------------- */

void figure_form_make(struct figure_form *form, const struct figure_settings *settings)
{
    size_t bytes;
    double size = figure_font_size(settings->font, &bytes);
    form->style = figure_style_default();
    snprintf(form->family, sizeof form->family, "%.*s", (int)bytes, settings->font);
    form->style.font = form->family;
    form->style.font_pt = size > 0 ? size : form->style.font_pt;
    form->style.dpi = settings->dpi;
    form->style.width_mm = settings->width;
    form->style.height_mm = settings->height;
    form->style.values = settings->values;
}

/* Drawings ------------------------------------------------------------------------------------- */

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

const char *figure_form_title(const struct figure_settings *settings, const char *title)
{
    return strcmp(settings->title, FIGURE_TITLE_AUTO) == 0   ? title
           : strcmp(settings->title, FIGURE_TITLE_NONE) == 0 ? NULL
                                                             : settings->title;
}

void figure_form_draw(struct drawing *drawing, const struct figure_settings *settings)
{
    drawing->figure.title = figure_form_title(settings, drawing->figure.title);
    choose_scale(drawing, settings->scale);
    for (int i = 0; !settings->labels && i < drawing->figure.rows * drawing->figure.columns; i++) {
        drawing->panels[i].matrix.row_labels = NULL;
        drawing->panels[i].matrix.column_labels = NULL;
        drawing->panels[i].plot.labels = NULL;
    }
}
