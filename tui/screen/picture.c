#include "tui/screen/picture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/display.h"
#include "tui/screen/picture_parts.h"

/* Kinds ------------------------------------------------------------------------------------------ */

enum picture_kind picture_kind(const struct figure *figure)
{
    enum panel_kind kind = figure->panels[0].kind;
    if (kind == PANEL_LINES || kind == PANEL_BARS)
        return PICTURE_PLOT;
    bool titled = figure->row_titles || figure->column_titles;
    return figure->rows > 1 || titled ? PICTURE_GRID : PICTURE_MATRIX;
}

static const struct picture_parts *parts_of(const struct picture *picture)
{
    static const struct picture_parts *const parts[] = {[PICTURE_MATRIX] = &picture_matrix,
                                                        [PICTURE_GRID] = &picture_grid,
                                                        [PICTURE_PLOT] = &picture_plot};
    return parts[picture_kind(picture->figure)];
}

static int panel_count(const struct figure *figure)
{
    return figure->rows * figure->columns;
}

const struct figure_matrix *picture_matrix_of(const struct picture *picture, int panel)
{
    return &picture->figure->panels[panel].matrix;
}

const struct colormap *picture_map(const struct picture *picture, int panel)
{
    return picture->figure->scales[picture_matrix_of(picture, panel)->scale].map;
}

struct scale_range picture_range(const struct picture *picture, int panel)
{
    return picture->ranges[picture_matrix_of(picture, panel)->scale];
}

/* Making ----------------------------------------------------------------------------------------- */

static int grapheme_count(const char *text)
{
    int count = 0, columns;
    for (size_t length; (length = display_grapheme(text, &columns)) > 0; text += length)
        count += columns > 0;
    return count;
}

static int greatest_of(const char *const *texts, int count, int (*measure)(const char *))
{
    int greatest = 0;
    for (int i = 0; texts && i < count; i++) {
        int size = texts[i] ? measure(texts[i]) : 0;
        greatest = size > greatest ? size : greatest;
    }
    return greatest;
}

static bool make_panel(struct picture *picture, int index, struct status *status)
{
    const struct figure *figure = picture->figure;
    const struct figure_matrix *matrix = &figure->panels[index].matrix;
    struct picture_panel *panel = &picture->panels[index];
    panel->most = NAN;
    panel->label_width = greatest_of(matrix->row_labels, matrix->rows, display_width);
    panel->label_height = greatest_of(matrix->column_labels, matrix->columns, grapheme_count);
    panel->divisors = memory_new((size_t)matrix->rows, sizeof *panel->divisors, status);
    if (!panel->divisors)
        return false;
    double divisor = scale_divisor(figure, matrix);
    for (int r = 0; r < matrix->rows; r++)
        panel->divisors[r] = scale_row_divisor(figure, matrix, r, divisor);
    return picture_kind(figure) != PICTURE_GRID || picture_tiles(picture, index, status);
}

bool picture_make(struct picture *picture, const struct figure *figure, struct status *status)
{
    int count = panel_count(figure);
    *picture = (struct picture){.figure = figure};
    if (figure->panels[0].kind == PANEL_ALIGNMENT)
        return status_fail(
            status, STATUS_INVALID,
            "an alignment has no picture in characters, expected heatmaps, lines or bars");
    picture->panels = memory_new((size_t)count, sizeof *picture->panels, status);
    picture->ranges = picture->panels ? memory_new((size_t)figure->scale_count + 1,
                                                   sizeof *picture->ranges, status)
                                      : NULL;
    bool ok = picture->ranges;
    for (int i = 0; ok && i < figure->scale_count; i++)
        picture->ranges[i] = scale_find_range(figure, i);
    for (int i = 0; ok && i < count; i++)
        ok = figure->panels[i].kind != PANEL_MATRIX || make_panel(picture, i, status);
    if (!ok)
        picture_free(picture);
    return ok;
}

void picture_free(struct picture *picture)
{
    for (int i = 0; picture->panels && i < panel_count(picture->figure); i++) {
        free(picture->panels[i].divisors);
        free(picture->panels[i].tiles);
    }
    free(picture->panels);
    free(picture->ranges);
    *picture = (struct picture){0};
}

/* Values ----------------------------------------------------------------------------------------- */

double picture_position(const struct picture *picture, int panel, int row, int column)
{
    const struct figure_matrix *matrix = picture_matrix_of(picture, panel);
    if (!matrix->values)
        return NAN;
    double value = matrix->values[(size_t)row * matrix->columns + column];
    return scale_position(picture_range(picture, panel),
                          value / picture->panels[panel].divisors[row]);
}

bool picture_stronger(const struct colormap *map, double position, double other)
{
    if (isnan(position) || isnan(other))
        return !isnan(position);
    return map->diverging ? fabs(position - 0.5) > fabs(other - 0.5) : position > other;
}

void picture_plain(const struct look *look, char *text)
{
    static const char minus[] = "\xe2\x88\x92";
    char *found;
    while (look->ascii && (found = strstr(text, minus))) {
        *found = '-';
        memmove(found + 1, found + strlen(minus), strlen(found + strlen(minus)) + 1);
    }
}

