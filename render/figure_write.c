/* Writes a figure to a file: checks it, lays it out, draws it in a format. */
#include <math.h>
#include <string.h>

#include "render/figure.h"
#include "render/output.h"

/* Checks figures, styles and notes against what render/figure.h requires; fails with
 * STATUS_INVALID. */

enum { PANELS_MOST = 10000, FONT_LEAST = 2, FONT_MOST = 72, MM_MOST = 10000, KEY_MOST = 79 };

/* Descriptions --------------------------------------------------------------------------------- */

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

static bool check_plot(const struct figure_plot *plot, struct status *status)
{
    double values = (double)plot->points * plot->series_count;
    if (plot->points < 1 || plot->series_count < 1 || values > PLOT_POINTS_MOST)
        return status_fail(status, STATUS_INVALID,
                           "%d series of %d points, expected 1 to %d points in all",
                           plot->series_count, plot->points, PLOT_POINTS_MOST);
    if (plot->marks && plot->series_count > 1)
        return status_fail(status, STATUS_INVALID, "marks of %d series, expected one",
                           plot->series_count);
    for (int i = 0; i < plot->series_count; i++)
        if (!plot->series[i].values)
            return status_fail(status, STATUS_INVALID, "series %d: no values", i + 1);
        else if (plot->series[i].pattern < 0 || plot->series[i].pattern >= FIGURE_COLOURS)
            return status_fail(status, STATUS_INVALID, "series %d: pattern %d, expected 0 to %d",
                               i + 1, plot->series[i].pattern, FIGURE_COLOURS - 1);
    if (!(isfinite(plot->least) && isfinite(plot->most)) ||
        (plot->has_mean && !isfinite(plot->mean)))
        return status_fail(status, STATUS_INVALID,
                           "axis from %g to %g, mean %g, expected finite numbers", plot->least,
                           plot->most, plot->mean);
    return true;
}

static bool check_alignment(const struct figure_alignment *alignment, struct status *status)
{
    enum { TOKENS_MOST = 1000 };
    int upper = alignment->upper_count, lower = alignment->lower_count;
    if (upper < 1 || lower < 1 || upper > TOKENS_MOST || lower > TOKENS_MOST)
        return status_fail(status, STATUS_INVALID,
                           "rows of %d and %d tokens, expected 1 to %d in each", upper, lower,
                           TOKENS_MOST);
    return (alignment->upper && alignment->lower && alignment->weights) ||
           status_fail(status, STATUS_INVALID, "alignment: no tokens or no weights");
}

static bool check_table(const struct figure_table *table, struct status *status)
{
    double cells = ((double)table->rows + 1) * table->columns;
    if (table->rows < 0 || table->columns < 1 || cells > TABLE_CELLS_MOST)
        return status_fail(status, STATUS_INVALID,
                           "a table of %d rows and %d columns, expected at most %d cells",
                           table->rows, table->columns, TABLE_CELLS_MOST);
    return (table->headings && table->numbers && (table->cells || table->rows == 0)) ||
           status_fail(status, STATUS_INVALID, "table: no headings or no cells");
}

/* Checks a panel whose kind must be the only panel of its figure. */
static bool check_alone(const struct figure *figure, int index, struct status *status)
{
    const struct figure_panel *panel = &figure->panels[index];
    if (figure->rows * figure->columns > 1)
        return status_fail(status, STATUS_INVALID,
                           "panel %d: lines, bars, alignments and tables stand alone, expected a "
                           "matrix",
                           index + 1);
    return panel->kind == PANEL_ALIGNMENT ? check_alignment(&panel->alignment, status)
           : panel->kind == PANEL_TABLE   ? check_table(&panel->table, status)
                                          : check_plot(&panel->plot, status);
}

static bool check_panel(const struct figure *figure, int index, struct status *status)
{
    switch (figure->panels[index].kind) {
    case PANEL_EMPTY:
        return true;
    case PANEL_MATRIX:
        return check_matrix(figure, &figure->panels[index].matrix, index, status);
    default:
        return check_alone(figure, index, status);
    }
}

static bool check_panels(const struct figure *figure, struct status *status)
{
    if (figure->rows < 1 || figure->columns < 1 || figure->rows > PANELS_MOST ||
        figure->columns > PANELS_MOST / figure->rows)
        return status_fail(status, STATUS_INVALID, "%d x %d panels, expected 1 to %d in all",
                           figure->rows, figure->columns, PANELS_MOST);
    int count = figure->rows * figure->columns, filled = 0;
    for (int i = 0; i < count; i++) {
        filled += figure->panels[i].kind != PANEL_EMPTY;
        if (!check_panel(figure, i, status))
            return false;
    }
    if (filled == 0)
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

static bool figure_check(const struct figure *figure, const struct figure_style *style,
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

/* Vector formats only: at most PAGE_CELLS_MOST cells. */
static bool figure_check_cells(const struct figure *figure, struct status *status)
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

/* Notes ---------------------------------------------------------------------------------------- */

/* True if PNG allows it as a keyword; ASCII only. */
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

static bool notes_check(const struct figure_note *notes, int count, struct status *status)
{
    for (int i = 0; i < count; i++)
        if (!notes[i].key || !notes[i].text || !is_key(notes[i].key))
            return status_fail(status, STATUS_INVALID,
                               "note %d: expected a text and a key of 1 to %d ASCII characters, "
                               "with single blanks inside only",
                               i + 1, KEY_MOST);
    return true;
}

struct figure_style figure_style_default(void)
{
    return (struct figure_style){
        .cell_mm = 4, .panel_mm = 18, .dpi = 300, .font = "DejaVu Sans", .font_pt = 8};
}

/* Setting many labels takes a while: the watch is asked before each. */
struct watched_typesetter {
    struct typesetter inner;
    const struct watch *watch;
};

static bool set_watched(void *context, const char *text, double size, double most,
                        struct text_line *line, struct status *status)
{
    const struct watched_typesetter *typesetter = context;
    return output_proceed(typesetter->watch, 0, status) &&
           typesetter->inner.set(typesetter->inner.context, text, size, most, line, status);
}

static struct typesetter watch_typesetter(struct watched_typesetter *typesetter)
{
    return (struct typesetter){typesetter, set_watched, typesetter->inner.ascent,
                               typesetter->inner.descent};
}

static const struct {
    bool (*write)(const struct figure_output *output, struct status *status);
    bool pixels;
} formats[] = {
    [FIGURE_PNG] = {output_png, true},
    [FIGURE_PDF] = {output_pdf, false},
    [FIGURE_SVG] = {output_svg, false},
};

bool figure_write(const struct figure *figure, const struct figure_style *given,
                  enum figure_format format, const struct figure_note *notes, int note_count,
                  FILE *file, struct status *status)
{
    bool pixels = formats[format].pixels;
    if (!figure_check(figure, given, status) || (!pixels && !figure_check_cells(figure, status)) ||
        !notes_check(notes, note_count, status))
        return false;
    struct figure_style style = *given;
    style.dpi = pixels ? style.dpi : VECTOR_DPI;
    struct text *text = text_open(style.font, status);
    if (!text)
        return false;
    text_note_missing(text, style.missing);
    struct watched_typesetter watched = {text_typesetter(text), style.watch};
    struct typesetter typesetter = watch_typesetter(&watched);
    struct figure_layout *layout =
        layout_open(figure, &style, pixels ? &pixel_limits : &point_limits, &typesetter, status);
    struct figure_output output = {figure, &style, layout, text, notes, note_count, file};
    bool ok = layout && formats[format].write(&output, status);
    layout_close(layout);
    text_close(text);
    return ok;
}
