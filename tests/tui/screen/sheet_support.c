#include "tests/tui/screen/sheet_support.h"
#include "tests/support/test.h"

#include <math.h>

#include "tui/screen/sheet/sheet.h"

/* Runs a line and makes a table of its result. */
struct sheet sheet_of_line(struct bench *bench, const char *line, struct report *result)
{
    struct sheet sheet;
    struct status status;
    *result = bench_run(bench, line);
    assert_non_null(report_sheet(result));
    if (!sheet_of_report(&sheet, result, &status))
        fail_msg("\"%s\": %s", line, status.message);
    return sheet;
}

const struct sheet_cell *sheet_cell_at(const struct sheet *sheet, int row, const char *title,
                                       int which)
{
    for (int c = 0; c < sheet->column_count; c++)
        if (strcmp(sheet->columns[c].title, title) == 0 && which-- == 0)
            return &sheet->cells[row * sheet->column_count + c];
    fail_msg("no column \"%s\"", title);
    return NULL;
}

void sheet_check_text(const struct sheet *sheet, int row, const char *title, const char *text)
{
    assert_string_equal(sheet_cell_at(sheet, row, title, 0)->text, text);
}

/* Checks the exact number and its text with that many decimals. */
void sheet_check_number(const struct sheet *sheet, int row, const char *title, int which,
                        double number, int decimals)
{
    const struct sheet_cell *cell = sheet_cell_at(sheet, row, title, which);
    assert_true(cell->number == number);
    assert_true(fabs(strtod(cell->text, NULL) - number) <= 0.5000001 * pow(10, -decimals));
    const char *point = strchr(cell->text, '.');
    assert_int_equal(point ? strlen(point + 1) : 0, decimals);
}

struct report sheet_enter(struct bench *bench, const struct sheet *sheet, int row)
{
    struct report result = {0};
    assert_non_null(sheet->commands[row]);
    char *lines = strdup(sheet->commands[row]), *rest = lines;
    assert_non_null(lines);
    for (char *line; (line = strsep(&rest, "\n"));) {
        report_free(&result);
        result = bench_run(bench, line);
    }
    free(lines);
    return result;
}

void sheet_check_p(const struct sheet *sheet, int row, const char *title, double p)
{
    char text[40];
    const struct sheet_cell *cell = sheet_cell_at(sheet, row, title, 0);
    snprintf(text, sizeof text, p < 0.001 ? "<0.001" : "%.3f", p);
    assert_true(cell->number == p);
    assert_string_equal(cell->text, text);
}

bool sheet_has_note(const struct sheet *sheet, const char *part)
{
    for (int i = 0; i < sheet->note_count; i++)
        if (strstr(sheet->notes[i], part))
            return true;
    return false;
}
