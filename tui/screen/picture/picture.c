#include "tui/screen/picture/picture.h"

#include <math.h>
#include <stdlib.h>

#include "terminal/text/display.h"
#include "tui/screen/picture/picture_parts.h"

/* The tiles of an overview (see struct picture). */

/* Returns a tile's cells along one side. */
static int side_of(int cells)
{
    return (cells + PICTURE_TILES_MOST - 1) / PICTURE_TILES_MOST;
}

/* Finds the least and greatest of the values, skipping NaN; least > most: there are none. */
static void find_ends(const float *values, int count, float *least, float *most)
{
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < count; i++) {
        low = values[i] < low ? values[i] : low;
        high = values[i] > high ? values[i] : high;
    }
    *least = low;
    *most = high;
}

/* Updates a tile by cells `first` ... `end` - 1 of a row. Positions on a scale never fall as values
 * rise, so the extreme values are enough. */
static void take_cells(const struct picture *picture, int index, int row, int first, int end,
                       double *tile)
{
    const struct figure_matrix *matrix = picture_matrix_of(picture, index);
    struct picture_panel *panel = &picture->panels[index];
    const struct colormap *map = picture_map(picture, index);
    float ends[2];
    find_ends(matrix->values + (size_t)row * matrix->columns + first, end - first, &ends[0],
              &ends[1]);
    if (ends[0] > ends[1])
        return;
    for (int i = !map->diverging; i < 2; i++) {
        double position =
            scale_position(picture_range(picture, index), ends[i] / panel->divisors[row]);
        position = fmin(fmax(position, 0), 1); // beyond the ends, colours are those of the ends
        *tile = picture_stronger(map, position, *tile) ? position : *tile;
    }
    panel->most = ends[1] > panel->most || isnan(panel->most) ? ends[1] : panel->most;
}

/* Fills in the panel's tiles, which picture_free frees. Fails with STATUS_MEMORY only. */
static bool picture_tiles(const struct picture *picture, int index, struct status *status)
{
    const struct figure_matrix *matrix = picture_matrix_of(picture, index);
    struct picture_panel *panel = &picture->panels[index];
    panel->tile_height = side_of(matrix->rows);
    panel->tile_width = side_of(matrix->columns);
    panel->tile_rows = (matrix->rows + panel->tile_height - 1) / panel->tile_height;
    panel->tile_columns = (matrix->columns + panel->tile_width - 1) / panel->tile_width;
    size_t count = (size_t)panel->tile_rows * panel->tile_columns;
    panel->tiles = memory_new(count, sizeof *panel->tiles, status);
    if (!panel->tiles)
        return false;
    for (size_t i = 0; i < count; i++)
        panel->tiles[i] = NAN;
    for (int r = 0; r < matrix->rows; r++)
        for (int t = 0; t < panel->tile_columns; t++) {
            int end = (t + 1) * panel->tile_width;
            size_t tile = (size_t)(r / panel->tile_height) * panel->tile_columns + t;
            take_cells(picture, index, r, t * panel->tile_width,
                       end < matrix->columns ? end : matrix->columns, &panel->tiles[tile]);
        }
    return true;
}

/* Kinds ---------------------------------------------------------------------------------------- */

enum picture_kind picture_kind(const struct figure *figure)
{
    enum panel_kind kind = figure->panels[0].kind;
    if (kind == PANEL_LINES || kind == PANEL_BARS)
        return PICTURE_PLOT;
    bool titled = figure->row_titles || figure->column_titles;
    return figure->rows > 1 || titled ? PICTURE_GRID : PICTURE_MATRIX;
}

static const struct picture_functions *functions_of(const struct picture *picture)
{
    static const struct picture_functions *const functions[] = {[PICTURE_MATRIX] = &picture_matrix,
                                                                [PICTURE_GRID] = &picture_grid,
                                                                [PICTURE_PLOT] = &picture_plot};
    return functions[picture_kind(picture->figure)];
}

static int panel_count(const struct figure *figure)
{
    return figure->rows * figure->columns;
}

/* Making --------------------------------------------------------------------------------------- */

