#include "tui/output/report_text.h"

#include <stdlib.h>
#include <string.h>

#include "tui/output/grid.h"
#include "tui/output/heat.h"
#include "tui/report/cell_text.h"
#include "tui/text/display.h"

enum {
    FIELD_TITLE = 12, // columns of a field's title
    READABLE = 90     // of a paragraph, at most
};

static void write_line(FILE *stream, const char *text)
{
    display_write(stream, text);
    fputc('\n', stream);
}

/* A blank before it, as before all lines of a view. */
static void write_title(FILE *stream, const char *title, int width)
{
    fputc(' ', stream);
    display_wrapped(stream, title, "  ", 1, width - 1);
}

/* Lines -------------------------------------------------------------------------------------------- */

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

/* What is long goes on below the value, not below the title. */
static void write_field(FILE *stream, const struct field *field)
{
    static const struct column plain = {.type = COLUMN_REAL, .digits = 4};
    char *text = display_have(cell_text(&plain, &field->value));
    fprintf(stream, "%-*s", FIELD_TITLE, field->title);
    display_filled(stream, text ? text : "", FIELD_TITLE, display_columns(stream));
    free(text);
}

/* Matrices ----------------------------------------------------------------------------------------- */

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
    if (matrix->style == MATRIX_DIFFERENCE) {
        difference_draw(stream, &heat, width);
        difference_legend(stream, &heat, width);
    } else {
        heat_draw(stream, &heat, width);
        heat_legend(stream, &heat, width);
    }
}

static void write_matrix(FILE *stream, const struct matrix *matrix)
{
    struct heat heat = heat_of(matrix);
    if (matrix->grid)
        write_grid(stream, matrix);
    else if (matrix->style == MATRIX_NUMBERS)
        table_draw(stream, &heat, display_columns(stream));
    else
        write_shades(stream, matrix, display_columns(stream));
}

/* Matrices beside each other ----------------------------------------------------------------------- */

enum { BESIDE_MOST = 3, GAP = 2 };

/* Takes the next line off `text`; NULL at the end. */
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

/* Lines of the texts, joined: each text is `width` columns wide. */
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
                fprintf(stream, "%*s", width + GAP - display_width(line), "");
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

/* Beside each other where they fit, else one below the other. */
static void write_beside(FILE *stream, const struct matrix *const *matrices, int count)
{
    int columns = display_columns(stream), width = (columns - (count - 1) * GAP) / count;
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

/* Blocks ------------------------------------------------------------------------------------------- */

static void write_blocks(FILE *stream, const struct blocks *blocks, unsigned audience);

/* Groups of matrices stand beside each other with the matrices of the groups after them. */
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
        if (inner->kind == BLOCK_MATRIX && (inner->in & audience) && inner->matrix->said)
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

/* Several matrices with titles of their own are drawn where the first of them stands. */
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

/* Drawings and excerpts are as wide as the terminal; titles over lines and other tables stay on one line. */
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
