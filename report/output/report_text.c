#include "report/output/report_forms.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "report/blocks.h"
#include "report/output/heat.h"
#include "terminal/text/display.h"

/* Many matrices as text: small, shaded, side by side. */

/* Layers of heads; all matrices have the same rows and columns. */
struct grid {
    const int *layers, *heads; // (layer_count), (head_count): their numbers, 0-based
    int layer_count, head_count;
    const bool *off; // (layer_count, head_count)
    int rows, columns;
    const float *values; // (layer_count, head_count, rows, columns), >= 0
};

/* The size of shrunk matrices. A character stands for a block of cells and has the shade of the
 * greatest, so that a lone strong cell is still seen. A character is about twice as high as
 * wide. */
struct grid_shape {
    int per_line;      // matrices per line
    int width, height; // of one, in characters
};

enum { LEAST = 7, GAP = 1 }; // columns: of a matrix and its number, at least; between two

/* Returns the columns that "layer N" takes before the matrices. */
static int margin(const struct grid *grid)
{
    char text[32];
    return snprintf(text, sizeof text, " layer %d ",
                    grid->layers[grid->layer_count - 1] + 1); // the last number is the greatest
}

static int at_least_one(int value)
{
    return value > 0 ? value : 1;
}

/* Finds the widest matrices, up to a character per column, with which all heads of a layer fit
 * side by side into `width`. If they would be narrower than 7 characters, the heads take several
 * lines. */
static struct grid_shape grid_shape(const struct grid *grid, int width)
{
    struct grid_shape shape = {.per_line = grid->head_count};
    int room = at_least_one(width - margin(grid));
    if (room / grid->head_count - GAP < LEAST) {
        shape.per_line = at_least_one(room / (LEAST + GAP));
        // Spreads the heads evenly over the lines.
        int lines = (grid->head_count + shape.per_line - 1) / shape.per_line;
        shape.per_line = (grid->head_count + lines - 1) / lines;
    }
    shape.width = int_min(grid->columns, at_least_one(room / shape.per_line - GAP));
    // Keeps the shape: a line covers as many cells as two columns.
    long height = ((long)grid->rows * shape.width + grid->columns) / (2L * grid->columns);
    shape.height = int_min(grid->rows, at_least_one((int)height));
    return shape;
}

/* Returns the first of `cells` that block `i` of `count` covers. */
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

/* Draws one line of one matrix. */
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

/* Returns the columns from one matrix to the next: the numbers over them may be wider than the
 * matrices. */
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

/* Draws layer by layer. Each matrix has its head number and greatest weight (or "off") above and is
 * shaded by the share of that weight. Ends with a legend. */
static void grid_draw(FILE *stream, const struct grid *grid, int width)
{
    if (grid->rows == 0 || grid->columns == 0)
        return; // a source may have no tokens
    struct grid_shape shape = grid_shape(grid, width);
    for (int layer = 0; layer < grid->layer_count; layer++)
        for (int first = 0; first < grid->head_count; first += shape.per_line)
            draw_heads(stream, grid, &shape, layer, first);
    draw_legend(stream, grid, &shape, width);
}

enum {
    FIELD_TITLE = 12, // columns of a field's title
    READABLE = 90     // widest paragraph
};

static void write_line(FILE *stream, const char *text)
{
    display_write(stream, text);
    fputc('\n', stream);
}

/* Like all lines of a view, a title begins with a blank. */
static void write_title(FILE *stream, const char *title, int width)
{
    fputc(' ', stream);
    display_wrapped(stream, title, "  ", 1, width - 1);
}

/* Lines ---------------------------------------------------------------------------------------- */

static void write_paragraph(FILE *stream, const char *text)
{
    int columns = display_columns(stream);
    display_filled(stream, text, 0, columns < READABLE ? columns : READABLE);
}

static void write_remark(FILE *stream, const struct remark *remark)
{
    if (remark->filled)
        write_paragraph(stream, remark->text);
    else
        write_line(stream, remark->text);
}

/* A long value continues below its beginning, not below the title. */
static void write_field(FILE *stream, const struct field *field)
{
    static const struct column plain = {.type = COLUMN_REAL, .digits = 4};
    char *text = display_have(cell_text(&plain, &field->value));
    fprintf(stream, "%-*s", FIELD_TITLE, field->title);
    display_filled(stream, text ? text : "", FIELD_TITLE, display_columns(stream));
    free(text);
}

/* Matrices ------------------------------------------------------------------------------------- */

