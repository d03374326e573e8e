/* Draws the input line (line.h). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <readline/readline.h>

#include "terminal/text/display.h"
#include "tui/screen/line/line.h"

/* Prompt and text, without control characters. */
struct shown {
    char *parts[2];
    size_t cursor; // byte of parts[1]
};

/* Where the next character goes, in rows of `columns`. */
struct place {
    int row, column;
};

static void shown_free(struct shown *shown)
{
    free(shown->parts[0]);
    free(shown->parts[1]);
}

static bool shown_make(struct shown *shown)
{
    char *before = strndup(rl_line_buffer ? rl_line_buffer : "", (size_t)rl_point);
    char *clean = before ? display_clean(before) : NULL;
    *shown = (struct shown){{display_clean(rl_display_prompt ? rl_display_prompt : ""),
                             display_clean(rl_line_buffer ? rl_line_buffer : "")},
                            clean ? strlen(clean) : 0};
    bool ok = clean && shown->parts[0] && shown->parts[1];
    free(before);
    free(clean);
    if (!ok)
        shown_free(shown);
    return ok;
}

/* Returns where a character of that width goes, on the next row if this one is full, and advances
 * past it. */
static struct place put_width(struct place *next, int width, int columns)
{
    if (next->column > 0 && next->column + width > columns)
        *next = (struct place){next->row + 1, 0};
    struct place place = *next;
    next->column += width;
    return place;
}

/* Calls `put` (if not NULL) for every character. Returns where the cursor is; *last: the end of the
 * text. */
typedef void put_character(void *context, struct place place, int width, int part, const char *text,
                           size_t bytes);
static struct place lay_out(const struct shown *shown, int columns, put_character *put,
                            void *context, struct place *last)
{
    struct place next = {0}, cursor = {0};
    bool found = false;
    for (int part = 0; part < 2; part++) {
        const char *text = shown->parts[part];
        size_t at = 0, bytes;
        int width;
        for (; (bytes = display_grapheme(text + at, &width)) > 0; at += bytes) {
            struct place place = put_width(&next, width, columns);
            if (part == 1 && !found && shown->cursor < at + bytes) {
                cursor = place;
                found = true;
            }
            if (put)
                put(context, place, width, part, text + at, bytes);
        }
    }
    *last = put_width(&next, 1, columns);
    return found ? cursor : *last;
}

int line_rows(int columns, int most)
{
    struct shown shown;
    struct place last;
    if (columns < 1 || !shown_make(&shown))
        return 1;
    lay_out(&shown, columns, NULL, NULL, &last);
    shown_free(&shown);
    int rows = last.row + 1;
    return rows < most ? rows : most > 1 ? most : 1;
}

/* Drawing -------------------------------------------------------------------------------------- */

/* Puts whole rows of blanks: canvas_repeat would clean every character separately. */
static void clear_area(struct canvas *canvas, struct area area)
{
    char *blanks = NULL;
    if (asprintf(&blanks, "%*s", area.columns, "") < 0)
        return;
    for (int i = 0; i < area.rows; i++)
        canvas_put(canvas, area.row + i, area.column, area.columns, (struct style){0}, blanks);
    free(blanks);
}

struct pen {
    struct canvas *canvas;
    struct area area;
    struct place first; // shown at the area's beginning
};

static void draw_character(void *context, struct place place, int width, int part, const char *text,
                           size_t bytes)
{
    static const enum ink inks[] = {INK_STRONG, INK_NORMAL};
    const struct pen *pen = context;
    int row = place.row - pen->first.row, column = place.column - pen->first.column;
    char *copy =
        row >= 0 && row < pen->area.rows && column >= 0 && column + width <= pen->area.columns
            ? strndup(text, bytes)
            : NULL;
    if (copy)
        canvas_put(pen->canvas, pen->area.row + row, pen->area.column + column, width,
                   (struct style){.ink = inks[part]}, copy);
    free(copy);
}

/* In an area of one row, the text scrolls sideways by half its width, so that some text before the
 * cursor stays visible. */
static struct place scroll_columns(struct place cursor, int columns)
{
    int half = columns > 1 ? columns / 2 : 1;
    int hidden = cursor.column < columns ? 0 : (cursor.column - columns) / half + 1;
    return (struct place){0, hidden * half};
}

static struct place scroll_rows(struct place cursor, int rows)
{
    return (struct place){cursor.row < rows ? 0 : cursor.row - rows + 1, 0};
}

/* Wider than any line: readline counts bytes in an int, and no byte is wider than one column. */
enum { ENDLESS = 0x3FFFFFFF };

void line_draw(struct canvas *canvas, struct area area, int *row, int *column)
{
    struct shown shown;
    struct place last;
    *row = area.row;
    *column = area.column;
    if (area.rows < 1 || area.columns < 1 || !shown_make(&shown))
        return;
    int columns = area.rows > 1 ? area.columns : ENDLESS;
    struct place cursor = lay_out(&shown, columns, NULL, NULL, &last);
    struct pen pen = {canvas, area,
                      area.rows > 1 ? scroll_rows(cursor, area.rows)
                                    : scroll_columns(cursor, area.columns)};
    clear_area(canvas, area);
    lay_out(&shown, columns, draw_character, &pen, &last);
    *row += cursor.row - pen.first.row;
    *column += cursor.column - pen.first.column;
    shown_free(&shown);
}

/* Offers --------------------------------------------------------------------------------------- */

/* A table of words in columns of equal width. `more` words do not fit; the last row counts them. */
struct offer_table {
    int width, columns, rows, more;
};

static struct offer_table offer_table(const struct strings *words, const struct area *area)
{
    int widest = 0;
    for (int i = 0; i < words->count; i++) {
        int width = display_width(words->text[i]);
        widest = width > widest ? width : widest;
    }
    struct offer_table table = {.width = widest + 2};
    table.columns = table.width < area->columns ? area->columns / table.width : 1;
    table.rows = (words->count + table.columns - 1) / table.columns;
    if (table.rows > area->rows) {
        table.rows = area->rows;
        table.more = words->count - (table.rows - 1) * table.columns;
    }
    return table;
}

/* Filled column by column, as readline lists completions. */
static void draw_offers(struct canvas *canvas, struct area area, const struct strings *words,
                        const struct offer_table *table)
{
    int height = table->rows - (table->more > 0), shown = words->count - table->more;
    for (int i = 0; i < shown; i++)
        canvas_put(canvas, area.row + i % height, area.column + i / height * table->width,
                   area.columns - i / height * table->width, (struct style){0}, words->text[i]);
    if (!table->more)
        return;
    char text[32];
    snprintf(text, sizeof text, shown ? "and %d more" : "%d words", table->more);
    canvas_put(canvas, area.row + height, area.column, area.columns,
               (struct style){.ink = INK_FAINT}, text);
}

int line_draw_offers(struct canvas *canvas, struct area area)
{
    const struct strings *words = line_offers();
    if (words->count == 0 || area.rows < 1 || area.columns < 1)
        return 0;
    struct offer_table table = offer_table(words, &area);
    struct area used = {area.row + area.rows - table.rows, area.column, table.rows, area.columns};
    clear_area(canvas, used);
    draw_offers(canvas, used, words, &table);
    return table.rows;
}
