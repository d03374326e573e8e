#include "report/output/typeset/typeset.h"

#include <stdlib.h>
#include <string.h>

#include "report/blocks.h"
#include "terminal/text/display.h"

/* Decimals of weights and other matrix values. */
enum { MATRIX_DIGITS = 3 };

static const char *heading_of(const struct column *column)
{
    return column->heading ? column->heading : column->title;
}

/* A column without a heading holds explanations for text output; it is not typeset. */
static bool has_column(const struct table *table, int column)
{
    const char *heading = heading_of(&table->columns[column]);
    return column_in(&table->columns[column], heading, IN_TEXT | IN_TYPESET) && *heading;
}

/* Tables for programs only have no columns for people. */
static bool has_columns(const struct table *table)
{
    for (int c = 0; c < table->column_count; c++)
        if (has_column(table, c))
            return true;
    return false;
}

/* Finding -------------------------------------------------------------------------------------- */

/* True for blocks to typeset. `instead`: the report has tables made for typesetting. */
typedef bool wanted_block(const struct block *block, bool instead);

static bool is_table(const struct block *block, unsigned in)
{
    return block->kind == BLOCK_TABLE && (block->in & in) && has_columns(block->table);
}

/* The matrices of a grid have different rows. */
static bool is_matrix_in(const struct block *block, unsigned in)
{
    return block->kind == BLOCK_MATRIX && (block->in & in) && !block->matrix->grid &&
           block->matrix->values;
}

/* Records count as a table if they appear in CSV and no table was made for typesetting. */
static bool is_printed(const struct block *block, bool instead)
{
    if (!is_table(block, IN_TYPESET | IN_TEXT))
        return is_matrix_in(block, IN_TEXT) && block->matrix->style == MATRIX_NUMBERS;
    enum table_style style = block->table->style;
    return (block->in & IN_TYPESET) || style == TABLE_ALIGNED || style == TABLE_FITTED ||
           (style == TABLE_RECORDS && (block->in & IN_TABLE) && !instead);
}

static bool is_made_for_it(const struct block *block, bool instead)
{
    (void)instead;
    return is_table(block, IN_TYPESET);
}

static bool is_of_programs(const struct block *block, bool instead)
{
    (void)instead;
    return is_table(block, IN_TABLE);
}

static bool is_matrix(const struct block *block, bool instead)
{
    (void)instead;
    return is_matrix_in(block, IN_TABLE);
}

/* Returns block number *which of those wanted, counting *which down. */
static const struct block *find(const struct blocks *blocks, wanted_block *wanted, bool instead,
                                int *which)
{
    const struct block *found = NULL;
    for (int i = 0; !found && i < blocks->count; i++) {
        const struct block *block = &blocks->blocks[i];
        if (block->kind == BLOCK_GROUP)
            found = find(&block->group->blocks, wanted, instead, which);
        else if (wanted(block, instead) && (*which)-- == 0)
            found = block;
    }
    return found;
}

/* Looks in the first kind that exists. NULL: it has fewer blocks. */
static const struct block *block_at(const struct report *report, int which)
{
    static wanted_block *const all[] = {is_printed, is_of_programs, is_matrix}, *const main[] = {
                                                                                    is_made_for_it,
                                                                                    is_of_programs,
                                                                                    is_matrix};
    wanted_block *const *kinds = which == TYPESET_MAIN ? main : all;
    bool instead = find(&report->blocks, is_made_for_it, false, &(int){0}) != NULL;
    which = which == TYPESET_MAIN ? 0 : which;
    for (int kind = 0; kind < COUNT(all); kind++) {
        if (find(&report->blocks, kinds[kind], instead, &(int){0}))
            return find(&report->blocks, kinds[kind], instead, &which);
    }
    return NULL;
}

int typeset_count(const struct report *report)
{
    int count = 0;
    while (block_at(report, count))
        count++;
    return count;
}

bool report_has_typeset(const struct report *report)
{
    return block_at(report, 0);
}

static bool allocate(struct typeset *out, struct status *status)
{
    size_t cells = (size_t)out->rows * (size_t)out->columns;
    return (out->headings = memory_new((size_t)out->columns, sizeof *out->headings, status)) &&
           (out->numbers = memory_new((size_t)out->columns, sizeof *out->numbers, status)) &&
           (out->cells = memory_new(cells, sizeof *out->cells, status));
}

/* Sets a text without control characters and line ends. */
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

bool typeset_make(struct typeset *out, const struct report *report, int which, struct pace *pace,
                  struct status *status)
{
    const struct block *block = block_at(report, which);
    *out = (struct typeset){0};
    if (block->kind == BLOCK_TABLE)
        return fill_table(out, block->table, pace, status);
    out->name = block->matrix->said ? block->matrix->said : block->matrix->title;
    return fill_matrix(out, block->matrix, pace, status);
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
