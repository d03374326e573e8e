#include "tui/screen/picture/picture_parts.h"

#include <math.h>
#include <string.h>

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

/* Moves to the cell of a panel furthest from zero, the first if there are several. */
static void to_largest_of(const struct figure_matrix *matrix, struct picture_cursor *cursor)
{
    double most = 0;
    for (int i = 0; matrix->values && i < matrix->rows * matrix->columns; i++)
        if (fabs(matrix->values[i]) > most) { // never for NaN
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