static struct heat heat_of(const struct matrix *matrix)
{
    return (struct heat){matrix->rows.labels, matrix->columns.labels, matrix->rows.count,
                         matrix->columns.count, matrix->values};
}

static void write_grid(FILE *stream, const struct matrix *matrix)
{
    const struct head_grid *from = matrix->grid;
    struct grid grid = {.layers = from->layers,
                        .heads = from->heads,
                        .layer_count = from->layer_count,
                        .head_count = from->head_count,
                        .off = from->off,
                        .rows = matrix->rows.count,
                        .columns = matrix->columns.count,
                        .values = matrix->values};
    grid_draw(stream, &grid, display_columns(stream));
}

static void write_shades(FILE *stream, const struct matrix *matrix, int width)
{
    struct heat heat = heat_of(matrix);
    if (matrix->said)
        write_title(stream, matrix->said, width);
    if (matrix->style == MATRIX_DIFFERENCE || matrix->range == RANGE_OF_CHANGES) {
        difference_draw(stream, &heat, width);
        difference_legend(stream, &heat, width);
    } else {
        heat_draw(stream, &heat, width);
        heat_legend(stream, &heat, width);
    }
}

static void write_numbers(FILE *stream, const struct matrix *matrix)
{
    struct heat heat = heat_of(matrix);
    if (matrix->said)
        write_title(stream, matrix->said, display_columns(stream));
    table_draw(stream, &heat, display_columns(stream));
}

static void write_matrix(FILE *stream, const struct matrix *matrix)
{
    if (matrix->grid)
        write_grid(stream, matrix);
    else if (matrix->style == MATRIX_NUMBERS)
        write_numbers(stream, matrix);
    else
        write_shades(stream, matrix, display_columns(stream));
}

/* Matrices beside each other ------------------------------------------------------------------- */

enum { BESIDE_MOST = 3, BESIDE_GAP = 2 };

/* Returns the next line of *text and moves past it; NULL at the end. */
static const char *next_line(char **text)
{
    char *line = *text;
    if (!line || !*line)
        return NULL;
    char *end = strchr(line, '\n');
    if (end)
        *end = '\0';
    *text = end ? end + 1 : line + strlen(line);
    return line;
}

/* Joins texts line by line; each text is `width` columns wide. */
static void join(FILE *stream, char **texts, int count, int width)
{
    for (;;) {
        const char *lines[BESIDE_MOST];
        int last = -1;
        for (int i = 0; i < count; i++) {
            lines[i] = next_line(&texts[i]);
            last = lines[i] ? i : last;
        }
        if (last < 0)
            return;
        for (int i = 0; i <= last; i++) {
            const char *line = lines[i] ? lines[i] : "";
            display_write(stream, line);
            if (i < last)
                fprintf(stream, "%*s", width + BESIDE_GAP - display_width(line), "");
        }
        fputc('\n', stream);
    }
}

static void write_joined(FILE *stream, const struct matrix *const *matrices, int count, int width)
{
    char *texts[BESIDE_MOST] = {NULL}, *rest[BESIDE_MOST] = {NULL};
    for (int i = 0; i < count; i++) {
        size_t size;
        FILE *out = display_have(open_memstream(&texts[i], &size));
        if (!out)
            continue;
        write_shades(out, matrices[i], width);
        fclose(out);
        rest[i] = texts[i];
    }
    join(stream, rest, count, width);
    for (int i = 0; i < count; i++)
        free(texts[i]);
}

/* Writes matrices side by side if they fit, else one below the other. */
static void write_beside(FILE *stream, const struct matrix *const *matrices, int count)
{
    int columns = display_columns(stream), width = (columns - (count - 1) * BESIDE_GAP) / count;
    bool fits = true;
    for (int i = 0; i < count; i++) {
        struct heat heat = heat_of(matrices[i]);
        fits &= heat_width(&heat, width) <= width;
    }
    if (fits) {
        write_joined(stream, matrices, count, width);
        return;
    }
    for (int i = 0; i < count; i++) {
        if (i)
            fputc('\n', stream);
        write_shades(stream, matrices[i], columns);
    }
}

/* Blocks --------------------------------------------------------------------------------------- */

static void write_blocks(FILE *stream, const struct blocks *blocks, unsigned audience);

