/* A matrix is shrunk to tiles once, so that drawing an overview does not read every value each time. */
#include "tui/screen/picture/picture_tiles.h"

#include <math.h>

#include "tui/screen/picture/picture_values.h"

/* Cells of a tile along a side. */
static int side_of(int cells)
{
    return (cells + PICTURE_TILES_MOST - 1) / PICTURE_TILES_MOST;
}

/* The least and greatest of the values, skipping NaN; least > most: there are none. */
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

/* Updates a tile by cells `first` ... `end` - 1 of a row. Positions on a scale never fall as values rise, so the extreme
 * values are enough. */
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
        position = fmin(fmax(position, 0), 1); // beyond the ends colours are the ends'
        *tile = picture_stronger(map, position, *tile) ? position : *tile;
    }
    panel->most = ends[1] > panel->most || isnan(panel->most) ? ends[1] : panel->most;
}

bool picture_tiles(const struct picture *picture, int index, struct status *status)
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
