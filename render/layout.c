#include "render/layout.h"

#include <math.h>
#include <stdlib.h>

const struct page_limits pixel_limits = {"pixels", 1, PAGE_SIDE_MOST, PAGE_BYTES_MOST / 4};
const struct page_limits point_limits = {"pt", VECTOR_DPI / 72.0,
                                         PAGE_POINTS_MOST *(VECTOR_DPI / 72.0), INFINITY};

void layout_close(struct figure_layout *layout)
{
    if (!layout)
        return;
    for (size_t i = 0; i < layout->text_count; i++)
        free(layout->texts[i].line.text);
    free(layout->texts);
    free(layout->shapes);
    free(layout->matrices);
    free(layout->bars);
    free(layout->ranges);
    free(layout);
}

struct box layout_cell(const struct placed_matrix *matrix, int row, int column)
{
    double left = floor(column * matrix->cell_width), top = floor(row * matrix->cell_height);
    return (struct box){matrix->x + left, matrix->y + top,
                        floor((column + 1) * matrix->cell_width) - left,
                        floor((row + 1) * matrix->cell_height) - top};
}

struct stroke layout_stroke(struct box cell, double width)
{
    double inset = fmin(width, fmin(cell.width, cell.height) / 2);
    return (struct stroke){cell.x + inset, cell.y + cell.height - inset,
                           cell.x + cell.width - inset, cell.y + inset};
}

struct row_colours layout_row_colours(const struct figure *figure,
                                      const struct figure_layout *layout,
                                      const struct placed_matrix *matrix, int row)
{
    int scale = matrix->matrix->scale;
    return (struct row_colours){figure->scales[scale].map, layout->ranges[scale],
                                scale_row_divisor(figure, matrix->matrix, row, matrix->divisor)};
}

struct rgb row_colour(const struct row_colours *colours, double value)
{
    return colormap_colour(colours->map, scale_position(colours->range, value / colours->divisor));
}
