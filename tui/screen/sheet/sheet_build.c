#include "tui/screen/sheet/sheet_build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/text/display.h"

static bool copy_into(char **place, const char *text, struct status *status)
{
    char *copy = strdup(text ? text : "");
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

bool sheet_put_text(struct sheet *sheet, int column, const char *text, struct status *status)
{
    return copy_into(&last_cell(sheet, column)->text, text, status);
}

bool sheet_put_named(struct sheet *sheet, int column, double number, const char *text,
                     struct status *status)
{
    last_cell(sheet, column)->number = number;
    return sheet_put_text(sheet, column, text, status);
}

enum { NUMBER_BYTES = 400 }; // the greatest double with decimals

bool sheet_put_number(struct sheet *sheet, int column, double number, int decimals,
                      struct status *status)
{
    char text[NUMBER_BYTES];
    snprintf(text, sizeof text, "%.*f", decimals, number);
    return sheet_put_named(sheet, column, number, isnan(number) ? "" : text, status);
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
    for (int r = 0; r < sheet->row_count; r++)
        free(sheet->commands[r]);
    for (int i = 0; i < sheet->note_count; i++)
        free(sheet->notes[i]);
    free(sheet->columns);
    free(sheet->cells);
    free(sheet->commands);
    free(sheet->order);
    free(sheet->notes);
    *sheet = (struct sheet){0};
}
