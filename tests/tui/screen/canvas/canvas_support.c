#include "tests/tui/screen/canvas/canvas_support.h"
#include "tests/support/test.h"

static const struct cell canary = {.text = "¤", .style = {.ink = INK_WARN, .underline = true}};

static bool inside(struct area area, int row, int column)
{
    return row >= area.row && row < area.row + area.rows && column >= area.column &&
           column < area.column + area.columns;
}

struct canvas canvas_with_canary(int rows, int columns, struct area area)
{
    struct canvas canvas = {0};
    struct status status;
    assert_true(canvas_resize(&canvas, rows, columns, &status));
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            if (!inside(area, row, column))
                *canvas_cell(&canvas, row, column) = canary;
    return canvas;
}

/* The left half of a wide character must be followed by its right half, inside the area. */
static void check_halves(const struct canvas *canvas, struct area area, int row, int column)
{
    const struct cell *before =
        inside(area, row, column - 1) ? canvas_cell(canvas, row, column - 1) : NULL;
    if (!*canvas_cell(canvas, row, column)->text && (!before || !*before->text))
        fail_msg("row %d, column %d: half a character", row, column);
}

void canvas_check_canary(const struct canvas *canvas, struct area area)
{
    for (int row = 0; row < canvas->rows; row++)
        for (int column = 0; column < canvas->columns; column++) {
            const struct cell *cell = canvas_cell(canvas, row, column);
            if (inside(area, row, column))
                check_halves(canvas, area, row, column);
            else if (strcmp(cell->text, canary.text) != 0 || cell->style.ink != INK_WARN ||
                     cell->style.reverse || !cell->style.underline || cell->style.filled)
                fail_msg("row %d, column %d, outside of the area, is \"%s\"", row, column,
                         cell->text);
        }
}

const char *canvas_text(const struct canvas *canvas, int row, int column, int columns)
{
    static char text[65536];
    char *end = text;
    *end = '\0';
    for (int c = column; c < column + columns; c++) {
        const struct cell *cell = canvas_cell(canvas, row, c);
        assert_non_null(cell);
        assert_true(end + CELL_BYTES < text + sizeof text);
        end = stpcpy(end, cell->text);
    }
    return text;
}
