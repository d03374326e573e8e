#include "tui/output/grid.h"

#include <stdlib.h>

#include "base/minmax.h"
#include "tui/output/heat.h"
#include "tui/text/display.h"

enum { LEAST = 7, GAP = 1 }; // columns of a matrix and the number over it, at least; between two

/* Columns that "layer N" takes before the matrices. */
static int margin(const struct grid *grid)
{
    char text[32];
    return snprintf(text, sizeof text, " layer %d ",
                    grid->layers[grid->layer_count - 1] + 1); // the last one is the greatest
}

static int at_least_one(int value)
{
    return value > 0 ? value : 1;
}

struct grid_shape grid_shape(const struct grid *grid, int width)
{
    struct grid_shape shape = {.per_line = grid->head_count};
    int room = at_least_one(width - margin(grid));
    if (room / grid->head_count - GAP < LEAST) {
        shape.per_line = at_least_one(room / (LEAST + GAP));
        // Lines of about as many heads each.
        int lines = (grid->head_count + shape.per_line - 1) / shape.per_line;
        shape.per_line = (grid->head_count + lines - 1) / lines;
    }
    shape.width = int_min(grid->columns, at_least_one(room / shape.per_line - GAP));
    // As many cells to a line as to two columns.
    long height = ((long)grid->rows * shape.width + grid->columns) / (2L * grid->columns);
    shape.height = int_min(grid->rows, at_least_one((int)height));
    return shape;
}

/* Where block `i` of `count` begins along `cells`. */
static int block_begin(int i, int count, int cells)
{
    return (int)((long)i * cells / count);
}

static float greatest(const struct grid *grid, const float *matrix, int row, int row_end,
                      int column, int column_end)
{
    float most = 0;
    for (int r = row; r < row_end; r++)
        for (int c = column; c < column_end; c++)
            if (matrix[(size_t)r * grid->columns + c] > most)
                most = matrix[(size_t)r * grid->columns + c];
    return most;
}

static const float *matrix_at(const struct grid *grid, int layer, int head)
{
    size_t index = (size_t)layer * grid->head_count + head;
    return grid->values + index * grid->rows * grid->columns;
}

static void draw_header(FILE *stream, const struct grid *grid, int layer, int head, int width)
{
    char text[32];
    if (grid->off[layer * grid->head_count + head])
        snprintf(text, sizeof text, "%d off", grid->heads[head] + 1);
    else
        snprintf(text, sizeof text, "%d %.2f", grid->heads[head] + 1,
                 greatest(grid, matrix_at(grid, layer, head), 0, grid->rows, 0, grid->columns));
    display_field(stream, text, width);
}

/* One line of one matrix. */
static void draw_line(FILE *stream, const struct grid *grid, const float *matrix,
                      const struct grid_shape *shape, int line)
{
    float most = greatest(grid, matrix, 0, grid->rows, 0, grid->columns);
    int row = block_begin(line, shape->height, grid->rows);
    int row_end = block_begin(line + 1, shape->height, grid->rows);
    for (int i = 0; i < shape->width; i++) {
        int column = block_begin(i, shape->width, grid->columns);
        int column_end = block_begin(i + 1, shape->width, grid->columns);
        fputs(heat_shade(greatest(grid, matrix, row, row_end, column, column_end), most), stream);
    }
}

/* What stands between two matrices, where the numbers over them may be wider than they are. */
static int step(const struct grid_shape *shape)
{
    return (shape->width < LEAST ? LEAST : shape->width) + GAP;
}

static void draw_heads(FILE *stream, const struct grid *grid, const struct grid_shape *shape,
                       int layer, int first)
{
    int last = int_min(first + shape->per_line, grid->head_count);
    char label[32] = "";
    if (first == 0)
        snprintf(label, sizeof label, " layer %d", grid->layers[layer] + 1);
    fprintf(stream, "%-*s", margin(grid), label);
    for (int h = first; h < last; h++)
        draw_header(stream, grid, layer, h, step(shape));
    for (int line = 0; line < shape->height; line++) {
        fprintf(stream, "\n%*s", margin(grid), "");
        for (int h = first; h < last; h++) {
            draw_line(stream, grid, matrix_at(grid, layer, h), shape, line);
            if (h + 1 < last)
                fprintf(stream, "%*s", step(shape) - shape->width, "");
        }
    }
    fputc('\n', stream);
}

static void draw_legend(FILE *stream, const struct grid *grid, const struct grid_shape *shape,
                        int width)
{
    char text[200];
    int rows = (grid->rows + shape->height - 1) / shape->height;
    int columns = (grid->columns + shape->width - 1) / shape->width;
    int used =
        snprintf(text, sizeof text, "0 ░▒▓█ the number beside each head, its greatest weight");
    if (rows > 1 || columns > 1)
        snprintf(text + used, sizeof text - used, "; a character is the greatest of up to %d×%d",
                 rows, columns);
    fputc(' ', stream);
    display_wrapped(stream, text, " ", 1, width - 1);
}

void grid_draw(FILE *stream, const struct grid *grid, int width)
{
    if (grid->rows == 0 || grid->columns == 0)
        return; // a source may come to nothing
    struct grid_shape shape = grid_shape(grid, width);
    for (int layer = 0; layer < grid->layer_count; layer++)
        for (int first = 0; first < grid->head_count; first += shape.per_line)
            draw_heads(stream, grid, &shape, layer, first);
    draw_legend(stream, grid, &shape, width);
}
