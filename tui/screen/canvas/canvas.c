#include "tui/screen/canvas/canvas.h"

#include <stdlib.h>
#include <string.h>

#include "tui/text/display.h"

#define ELLIPSIS "\xE2\x80\xA6"

static const struct cell blank = {.text = " "};

bool canvas_resize(struct canvas *canvas, int rows, int columns, struct status *status)
{
    size_t count;
    rows = rows > 0 ? rows : 0;
    columns = columns > 0 ? columns : 0;
    if (!size_multiply((size_t)rows, (size_t)columns, &count))
        return status_fail(status, STATUS_MEMORY, "a screen of %d x %d is too large", rows,
                           columns);
    if (rows != canvas->rows || columns != canvas->columns || !canvas->cells) {
        struct cell *cells = memory_new(count, sizeof *cells, status);
        if (!cells)
            return false;
        free(canvas->cells);
        canvas->cells = cells;
        canvas->rows = rows;
        canvas->columns = columns;
    }
    for (size_t i = 0; i < count; i++)
        canvas->cells[i] = blank;
    return true;
}

void canvas_free(struct canvas *canvas)
{
    free(canvas->cells);
    *canvas = (struct canvas){.ascii = canvas->ascii};
}

struct cell *canvas_cell(const struct canvas *canvas, int row, int column)
{
    if (row < 0 || row >= canvas->rows || column < 0 || column >= canvas->columns)
        return NULL;
    return &canvas->cells[(size_t)row * (size_t)canvas->columns + (size_t)column];
}

/* Blanks the other half of a wide character that is overwritten. */
static void blank_half(const struct canvas *canvas, int row, int column)
{
    struct cell *cell = canvas_cell(canvas, row, column);
    if (cell)
        memcpy(cell->text, blank.text, CELL_BYTES);
}

static void make_room(const struct canvas *canvas, int row, int column, int width)
{
    const struct cell *first = canvas_cell(canvas, row, column);
    const struct cell *after = canvas_cell(canvas, row, column + width);
    if (first && !*first->text)
        blank_half(canvas, row, column - 1);
    if (after && !*after->text)
        blank_half(canvas, row, column + width);
}

static void set_cell(struct cell *cell, struct style style, const char *text, size_t bytes)
{
    *cell = (struct cell){.style = style};
    memcpy(cell->text, text, bytes);
}

/* Bytes of a grapheme that fit into a cell: of a long one, whole characters from its beginning. What is left out are
 * combining marks that could not be told apart anyway. */
static size_t fitting(const char *text, size_t bytes)
{
    if (bytes < CELL_BYTES)
        return bytes;
    bytes = CELL_BYTES - 1;
    while (bytes > 0 && ((unsigned char)text[bytes] & 0xC0) == 0x80)
        bytes--;
    return bytes;
}

static void put_grapheme(struct canvas *canvas, int row, int column, int width, struct style style,
                         const char *text, size_t bytes)
{
    struct cell *first = canvas_cell(canvas, row, column);
    struct cell *second = width == 2 ? canvas_cell(canvas, row, column + 1) : NULL;
    bool halved = width == 2 && (!first || !second);
    make_room(canvas, row, column, width);
    if (first && halved)
        set_cell(first, style, " ", 1);
    else if (first)
        set_cell(first, style, text, fitting(text, bytes));
    if (second && halved)
        set_cell(second, style, " ", 1);
    else if (second)
        set_cell(second, style, "", 0);
}

/* Puts the graphemes that fit into `columns`; returns their width, *rest: the text after them. Characters of width
 * 0, such as a mark without a letter, are left out. */
static int put_part(struct canvas *canvas, int row, int column, int columns, struct style style,
                    const char *text, const char **rest)
{
    int used = 0, width;
    size_t bytes;
    while ((bytes = display_grapheme(text, &width)) > 0 && used + width <= columns) {
        if (width > 0)
            put_grapheme(canvas, row, column + used, width, style, text, bytes);
        used += width;
        text += bytes;
    }
    *rest = text;
    return used;
}

static int put_clean(struct canvas *canvas, int row, int column, int columns, struct style style,
                     const char *text)
{
    const char *rest;
    bool whole = display_width_within(text, columns) <= columns;
    int used = put_part(canvas, row, column, whole ? columns : columns - 1, style, text, &rest);
    if (!whole)
        used +=
            put_part(canvas, row, column + used, 1, style, canvas->ascii ? "~" : ELLIPSIS, &rest);
    return used;
}

/* Nearly all texts are clean already and need no copy, which counts with thousands of cells on a screen. */
int canvas_put(struct canvas *canvas, int row, int column, int columns, struct style style,
               const char *text)
{
    if (columns <= 0)
        return 0;
    if (display_is_clean(text))
        return put_clean(canvas, row, column, columns, style, text);
    char *clean = display_clean(text);
    int used = clean ? put_clean(canvas, row, column, columns, style, clean) : 0;
    free(clean);
    return used;
}

void canvas_repeat(struct canvas *canvas, int row, int column, int columns, struct style style,
                   const char *text)
{
    for (int i = 0; i < columns; i++)
        canvas_put(canvas, row, column + i, 1, style, text);
}

void canvas_restyle(struct canvas *canvas, struct area area, struct style style)
{
    for (int i = 0; i < area.rows; i++)
        for (int j = 0; j < area.columns; j++) {
            struct cell *cell = canvas_cell(canvas, area.row + i, area.column + j);
            if (cell)
                cell->style = style;
        }
}