void picture_number(const struct look *look, struct scale_range range, double value, char *text,
                    size_t size)
{
    double magnitude = fmax(fabs(range.least), fabs(range.most));
    if (range.logarithmic || magnitude < 0.1)
        snprintf(text, size, "%.2g", value);
    else
        scale_write(value, scale_decimals(range), text, size);
    picture_plain(look, text);
}

/* Numbers ---------------------------------------------------------------------------------------- */

/* Values `step` apart. */
struct line {
    const float *values; // (count)
    int count, step;
    bool shares; // of something: they have an entropy
};

static struct line_numbers measure_line(struct line line)
{
    struct line_numbers numbers = {NAN, NAN, -1};
    double sum = 0, entropy = 0;
    bool below = false;
    for (int i = 0; i < line.count; i++) {
        double value = line.values[(size_t)i * line.step];
        if (isnan(value))
            continue;
        if (numbers.at < 0 || value > numbers.most) {
            numbers.most = value;
            numbers.at = i;
        }
        sum += value;
        entropy -= value > 0 ? value * log2(value) : 0;
        below = below || value < 0;
    }
    // -sum (v/s) log2 (v/s) = (-sum v log2 v) / s + log2 s
    if (line.shares && !below && sum > 0 && isfinite(sum))
        numbers.entropy = fmax(0, entropy / sum + log2(sum));
    return numbers;
}

static const struct figure_plot *plot_of(const struct picture *picture)
{
    return &picture->figure->panels[0].plot;
}

static struct line row_of(const struct picture *picture, const struct spot *spot)
{
    if (picture_kind(picture->figure) == PICTURE_PLOT) {
        const struct figure_plot *plot = plot_of(picture);
        return (struct line){plot->series[spot->row].values, plot->points, 1, false};
    }
    const struct figure_matrix *matrix = picture_matrix_of(picture, spot->panel);
    return (struct line){matrix->values + (size_t)spot->row * matrix->columns, matrix->columns, 1,
                         true};
}

struct line_numbers picture_row(const struct picture *picture, const struct spot *spot)
{
    return measure_line(row_of(picture, spot));
}

struct line_numbers picture_column(const struct picture *picture, const struct spot *spot)
{
    const struct figure_matrix *matrix = picture_matrix_of(picture, spot->panel);
    if (picture_kind(picture->figure) == PICTURE_PLOT)
        return (struct line_numbers){NAN, NAN, -1};
    return measure_line(
        (struct line){matrix->values + spot->column, matrix->rows, matrix->columns, true});
}

double picture_value(const struct picture *picture, const struct spot *spot)
{
    bool kept = picture_kind(picture->figure) == PICTURE_PLOT ||
                picture_matrix_of(picture, spot->panel)->values;
    return kept ? row_of(picture, spot).values[spot->column] : NAN;
}

/* Places ----------------------------------------------------------------------------------------- */

int picture_clamp(int value, int least, int most)
{
    value = value < most ? value : most;
    return value > least ? value : least;
}

int picture_scroll(int first, int cursor, int seen, int count)
{
    first = picture_clamp(first, cursor - seen + 1, cursor);
    return picture_clamp(first, 0, count - seen);
}

/* The panel itself, or the nearest before it that is no free place, or after it. */
static int nearest_panel(const struct figure *figure, int panel)
{
    int count = panel_count(figure);
    panel = picture_clamp(panel, 0, count - 1);
    for (int i = panel; i >= 0; i--)
        if (figure->panels[i].kind != PANEL_EMPTY)
            return i;
    for (int i = panel; i < count; i++)
        if (figure->panels[i].kind != PANEL_EMPTY)
            return i;
    return panel;
}

static struct spot settled(const struct picture *picture, struct area area, struct spot spot)
{
    const struct figure *figure = picture->figure;
    spot.panel = nearest_panel(figure, spot.panel);
    const struct figure_panel *panel = &figure->panels[spot.panel];
    bool plot = picture_kind(figure) == PICTURE_PLOT;
    int rows = plot ? panel->plot.series_count : panel->matrix.rows;
    int columns = plot ? panel->plot.points : panel->matrix.columns;
    spot.row = picture_clamp(spot.row, 0, rows - 1);
    spot.column = picture_clamp(spot.column, 0, columns - 1);
    parts_of(picture)->settle(picture, area, &spot);
    return spot;
}

static bool is_empty(struct area area)
{
    return area.rows <= 0 || area.columns <= 0;
}

void picture_settle(const struct picture *picture, struct area area, struct spot *spot)
{
    *spot = settled(picture, area, *spot);
}

void picture_draw(const struct picture *picture, const struct look *look, struct canvas *canvas,
                  struct area area, struct spot *spot, bool chosen)
{
    picture_settle(picture, area, spot);
    if (!is_empty(area))
        parts_of(picture)->draw(picture, look, canvas, area, spot, chosen);
}

bool picture_find(const struct picture *picture, struct area area, const struct spot *spot, int row,
                  int column, struct spot *found)
{
    if (is_empty(area) || row < area.row || row >= area.row + area.rows || column < area.column ||
        column >= area.column + area.columns)
        return false;
    struct spot drawn = settled(picture, area, *spot);
    return parts_of(picture)->find(picture, area, &drawn, row, column, found);
}
