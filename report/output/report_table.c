#include "report/output/report_forms.h"

#include <string.h>

#include "terminal/text/display.h"

/* A table being written. */
struct writer {
    FILE *stream;
    enum table_format format;
    bool commented; // lines that begin with # are comments
    struct pace *pace;
    bool begun; // the line has a cell already
};

/* Cells ---------------------------------------------------------------------------------------- */

/* Begins a cell; the caller then writes its content to the stream. */
static void separate(struct writer *writer)
{
    if (writer->begun)
        fputc(writer->format == TABLE_CSV ? ',' : '\t', writer->stream);
    writer->begun = true;
}

static void end_line(struct writer *writer)
{
    fputc('\n', writer->stream);
    writer->begun = false;
}

static void write_quoted(const struct writer *writer, const char *text)
{
    const char separator = writer->format == TABLE_CSV ? ',' : '\t';
    const char special[] = {separator, '"', '\r', '\n', writer->commented ? '#' : '\0', '\0'};
    const bool quoted = text[strcspn(text, special)];
    if (quoted)
        fputc('"', writer->stream);
    while (*text) {
        if (*text == '"')
            fputc('"', writer->stream);
        text += display_write_character(writer->stream, OUTLET_DATA, text);
    }
    if (quoted)
        fputc('"', writer->stream);
}

static void write_pasted(const struct writer *writer, const char *text)
{
    static const char special[] = "\t\n\r\\", letters[] = "tnr\\";
    while (*text) {
        const char *found = strchr(special, *text);
        if (found)
            fprintf(writer->stream, "\\%c", letters[found - special]);
        text += found ? 1 : display_write_character(writer->stream, OUTLET_PASTED, text);
    }
}

static void put_text(struct writer *writer, const char *text)
{
    separate(writer);
    (writer->format == TABLE_PASTED ? write_pasted : write_quoted)(writer, text);
}

static void put_count(struct writer *writer, long long value)
{
    separate(writer);
    fprintf(writer->stream, "%lld", value);
}

static void put_number(struct writer *writer, double value)
{
    separate(writer);
    if (!isnan(value))
        fprintf(writer->stream, "%.9g", value);
}

/* Writes the numbers of a list side by side. */
static void put_ints(struct writer *writer, const struct value *value)
{
    separate(writer);
    for (int i = 0; i < value->count; i++)
        fprintf(writer->stream, "%s%d", i ? " " : "", value->ints[i]);
}

static void put_value(struct writer *writer, const struct value *value)
{
    const struct value *plain = value_plain(value);
    switch (plain->kind) {
    case VALUE_TEXT:
        put_text(writer, plain->text);
        break;
    case VALUE_INT:
        put_count(writer, plain->integer);
        break;
    case VALUE_REAL:
        put_number(writer, plain->real);
        break;
    case VALUE_BOOL:
        put_count(writer, plain->truth);
        break;
    case VALUE_INTS:
        put_ints(writer, plain);
        break;
    default:
        separate(writer);
    }
}

/* Tables --------------------------------------------------------------------------------------- */

static bool write_table(struct writer *writer, const struct table *table)
{
    for (int c = 0; c < table->column_count; c++)
        if (column_in(&table->columns[c], table->columns[c].name, IN_TABLE))
            put_text(writer, table->columns[c].name);
    end_line(writer);
    for (int r = 0; r < table->row_count; r++) {
        if (!row_in(table, r, IN_TABLE))
            continue;
        if (!pace_step(writer->pace, 1))
            return false;
        for (int c = 0; c < table->column_count; c++)
            if (column_in(&table->columns[c], table->columns[c].name, IN_TABLE))
                put_value(writer, &table_row_cells(table, r)[c]);
        end_line(writer);
    }
    return true;
}

/* Matrices ------------------------------------------------------------------------------------- */

