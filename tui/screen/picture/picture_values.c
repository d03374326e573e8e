#include "tui/screen/picture/picture_parts.h"

#include <math.h>
#include <string.h>

#include "tui/text/display.h"

int picture_scroll(int first, int cursor, int seen, int count)
{
    first = int_clamp(first, cursor - seen + 1, cursor);
    return int_clamp(first, 0, count - seen);
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

void picture_plain(const struct screen_style *screen_style, char *text)
{
    static const char minus[] = "\xe2\x88\x92";
    char *found;
    while (screen_style->ascii && (found = strstr(text, minus))) {
        *found = '-';
        memmove(found + 1, found + strlen(minus), strlen(found + strlen(minus)) + 1);
    }
}

void picture_number(const struct screen_style *screen_style, struct scale_range range, double value,
                    char *text, size_t size)
{
    double magnitude = fmax(fabs(range.least), fabs(range.most));
    if (range.logarithmic || magnitude < 0.1)
        snprintf(text, size, "%.2g", value);
    else
        scale_write(value, scale_decimals(range), text, size);
    picture_plain(screen_style, text);
}

/* The cell of a panel that is furthest from zero; the first of several. */
static void to_largest_of(const struct figure_matrix *matrix, struct picture_cursor *cursor)
{
    double most = 0;
    for (int i = 0; matrix->values && i < matrix->rows * matrix->columns; i++)
        if (fabs(matrix->values[i]) > most) { // NaN is not
            most = fabs(matrix->values[i]);
            cursor->row = i / matrix->columns;
            cursor->column = i % matrix->columns;
        }
}

void picture_to_largest(const struct picture *picture, struct picture_cursor *cursor)
{
    const struct figure *figure = picture->figure;
    for (int i = figure->rows * figure->columns - 1; i >= 0; i--)
        if (figure->panels[i].kind == PANEL_MATRIX && picture_map(picture, i)->diverging) {
            cursor->panel = i;
            to_largest_of(picture_matrix_of(picture, i), cursor);
            return;
        }
}

/* The scale of a panel as a bar ---------------------------------------------------------------- */

enum { STEP = 2, STEPS_LEAST = 2, STEPS_MOST = 8, NUMBER_BYTES = 32 };

/* A scale with zero in its middle has an odd number of steps, so that one of them is zero's. */
static int steps_within(int room, bool diverging)
{
    int steps = room < STEPS_MOST ? room : STEPS_MOST;
    return diverging && steps % 2 == 0 ? steps - 1 : steps;
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
