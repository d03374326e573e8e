#include "tui/output/typeset/typeset.h"

#include <stdlib.h>
#include <string.h>

#include "tui/report/blocks.h"
#include "tui/text/display.h"

/* Decimals of weights, and of other values of matrices. */
enum { MATRIX_DIGITS = 3 };

static const char *heading_of(const struct column *column)
{
    return column->heading ? column->heading : column->title;
}

/* A column without a heading says in text what is below it. */
static bool has_column(const struct table *table, int column)
{
    const char *heading = heading_of(&table->columns[column]);
    return column_in(&table->columns[column], heading, IN_TEXT) && *heading;
}

/* Some tables are for programs alone: they have no column that people read. */
static bool has_columns(const struct table *table)
{
    for (int c = 0; c < table->column_count; c++)
        if (has_column(table, c))
            return true;
    return false;
}

static const struct table *find_table(const struct report *report)
{
    const struct block *block = report_find(report, BLOCK_TABLE, IN_TYPESET);
    block = block ? block : report_find(report, BLOCK_TABLE, IN_TABLE);
    return block && has_columns(block->table) ? block->table : NULL;
}

/* One matrix alone: those of a grid, or several, have no rows in common. */
static const struct matrix *find_matrix(const struct report *report)
{
    const struct block *block = report_find(report, BLOCK_MATRIX, IN_TABLE);
    return block && !block->matrix->grid && block->matrix->values ? block->matrix : NULL;
}

bool report_has_typeset(const struct report *report)
{
    return find_table(report) || find_matrix(report);
}

static bool allocate(struct typeset *out, struct status *status)
{
    size_t cells = (size_t)out->rows * (size_t)out->columns;
    return (out->headings = memory_new((size_t)out->columns, sizeof *out->headings, status)) &&
           (out->numbers = memory_new((size_t)out->columns, sizeof *out->numbers, status)) &&
           (out->cells = memory_new(cells, sizeof *out->cells, status));
}

/* A text without what would control a terminal or end a line. */
static bool set_text(char **place, const char *text, struct status *status)
{
    *place = display_clean(text ? text : "");
    return *place || status_no_memory(status);
}

/* Tables --------------------------------------------------------------------------------------- */

static bool has_row(const struct table *table, int row)
{
    return row_in(table, row, IN_TEXT | IN_TYPESET);
}

static void count_table(struct typeset *out, const struct table *table)
{
    for (int c = 0; c < table->column_count; c++)
        out->columns += has_column(table, c);
    for (int r = 0; r < table->row_count; r++)
        out->rows += has_row(table, r);
}

static bool fill_row(const struct table *table, int row, char **cells, struct status *status)
{
    const struct value *values = table_row_cells(table, row);
    for (int c = 0; c < table->column_count; c++) {
        if (!has_column(table, c))
            continue;
        char *text = cell_text(&table->columns[c], &values[c]);
        bool ok = text ? set_text(cells++, text, status) : status_no_memory(status);
        free(text);
        if (!ok)
            return false;
    }
    return true;
}

static bool fill_table(struct typeset *out, const struct table *table, struct pace *pace,
                       struct status *status)
{
    int column = 0, row = 0;
    count_table(out, table);
    if (!allocate(out, status))
        return false;
    for (int c = 0; c < table->column_count; c++) {
        if (!has_column(table, c))
            continue;
        out->numbers[column] = column_of_numbers(&table->columns[c]);
        if (!set_text(&out->headings[column++], heading_of(&table->columns[c]), status))
            return false;
    }
    for (int r = 0; r < table->row_count; r++) {
        if (!has_row(table, r))
            continue;
        if (!pace_step(pace, 1) ||
            !fill_row(table, r, out->cells + (size_t)row++ * (size_t)out->columns, status))
            return false;
    }
    return true;
}

/* Matrices ------------------------------------------------------------------------------------- */

static bool fill_matrix_row(struct typeset *out, const struct matrix *matrix, int row,
                            struct status *status)
{
    char **cells = out->cells + (size_t)row * (size_t)out->columns;
    if (!set_text(&cells[0], matrix->rows.labels[row], status))
        return false;
    for (int c = 0; c < matrix->columns.count; c++) {
        float value = matrix->values[(size_t)row * (size_t)matrix->columns.count + (size_t)c];
        char text[40] = "";
        if (!isnan(value))
            snprintf(text, sizeof text, "%.*f", MATRIX_DIGITS, value);
        if (!set_text(&cells[c + 1], text, status))
            return false;
    }
    return true;
}

static bool fill_matrix(struct typeset *out, const struct matrix *matrix, struct pace *pace,
                        struct status *status)
{
    out->rows = matrix->rows.count;
    out->columns = matrix->columns.count + 1;
    if (!allocate(out, status) || !set_text(&out->headings[0], matrix->rows.title, status))
        return false;
    for (int c = 0; c < matrix->columns.count; c++) {
        out->numbers[c + 1] = true;
        if (!set_text(&out->headings[c + 1], matrix->columns.labels[c], status))
            return false;
    }
    for (int r = 0; r < out->rows; r++)
        if (!pace_step(pace, (size_t)out->columns) || !fill_matrix_row(out, matrix, r, status))
            return false;
    return true;
}

/* All ------------------------------------------------------------------------------------------ */

bool typeset_make(struct typeset *out, const struct report *report, struct pace *pace,
                  struct status *status)
{
    const struct table *table = find_table(report);
    *out = (struct typeset){0};
    return table ? fill_table(out, table, pace, status)
                 : fill_matrix(out, find_matrix(report), pace, status);
}

void typeset_free(struct typeset *table)
{
    for (size_t i = 0; table->cells && i < (size_t)table->rows * (size_t)table->columns; i++)
        free(table->cells[i]);
    for (int c = 0; table->headings && c < table->columns; c++)
        free(table->headings[c]);
    free(table->cells);
    free(table->headings);
    free(table->numbers);
    *table = (struct typeset){0};
}