static bool write_matrix(struct writer *writer, const struct matrix *matrix)
{
    const float *value = matrix->values;
    put_text(writer, "");
    for (int c = 0; c < matrix->columns.count; c++)
        put_text(writer, matrix->columns.texts[c]);
    end_line(writer);
    for (int r = 0; r < matrix->rows.count; r++) {
        if (!pace_step(writer->pace, (size_t)matrix->columns.count))
            return false;
        put_text(writer, matrix->rows.texts[r]);
        for (int c = 0; c < matrix->columns.count; c++)
            put_number(writer, *value++);
        end_line(writer);
    }
    return true;
}

static void put_header(struct writer *writer, const char *const *names)
{
    for (; *names; names++)
        put_text(writer, *names);
    end_line(writer);
}

/* Writes a line for every weight of one row, after the columns that identify the matrix. */
static void write_weights(struct writer *writer, const struct matrix *matrix, const char *name,
                          int place, int row, const float *values)
{
    const struct head_grid *grid = matrix->grid;
    for (int c = 0; c < matrix->columns.count; c++) {
        if (name)
            put_text(writer, name);
        if (grid) {
            put_count(writer, grid->layers[place / grid->head_count] + 1);
            put_count(writer, grid->heads[place % grid->head_count] + 1);
        }
        put_count(writer, row + 1);
        put_count(writer, c + 1);
        put_number(writer, values[c]);
        put_text(writer, matrix->rows.texts[row]);
        put_text(writer, matrix->columns.texts[c]);
        end_line(writer);
    }
}

/* Rows and columns have numbers, because different tokens may have the same text. */
static bool write_long(struct writer *writer, const struct matrix *matrix, const char *name)
{
    size_t columns = (size_t)matrix->columns.count;
    size_t lines = columns ? matrix_count(matrix) / columns : 0;
    for (size_t i = 0; i < lines; i++) {
        if (!pace_step(writer->pace, columns))
            return false;
        write_weights(writer, matrix, name, (int)(i / (size_t)matrix->rows.count),
                      (int)(i % (size_t)matrix->rows.count), matrix->values + i * columns);
    }
    return true;
}

static bool write_grid(struct writer *writer, const struct matrix *matrix)
{
    put_header(writer, (const char *const[]){"layer", "head", "row", "column", "weight", "row_text",
                                             "column_text", NULL});
    return write_long(writer, matrix, NULL);
}

/* The group's matrices may have different sizes. */
static bool write_group(struct writer *writer, const struct blocks *blocks)
{
    for (int i = 0; i < blocks->count; i++) {
        const struct block *block = &blocks->blocks[i];
        if (!(block->in & IN_TABLE))
            continue;
        if (block->kind == BLOCK_MATRIX && !write_long(writer, block->matrix, block->matrix->name))
            return false;
        if (block->kind == BLOCK_GROUP && !write_group(writer, &block->group->blocks))
            return false;
    }
    return true;
}

static int matrices_in(const struct blocks *blocks)
{
    int count = 0;
    for (int i = 0; i < blocks->count; i++) {
        const struct block *block = &blocks->blocks[i];
        if (block->in & IN_TABLE)
            count += block->kind == BLOCK_MATRIX  ? 1
                     : block->kind == BLOCK_GROUP ? matrices_in(&block->group->blocks)
                                                  : 0;
    }
    return count;
}

bool table_report(FILE *stream, unsigned format, const struct report *report, struct pace *pace)
{
    struct writer writer = {.stream = stream,
                            .format = (enum table_format)(format & ~(unsigned)TABLE_COMMENTED),
                            .commented = format & TABLE_COMMENTED,
                            .pace = pace};
    const struct block *table = report_find(report, BLOCK_TABLE, IN_TABLE);
    const struct block *matrix = report_find(report, BLOCK_MATRIX, IN_TABLE);
    if (table)
        return write_table(&writer, table->table);
    if (!matrix)
        return true;
    if (matrices_in(&report->blocks) > 1) {
        put_header(&writer, (const char *const[]){"matrix", "row", "column", "weight", "row_text",
                                                  "column_text", NULL});
        return write_group(&writer, &report->blocks);
    }
    return matrix->matrix->grid ? write_grid(&writer, matrix->matrix)
                                : write_matrix(&writer, matrix->matrix);
}
