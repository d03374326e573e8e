#include "base/strings.h"
#include "tui/screen/sheet/sheet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/blocks.h"
#include "report/output/report_forms.h"
#include "terminal/text/display.h"

static bool copy_into(char **place, const char *text, struct status *status)
{
    char *copy = strdup(text);
    if (!copy)
        return status_no_memory(status);
    free(*place);
    *place = copy;
    return true;
}

bool sheet_begin(struct sheet *sheet, const struct sheet_column *columns, int count,
                 struct status *status)
{
    *sheet = (struct sheet){.column_count = count, .sorted = -1};
    sheet->columns = memory_new((size_t)count, sizeof *columns, status);
    if (!sheet->columns)
        return false;
    memcpy(sheet->columns, columns, (size_t)count * sizeof *columns);
    return true;
}

static struct sheet_cell *last_cell(const struct sheet *sheet, int column)
{
    return &sheet->cells[(size_t)(sheet->row_count - 1) * (size_t)sheet->column_count +
                         (size_t)column];
}

bool sheet_row(struct sheet *sheet, struct status *status)
{
    size_t needed, rows = (size_t)sheet->row_count + 1;
    if (!size_multiply(rows, (size_t)sheet->column_count, &needed))
        return status_fail(status, STATUS_MEMORY, "a table of %zu rows is too large", rows);
    if (!memory_grow((void **)&sheet->cells, &sheet->cell_capacity, needed, sizeof *sheet->cells,
                     status) ||
        !memory_grow((void **)&sheet->commands, &sheet->command_capacity, rows,
                     sizeof *sheet->commands, status) ||
        !memory_grow((void **)&sheet->heads, &sheet->head_capacity, rows, sizeof *sheet->heads,
                     status) ||
        !memory_grow((void **)&sheet->order, &sheet->order_capacity, rows, sizeof *sheet->order,
                     status))
        return false;
    sheet->order[sheet->row_count] = sheet->row_count;
    sheet->row_count++;
    for (int c = 0; c < sheet->column_count; c++) {
        last_cell(sheet, c)->number = NAN;
        if (!copy_into(&last_cell(sheet, c)->text, "", status))
            return false;
    }
    return true;
}

bool sheet_put(struct sheet *sheet, int column, double number, const char *text,
               struct status *status)
{
    last_cell(sheet, column)->number = number;
    return copy_into(&last_cell(sheet, column)->text, text, status);
}

bool sheet_put_command(struct sheet *sheet, char *command, struct status *status)
{
    if (!command)
        return status_no_memory(status);
    free(sheet->commands[sheet->row_count - 1]);
    sheet->commands[sheet->row_count - 1] = command;
    return true;
}

static bool add_note(struct sheet *sheet, const char *text, size_t bytes, struct status *status)
{
    if (!memory_grow((void **)&sheet->notes, &sheet->note_capacity, (size_t)sheet->note_count + 1,
                     sizeof *sheet->notes, status))
        return false;
    char *note = strndup(text, bytes);
    if (!note)
        return status_no_memory(status);
    sheet->notes[sheet->note_count++] = note;
    return true;
}

bool sheet_note(struct sheet *sheet, const char *text, struct status *status)
{
    while (*text) {
        size_t bytes = strcspn(text, "\n");
        if (!add_note(sheet, text, bytes, status))
            return false;
        text += bytes + (text[bytes] == '\n');
    }
    return true;
}

static int column_width(const struct sheet *sheet, int column)
{
    int widest = display_width(sheet->columns[column].title);
    for (int r = 0; r < sheet->row_count; r++) {
        int width = display_width(
            sheet->cells[(size_t)r * (size_t)sheet->column_count + (size_t)column].text);
        widest = width > widest ? width : widest;
    }
    return widest;
}

void sheet_end(struct sheet *sheet)
{
    for (int c = 0; c < sheet->column_count; c++)
        sheet->columns[c].width = column_width(sheet, c);
}

void sheet_free(struct sheet *sheet)
{
    for (size_t i = 0; i < sheet->cell_capacity; i++)
        free(sheet->cells[i].text);
    for (int r = 0; r < sheet->row_count; r++) {
        free(sheet->commands[r]);
        free(sheet->heads[r]);
    }
    for (int i = 0; i < sheet->note_count; i++)
        free(sheet->notes[i]);
    free(sheet->columns);
    free(sheet->cells);
    free(sheet->commands);
    free(sheet->heads);
    free(sheet->order);
    free(sheet->notes);
    *sheet = (struct sheet){0};
}

/* Reports as sheets ---------------------------------------------------------------------------- */

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
                                      .sentence = table->columns[c].type == COLUMN_SENTENCE,
                                      .compared = table->columns[c].compared,
                                      .names = table->columns[c].type == COLUMN_INT ||
                                               table->columns[c].type == COLUMN_TEXT,
                                      .enter = table->columns[c].enter,
                                      .names_head = table->columns[c].names_head};
    bool ok = sheet_begin(sheet, columns, count, status);
    free(columns);
    return ok;
}

static bool put_cell(struct sheet *sheet, int place, const struct column *column,
                     const struct value *value, struct status *status)
{
    char *text = cell_text(column, value);
    double number = value_order(value) * (column->type == COLUMN_PERCENT ? 100 : 1); // as displayed
    bool ok = text ? sheet_put(sheet, place, number, text, status) : status_no_memory(status);
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

static bool put_head(struct sheet *sheet, const struct table *table, int row, struct status *status)
{
    const char *head = table->source ? NULL : table->rows[row].head;
    return !head || copy_into(&sheet->heads[sheet->row_count - 1], head, status);
}

static bool put_row(struct sheet *sheet, const struct table *table, int row, struct status *status)
{
    const struct value *cells = table_row_cells(table, row);
    bool ok = sheet_row(sheet, status);
    for (int c = 0, place = 0; ok && c < table->column_count; c++)
        if (is_shown(table, c))
            ok = put_cell(sheet, place++, &table->columns[c], &cells[c], status);
    return ok && put_head(sheet, table, row, status) &&
           put_command(sheet, table_row_enter(table, row), status);
}

/* Puts the notes beside the table; they are also part of the report's text. */
static bool put_notes(struct sheet *sheet, const struct report *report, struct status *status)
{
    struct written written;
    FILE *out = written_open(&written);
    if (!out)
        return status_no_memory(status);
    display_lacks(); // clears what other code lacked
    text_notes(out, report);
    char *text = written_close(&written);
    bool ok = text && !display_lacks() ? sheet_note(sheet, text, status) : status_no_memory(status);
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
