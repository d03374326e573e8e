#include "tui/screen/sheet/sheet_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/output/report_text.h"
#include "tui/report/blocks.h"
#include "tui/screen/sheet/sheet_build.h"
#include "tui/text/display.h"

static bool is_shown(const struct table *table, int column)
{
    return column_in(&table->columns[column], table->columns[column].title, IN_SCREEN);
}

static bool begin(struct sheet *sheet, const struct table *table, struct status *status)
{
    struct sheet_column *columns = memory_new((size_t)table->column_count, sizeof *columns, status);
    int count = 0;
    if (!columns)
        return false;
    for (int c = 0; c < table->column_count; c++)
        if (is_shown(table, c))
            columns[count++] =
                (struct sheet_column){.title = table->columns[c].title,
                                      .number = column_of_numbers(&table->columns[c]),
                                      .enter = table->columns[c].enter};
    bool ok = sheet_begin(sheet, columns, count, status);
    free(columns);
    return ok;
}

static bool put_cell(struct sheet *sheet, int place, const struct column *column,
                     const struct value *value, struct status *status)
{
    char *text = cell_text(column, value);
    double number = value_order(value) * (column->type == COLUMN_PERCENT ? 100 : 1); // as it reads
    bool ok = text ? sheet_put_named(sheet, place, number, text, status) : status_no_memory(status);
    free(text);
    return ok;
}

static bool put_command(struct sheet *sheet, char *command, struct status *status)
{
    if (!command || *command)
        return sheet_put_command(sheet, command, status);
    free(command);
    return true;
}

static bool put_row(struct sheet *sheet, const struct table *table, int row, struct status *status)
{
    const struct value *cells = table_row_cells(table, row);
    bool ok = sheet_row(sheet, status);
    for (int c = 0, place = 0; ok && c < table->column_count; c++)
        if (is_shown(table, c))
            ok = put_cell(sheet, place++, &table->columns[c], &cells[c], status);
    return ok && put_command(sheet, table_row_enter(table, row), status);
}

/* Puts the notes beside the table; they are part of the report's text as well. */
static bool put_notes(struct sheet *sheet, const struct report *report, struct status *status)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool ok = out != NULL;
    if (out) {
        display_lacks(); // before this: somebody else's
        text_notes(out, report);
        ok = fclose(out) == 0 && !display_lacks();
    }
    ok = ok ? sheet_note(sheet, text, status) : status_no_memory(status);
    free(text);
    return ok;
}

bool sheet_of_report(struct sheet *sheet, const struct report *report, struct status *status)
{
    const struct table *table = report_sheet(report);
    *sheet = (struct sheet){0};
    bool ok = begin(sheet, table, status) && put_notes(sheet, report, status);
    for (int r = 0; ok && r < table->row_count; r++)
        if (row_in(table, r, IN_SCREEN))
            ok = put_row(sheet, table, r, status);
    if (ok)
        sheet_end(sheet);
    else
        sheet_free(sheet);
    return ok;
}
