#include "render/check.h"

#include <math.h>
#include <string.h>

enum { PANELS_MOST = 10000, FONT_LEAST = 2, FONT_MOST = 72, MM_MOST = 10000, KEY_MOST = 79 };

/* Descriptions ---------------------------------------------------------------------------------- */

static bool check_scale(const struct figure_scale *scale, int index, struct status *status)
{
    if (!scale->map)
        return status_fail(status, STATUS_INVALID, "scale %d: no colour map", index + 1);
    if (scale->range != RANGE_GIVEN)
        return true;
    double span = scale->most - scale->least;
    if (!(isfinite(scale->least) && isfinite(scale->most) && span > 0 && isfinite(span)))
        return status_fail(status, STATUS_INVALID,
                           "scale %d: from %g to %g, expected two finite numbers that rise",
                           index + 1, scale->least, scale->most);
    return true;
}

static bool check_matrix(const struct figure *figure, const struct figure_matrix *matrix, int index,
                         struct status *status)
{
    if (matrix->rows < 1 || matrix->columns < 1 || matrix->rows > PAGE_SIDE_MOST ||
        matrix->columns > PAGE_SIDE_MOST)
        return status_fail(status, STATUS_INVALID,
                           "panel %d: %d x %d cells, expected 1 to %d rows and columns", index + 1,
                           matrix->rows, matrix->columns, PAGE_SIDE_MOST);
    if (!matrix->values)
        return status_fail(status, STATUS_INVALID, "panel %d: no values", index + 1);
    if (matrix->scale < 0 || matrix->scale >= figure->scale_count)
        return status_fail(status, STATUS_INVALID, "panel %d: scale %d, expected 1 to %d",
                           index + 1, matrix->scale + 1, figure->scale_count);
    return true;
}

static bool check_panels(const struct figure *figure, struct status *status)
{
    if (figure->rows < 1 || figure->columns < 1 || figure->rows > PANELS_MOST ||
        figure->columns > PANELS_MOST / figure->rows)
        return status_fail(status, STATUS_INVALID, "%d x %d panels, expected 1 to %d in all",
                           figure->rows, figure->columns, PANELS_MOST);
    int count = figure->rows * figure->columns, matrices = 0;
    for (int i = 0; i < count; i++) {
        if (figure->panels[i].kind != PANEL_MATRIX)
            continue;
        matrices++;
        if (!check_matrix(figure, &figure->panels[i].matrix, i, status))
            return false;
    }
    if (matrices == 0)
        return status_fail(status, STATUS_INVALID, "every panel is empty, expected a matrix");
    return true;
}

static bool check_number(const char *what, double value, double least, double most,
                         struct status *status)
{
    if (value >= least && value <= most)
        return true;
    return status_fail(status, STATUS_INVALID, "%s %g, expected %g to %g", what, value, least,
                       most);
}

static bool check_style(const struct figure_style *style, struct status *status)
{
    if (!style->font || !*style->font)
        return status_fail(status, STATUS_INVALID, "no font, expected a family's name");
    return check_number("width in mm", style->width_mm, 0, MM_MOST, status) &&
           check_number("height in mm", style->height_mm, 0, MM_MOST, status) &&
           check_number("cells in mm", style->cell_mm, 0, MM_MOST, status) &&
           check_number("panels in mm", style->panel_mm, 0, MM_MOST, status) &&
           check_number("dpi", style->dpi, DPI_LEAST, DPI_MOST, status) &&
           check_number("font size in pt", style->font_pt, FONT_LEAST, FONT_MOST, status);
}

bool figure_check(const struct figure *figure, const struct figure_style *style,
                  struct status *status)
{
    if (figure->scale_count < 0 || figure->scale_count > PANELS_MOST)
        return status_fail(status, STATUS_INVALID, "%d scales, expected 0 to %d",
                           figure->scale_count, PANELS_MOST);
    for (int i = 0; i < figure->scale_count; i++)
        if (!check_scale(&figure->scales[i], i, status))
            return false;
    return check_style(style, status) && check_panels(figure, status);
}

bool figure_check_cells(const struct figure *figure, struct status *status)
{
    double cells = 0;
    for (int i = 0; i < figure->rows * figure->columns; i++)
        if (figure->panels[i].kind == PANEL_MATRIX)
            cells += (double)figure->panels[i].matrix.rows * figure->panels[i].matrix.columns;
    return cells <= PAGE_CELLS_MOST ||
           status_fail(status, STATUS_INVALID,
                       "%.0f cells, expected at most %d in PDF and SVG; PNG takes more", cells,
                       PAGE_CELLS_MOST);
}

/* Notes ----------------------------------------------------------------------------------------- */

/* What PNG allows for a keyword, but ASCII only. */
static bool is_key(const char *key)
{
    size_t length = strlen(key);
    if (length < 1 || length > KEY_MOST || key[0] == ' ' || key[length - 1] == ' ')
        return false;
    for (const char *c = key; *c; c++)
        if (*c < ' ' || *c > '~' || (*c == ' ' && c[1] == ' '))
            return false;
    return true;
}

bool notes_check(const struct figure_note *notes, int count, struct status *status)
{
    for (int i = 0; i < count; i++)
        if (!notes[i].key || !notes[i].text || !is_key(notes[i].key))
            return status_fail(status, STATUS_INVALID,
                               "note %d: expected a text and a key of 1 to %d ASCII characters, "
                               "with single blanks inside only",
                               i + 1, KEY_MOST);
    return true;
}