/* Collects matrices to draw side by side, from block `first` on, also those within groups. */
static int matrices_from(const struct blocks *blocks, int first, unsigned audience,
                         const struct matrix **out)
{
    int count = 0;
    for (int i = first; i < blocks->count && count < BESIDE_MOST; i++) {
        const struct block *block = &blocks->blocks[i];
        const struct block *inner = block;
        if (block->kind == BLOCK_GROUP)
            for (int b = 0; b < block->group->blocks.count; b++)
                if (block->group->blocks.blocks[b].kind == BLOCK_MATRIX)
                    inner = &block->group->blocks.blocks[b];
        if (inner->kind == BLOCK_MATRIX && (inner->in & audience) && inner->matrix->said &&
            inner->matrix->style != MATRIX_NUMBERS)
            out[count++] = inner->matrix;
    }
    return count;
}

static bool is_part(const struct block *block, unsigned audience)
{
    const unsigned conditions = IF_WATCHED | IF_UNWATCHED;
    bool watched = audience & (IF_WATCHED | IN_SCREEN);
    return (block->in & audience & ~conditions) &&
           !(block->in & (watched ? IF_UNWATCHED : IF_WATCHED));
}

static void write_alignments(FILE *stream, const struct alignments *alignments)
{
    for (int i = 0; i < alignments->count; i++)
        write_line(stream, alignments->links[i]);
}

static void write_block(FILE *stream, const struct block *block, unsigned audience)
{
    switch (block->kind) {
    case BLOCK_FIELD:
        write_field(stream, &block->field);
        break;
    case BLOCK_LINE:
        write_remark(stream, &block->remark);
        break;
    case BLOCK_COMPARISON:
        text_comparison(stream, block->comparison, display_columns(stream));
        break;
    case BLOCK_TOKENS:
        text_tokens(stream, block->comparison, display_columns(stream));
        break;
    case BLOCK_TABLE:
        text_table(stream, block->table, audience);
        break;
    case BLOCK_MATRIX:
        write_matrix(stream, block->matrix);
        break;
    case BLOCK_GROUP:
        write_blocks(stream, &block->group->blocks, audience);
        break;
    case BLOCK_ALIGNMENTS:
        write_alignments(stream, block->alignments);
        break;
    case BLOCK_PLOT:
        break;
    }
}

/* Several matrices with titles of their own are drawn together, in place of the first. */
static void write_blocks(FILE *stream, const struct blocks *blocks, unsigned audience)
{
    const struct matrix *matrices[BESIDE_MOST];
    bool drawn = false;
    int count = matrices_from(blocks, 0, audience, matrices);
    for (int i = 0; i < blocks->count; i++) {
        const struct block *block = &blocks->blocks[i];
        if (!is_part(block, audience))
            continue;
        bool of_them = count > 1 && (block->kind == BLOCK_GROUP || block->kind == BLOCK_MATRIX);
        if (of_them && !drawn)
            write_beside(stream, matrices, count);
        if (!of_them)
            write_block(stream, block, audience);
        drawn |= of_them;
    }
}

/* True for drawings and excerpts, which are as wide as the terminal. Titles over lines and other
 * tables stay on one line. */
static bool is_fitted(const struct report *report)
{
    const struct block *table = report_find(report, BLOCK_TABLE, IN_TEXT);
    return report_find(report, BLOCK_MATRIX, IN_TEXT) ||
           (table && table->table->style == TABLE_FITTED);
}

static void write_heading(FILE *stream, const struct report *report, unsigned audience)
{
    if (report->title && is_fitted(report)) {
        write_title(stream, report->title, display_columns(stream));
    } else if (report->title) {
        fputc(' ', stream);
        write_line(stream, report->title);
    }
    if (report->computed_with && (audience & IN_TEXT)) {
        fputc(' ', stream);
        write_line(stream, report->computed_with);
    }
}

void text_report(FILE *stream, const struct report *report, unsigned audience)
{
    if (!report->bare || (audience & (IF_WATCHED | IN_SCREEN)))
        write_heading(stream, report, audience);
    write_blocks(stream, &report->blocks, audience);
}

void text_notes(FILE *stream, const struct report *report)
{
    const struct table *sheet = report_sheet(report);
    for (int i = 0; i < report->blocks.count; i++) {
        const struct block *block = &report->blocks.blocks[i];
        bool shown = block->kind == BLOCK_MATRIX || block->kind == BLOCK_COMPARISON ||
                     (block->kind == BLOCK_TABLE && block->table == sheet);
        if (!shown && (block->in & IN_SCREEN))
            write_block(stream, block, IN_SCREEN);
    }
}
