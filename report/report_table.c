/* The tables of a report. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "report/report_memory.h"

/* Returns the column with all of its names. */
static struct column named_column(const struct column *column)
{
    struct column named = *column;
    if (!column->all)
        return named;
    named.key = column->key ? column->key : column->all;
    named.name = column->name ? column->name : column->all;
    named.title = column->title ? column->title : column->all;
    return named;
}

struct table *report_inner_table(struct report *report, const struct column *columns, int count)
{
    struct table *table = report_new(report, 1, sizeof *table);
    struct column *copy = report_new(report, (size_t)count, sizeof *copy);
    if (!table || !copy)
        table = &report->spare.table;
    for (int c = 0; copy && c < count; c++)
        copy[c] = named_column(&columns[c]);
    *table = (struct table){.columns = copy, .column_count = count, .report = report};
    return table;
}

struct table *report_table(struct report *report, unsigned in, const char *key,
                           const struct column *columns, int count)
{
    struct table *table = report_inner_table(report, columns, count);
    struct block *block = report_add_block(report, BLOCK_TABLE, in);
    table->key = key;
    if (block)
        block->table = table;
    return table;
}

void table_row_in(struct table *table, unsigned in)
{
    struct report *report = table->report;
    size_t needed = ((size_t)table->row_count + 1) * (size_t)table->column_count;
    struct table_row *rows = report_grow(report, table->rows, (size_t)table->row_count,
                                         &table->row_capacity, sizeof *rows);
    if (!rows)
        return;
    table->rows = rows;
    table->cell_count = needed - (size_t)table->column_count;
    while (table->cell_capacity < needed) {
        struct value *cells = report_grow(report, table->cells, table->cell_capacity,
                                          &table->cell_capacity, sizeof *cells);
        if (!cells)
            return;
        table->cells = cells;
    }
    rows[table->row_count++] = (struct table_row){.in = in};
}

void table_put_cells(struct table *table, const struct value *cells, int count)
{
    for (int i = 0; i < count; i++) {
        bool room = table->cell_count < (size_t)table->row_count * (size_t)table->column_count;
        if (!table->report->lacking && room)
            table->cells[table->cell_count++] = cells[i];
    }
}

struct value value_shown(struct report *report, struct value value, const char *text, double order)
{
    struct shown *shown = report_new(report, 1, sizeof *shown);
    if (!shown)
        return value_null();
    *shown = (struct shown){value, text, order};
    return (struct value){.kind = VALUE_SHOWN, .shown = shown};
}

void table_enter(struct table *table, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *command = report_format_list(table->report, format, arguments);
    va_end(arguments);
    if (table->report->lacking)
        return;
    table->rows[table->row_count - 1].command = command;
    table->report->of_testset |= strncmp(command, ":open ", strlen(":open ")) == 0;
}

void table_enter_head(struct table *table, const char *module, int layer, int head,
                      const char *files)
{
    const char *command = report_format(table->report, ":head %s layer %d head %d%s%s", module,
                                        layer + 1, head + 1, *files ? " " : "", files);
    if (!table->report->lacking)
        table->rows[table->row_count - 1].head = command;
}

/* Rows made when they are read ----------------------------------------------------------------- */

void table_rows_from(struct table *table, int count,
                     void (*fill)(void *data, int row, struct value *cells), void *data)
{
    struct report *report = table->report;
    struct row_source *source = report_new(report, 1, sizeof *source);
    struct value *cells = report_new(report, (size_t)table->column_count, sizeof *cells);
    if (!source || !cells)
        return;
    *source = (struct row_source){.fill = fill, .data = data, .read = -1};
    table->source = source;
    table->cells = cells;
    table->row_count = count;
}

void table_enter_from(struct table *table, void (*enter)(void *data, int row, FILE *out))
{
    if (table->source)
        table->source->enter = enter;
}

void table_rows_change(struct table *table, int count)
{
    table->row_count = count;
    table->source->read = -1;
}

const struct value *table_row_cells(const struct table *table, int row)
{
    struct row_source *source = table->source;
    if (!source)
        return table->cells + (size_t)row * (size_t)table->column_count;
    if (source->read != row) {
        for (int c = 0; c < table->column_count; c++)
            table->cells[c] = value_null();
        source->fill(source->data, row, table->cells);
        source->read = row;
    }
    return table->cells;
}

char *table_row_enter(const struct table *table, int row)
{
    if (!table->source)
        return strdup(table->rows[row].command ? table->rows[row].command : "");
    if (!table->source->enter)
        return strdup("");
    struct written written;
    FILE *out = written_open(&written);
    if (!out)
        return NULL;
    table->source->enter(table->source->data, row, out);
    return written_close(&written);
}

/* Plots ---------------------------------------------------------------------------------------- */

/* Returns a cell's value for a plot. */
static float number_of(const struct value *cell)
{
    const struct value *plain = value_plain(cell);
    return plain->kind == VALUE_INT    ? (float)plain->integer
           : plain->kind == VALUE_REAL ? (float)plain->real
                                       : NAN;
}

static const char *label_of(struct report *report, const struct value *cell)
{
    const struct value *plain = value_plain(cell);
    if (cell->kind == VALUE_SHOWN)
        return cell->shown->text;
    if (plain->kind == VALUE_INT)
        return report_format(report, "%lld", (long long)plain->integer);
    return plain->kind == VALUE_TEXT ? plain->text : "";
}

struct plot *report_plot_table(struct report *report, unsigned in, enum plot_kind kind,
                               const struct table *table, int label, const int *columns, int count)
{
    struct plot *plot = report_plot(report, in, kind, count, table->row_count);
    const char **labels = report_new(report, (size_t)table->row_count, sizeof *labels);
    plot->labels = labels;
    plot->x_title = table->columns ? table->columns[label].title : NULL;
    for (int s = 0; s < count; s++)
        plot->series[s] = table->columns ? table->columns[columns[s]].title : NULL;
    for (int r = 0; plot->values && labels && r < table->row_count; r++) {
        const struct value *cells = table_row_cells(table, r);
        labels[r] = label_of(report, &cells[label]);
        for (int s = 0; s < count; s++)
            plot->values[s * table->row_count + r] = number_of(&cells[columns[s]]);
    }
    return plot;
}
