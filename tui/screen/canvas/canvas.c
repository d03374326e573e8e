#include "tui/screen/canvas/canvas.h"

#include <stdlib.h>
#include <string.h>

#include "terminal/text/display.h"

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

static bool continues(const struct cell *cell)
{
    return cell && !*cell->text;
}

static void blank_cell(struct cell *cell)
{
    memcpy(cell->text, blank.text, CELL_BYTES);
}

/* Blanks what remains of graphemes that columns … column + width - 1 are about to cover in part. */
static void make_room(const struct canvas *canvas, int row, int column, int width)
{
    struct cell *cell;
    if (continues(canvas_cell(canvas, row, column)))
        for (int c = column - 1; (cell = canvas_cell(canvas, row, c)); c--) {
            bool first = *cell->text;
            blank_cell(cell);
            if (first)
                break;
        }
    for (int c = column + width; continues(cell = canvas_cell(canvas, row, c)); c++)
        blank_cell(cell);
}

/* True for embeddings, overrides and isolates, U+202A-202E and U+2066-2069, which would reverse the
 * rest of the row. */
static bool turns_around(const char *character, size_t bytes)
{
    return bytes == 3 && ((memcmp(character, "\xE2\x80\xAA", 3) >= 0 &&
                           memcmp(character, "\xE2\x80\xAE", 3) <= 0) ||
                          (memcmp(character, "\xE2\x81\xA6", 3) >= 0 &&
                           memcmp(character, "\xE2\x81\xA9", 3) <= 0));
}

/* Writes the grapheme to its cell, without characters that change direction. If it is too long,
 * only its first characters are kept; the rest are combining marks that could not be told apart
 * anyway. */
static void set_grapheme(struct cell *cell, const char *text, size_t bytes)
{
    size_t used = 0;
    for (size_t at = 0, length; at < bytes; at += length) {
        length = 1;
        while (at + length < bytes && ((unsigned char)text[at + length] & 0xC0) == 0x80)
            length++;
        if (turns_around(text + at, length))
            continue;
        if (used + length >= CELL_BYTES)
            break;
        memcpy(cell->text + used, text + at, length);
        used += length;
    }
}

static void put_grapheme(struct canvas *canvas, int row, int column, int width, struct style style,
                         const char *text, size_t bytes)
{
    bool whole = canvas_cell(canvas, row, column) && canvas_cell(canvas, row, column + width - 1);
    make_room(canvas, row, column, width);
    for (int i = 0; i < width; i++) {
        struct cell *cell = canvas_cell(canvas, row, column + i);
        if (!cell)
            continue;
        *cell = (struct cell){.style = style};
        if (!whole)
            cell->text[0] = ' ';
        else if (i == 0)
            set_grapheme(cell, text, bytes);
    }
}

/* Puts the graphemes that fit into `columns` and returns their width; *rest: the text after them. A
 * text without a visible character is skipped. */
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

/* Nearly all texts are clean and need no copy, which matters with thousands of cells on a
 * screen. */
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