static int rows_downwards(const char *text)
{
    return display_rows(text, PICTURE_CELL);
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
    panel->label_height = greatest_of(matrix->column_labels, matrix->columns, rows_downwards);
    panel->label_across = greatest_of(matrix->column_labels, matrix->columns, display_width);
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
    if (figure->panels[0].kind > PANEL_BARS)
        return status_fail(status, STATUS_INVALID,
                           "an alignment or a table has no picture in characters, expected "
                           "heatmaps, lines or bars");
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

/* Numbers -------------------------------------------------------------------------------------- */

/* Values that are `step` apart. */
struct line {
    const float *values; // (count)
    int count, step;
    bool shares; // shares of something: they have an entropy
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

static struct line row_of(const struct picture *picture, const struct picture_cursor *cursor)
{
    if (picture_kind(picture->figure) == PICTURE_PLOT) {
        const struct figure_plot *plot = plot_of(picture);
        return (struct line){plot->series[cursor->row].values, plot->points, 1, false};
    }
    const struct figure_matrix *matrix = picture_matrix_of(picture, cursor->panel);
    return (struct line){matrix->values + (size_t)cursor->row * matrix->columns, matrix->columns, 1,
                         true};
}

struct line_numbers picture_row(const struct picture *picture, const struct picture_cursor *cursor)
{
    return measure_line(row_of(picture, cursor));
}

struct line_numbers picture_column(const struct picture *picture,
                                   const struct picture_cursor *cursor)
{
    const struct figure_matrix *matrix = picture_matrix_of(picture, cursor->panel);
    if (picture_kind(picture->figure) == PICTURE_PLOT)
        return (struct line_numbers){NAN, NAN, -1};
    return measure_line(
        (struct line){matrix->values + cursor->column, matrix->rows, matrix->columns, true});
}

double picture_value(const struct picture *picture, const struct picture_cursor *cursor)
{
    bool kept = picture_kind(picture->figure) == PICTURE_PLOT ||
                picture_matrix_of(picture, cursor->panel)->values;
    return kept ? row_of(picture, cursor).values[cursor->column] : NAN;
}

/* Places --------------------------------------------------------------------------------------- */

/* Returns the panel itself if it is drawn, else the nearest drawn one before it, or after it. */
static int nearest_panel(const struct figure *figure, int panel)
{
    int count = panel_count(figure);
    panel = int_clamp(panel, 0, count - 1);
    for (int i = panel; i >= 0; i--)
        if (figure->panels[i].kind != PANEL_EMPTY)
            return i;
    for (int i = panel; i < count; i++)
        if (figure->panels[i].kind != PANEL_EMPTY)
            return i;
    return panel;
}

static struct picture_cursor settled(const struct picture *picture, struct area area,
                                     struct picture_cursor cursor)
{
    const struct figure *figure = picture->figure;
    cursor.panel = nearest_panel(figure, cursor.panel);
    const struct figure_panel *panel = &figure->panels[cursor.panel];
    bool plot = picture_kind(figure) == PICTURE_PLOT;
    int rows = plot ? panel->plot.series_count : panel->matrix.rows;
    int columns = plot ? panel->plot.points : panel->matrix.columns;
    cursor.row = int_clamp(cursor.row, 0, rows - 1);
    cursor.column = int_clamp(cursor.column, 0, columns - 1);
    functions_of(picture)->settle(picture, area, &cursor);
    return cursor;
}

static bool is_empty(struct area area)
{
    return area.rows <= 0 || area.columns <= 0;
}

void picture_settle(const struct picture *picture, struct area area, struct picture_cursor *cursor)
{
    *cursor = settled(picture, area, *cursor);
}

bool picture_fits(const struct picture *picture, struct area area)
{
    return picture_kind(picture->figure) == PICTURE_MATRIX && !is_empty(area) &&
           matrix_layout_whole(picture, area);
}

void picture_draw(const struct picture *picture, const struct screen_style *screen_style,
                  struct canvas *canvas, struct area area, struct picture_cursor *cursor,
                  bool chosen)
{
    picture_settle(picture, area, cursor);
    if (!is_empty(area))
        functions_of(picture)->draw(picture, screen_style, canvas, area, cursor, chosen);
}

bool picture_find(const struct picture *picture, struct area area,
                  const struct picture_cursor *cursor, int row, int column,
                  struct picture_cursor *found)
{
    if (is_empty(area) || row < area.row || row >= area.row + area.rows || column < area.column ||
        column >= area.column + area.columns)
        return false;
    struct picture_cursor drawn = settled(picture, area, *cursor);
    return functions_of(picture)->find(picture, area, &drawn, row, column, found);
}

/* The scale of a panel as a bar ---------------------------------------------------------------- */

enum { STEP = 2, STEPS_LEAST = 2, STEPS_MOST = 8, NUMBER_BYTES = 32 };

/* A scale with zero in the middle has an odd number of steps, so that one of them is for zero. */
static int steps_within(int room, bool diverging)
{
    int steps = room < STEPS_MOST ? room : STEPS_MOST;
    return diverging && steps % 2 == 0 ? steps - 1 : steps;
}

void picture_block(const struct picture *picture, struct area area,
                   const struct picture_cursor *cursor, int *rows, int *columns)
{
    *rows = *columns = 1;
    if (!cursor->whole || picture_kind(picture->figure) != PICTURE_MATRIX)
        return;
    struct matrix_layout layout = matrix_layout_find(picture, area, cursor);
    *rows = layout.block_rows;
    *columns = layout.block_columns;
}

void picture_legend(const struct picture *picture, const struct screen_style *screen_style,
                    struct canvas *canvas, int row, int column, int columns,
                    const struct picture_cursor *cursor)
{
    if (picture_kind(picture->figure) == PICTURE_PLOT)
        return;
    struct scale_range range = picture_range(picture, cursor->panel);
    char least[NUMBER_BYTES], most[NUMBER_BYTES];
    picture_number(screen_style, range, range.least, least, sizeof least);
    picture_number(screen_style, range, range.most, most, sizeof most);
    int room = (columns - display_width(least) - display_width(most) - 2) / STEP;
    const struct colormap *map = picture_map(picture, cursor->panel);
    int steps = steps_within(room, map->diverging);
    if (steps < STEPS_LEAST)
        return;
    column += canvas_put(canvas, row, column, columns, (struct style){0}, least) + 1;
    for (int i = 0; i < steps; i++)
        style_value(screen_style, canvas, row, column + i * STEP, STEP, map, (i + 0.5) / steps,
                    false);
    column += steps * STEP + 1;
    canvas_put(canvas, row, column, display_width(most), (struct style){0}, most);
}
