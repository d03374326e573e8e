#include "tui/screen/draw/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "terminal/text/display.h"
#include "tui/manual/key_table.h"
#include "tui/screen/action/act.h"
#include "tui/screen/canvas/style.h"
#include "tui/screen/line/line.h"

/* The program's own texts in ASCII, for terminals that support nothing else (`--ascii`). */

static const struct {
    const char *sign, *ascii;
} signs[] = {
    {"\xe2\x86\x90\xe2\x86\x92", "<>"}, // ←→ of keys
    {"\xe2\x86\x91\xe2\x86\x93", "^v"}, // ↑↓
    {"\xe2\x86\x90", "<-"},             // ←
    {"\xe2\x86\x92", "->"},             // →
    {"\xe2\x86\x91", "^"},              // ↑
    {"\xe2\x86\x93", "v"},              // ↓
    {"\xc3\x97", "x"},                  // ×
    {"\xe2\x80\xa6", "~"},              // …
    {"\xe2\x88\x92", "-"},              // −
    {"\xce\xbb", "lambda"},             // λ
    {"\xe2\x96\x88", "#"},              // █ of progress
    {"\xe2\x96\x91", "."},              // ░
};

static const char *sign_at(const char *text, size_t *bytes)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        *bytes = strlen(signs[i].sign);
        if (strncmp(text, signs[i].sign, *bytes) == 0)
            return signs[i].ascii;
    }
    return NULL;
}

/* Copies a text. With screen_style->ascii, the arrows and other signs that the program writes
 * become ASCII, such as "->" and "x"; what users and models wrote is kept. The caller frees it;
 * NULL: out of memory. */
static char *own_text(const struct screen_style *screen_style, const char *text)
{
    struct written written;
    size_t bytes;
    if (!screen_style->ascii)
        return strdup(text);
    FILE *stream = written_open(&written);
    while (stream && *text) {
        const char *ascii = sign_at(text, &bytes);
        if (ascii)
            fputs(ascii, stream);
        else
            fputc(*text, stream);
        text += ascii ? bytes : 1;
    }
    return stream ? written_close(&written) : NULL;
}

int put_left(struct screen *screen, int row, int column, int columns, struct style style,
             const char *text)
{
    char *own = own_text(&screen->style, text);
    int width = own ? canvas_put(&screen->canvas, row, column, columns, style, own) : 0;
    free(own);
    return width;
}

int put_right(struct screen *screen, int row, int end, int columns, struct style style,
              const char *text)
{
    char *own = own_text(&screen->style, text);
    int width = own ? display_width(own) : 0;
    width = width < columns ? width : columns;
    if (own && width > 0)
        canvas_put(&screen->canvas, row, end - width, width, style, own);
    free(own);
    return end - width;
}

int put_wrapped(struct screen *screen, struct area area, struct style style, const char *text)
{
    int width = 0;
    for (int row = 0; row < area.rows && *text; row++) {
        size_t next = strlen(text), bytes = next;
        if (row + 1 < area.rows)
            bytes = display_line(text, area.columns, &next);
        char *line = strndup(text, bytes);
        int columns =
            line ? put_left(screen, area.row + row, area.column, area.columns, style, line) : 0;
        width = columns > width ? columns : width;
        free(line);
        text += next;
    }
    return width;
}

/* The line of keys ----------------------------------------------------------------------------- */

static const struct style faint = {.ink = INK_FAINT}, accent = {.ink = INK_ACCENT};

/* Draws the name of what has the focus in front of its keys. Returns the remaining area. */
static struct area draw_focus(struct screen *screen, struct area area, const char *name)
{
    int used = 1 + put_left(screen, area.row, area.column + 1, area.columns - 2, accent, name);
    return (struct area){area.row, area.column + used + 1, area.rows, area.columns - used - 1};
}

/* Returns the columns of a key in the line with the blanks after it; 0: the line omits it. */
static int key_columns(const struct screen *screen, const struct key_entry *key)
{
    bool there = key->brief && key->contexts & screen_context(screen) &&
                 !(key->contexts & screen_waiting(screen)) && key->action != ACTION_HELP &&
                 act_works(screen, key);
    return there ? display_width(key->brief) + 2 : 0;
}

static int rank_of(const struct key_entry *key)
{
    return key->contexts & BRIEF_LAST ? 2 : key->contexts & BRIEF_LATER ? 1 : 0;
}

static int rank_columns(const struct screen *screen, int rank)
{
    int columns = 0;
    for (int i = 0; i < key_count; i++)
        if (rank_of(&key_table[i]) == rank)
            columns += key_columns(screen, &key_table[i]);
    return columns;
}

/* Draws whole ranks while they fit, then those keys of the next rank that fit; "? help" is always
 * shown. */
static void draw_view_keys(struct screen *screen, struct area area)
{
    enum { RANKS = 3 };
    static const char help[] = "? help";
    int rank = 0, column = area.column + 1, room = area.columns - 2 - (int)strlen(help);
    for (; rank < RANKS && rank_columns(screen, rank) <= room; rank++)
        room -= rank_columns(screen, rank);
    for (int i = 0; i < key_count; i++) {
        const struct key_entry *key = &key_table[i];
        int columns = key_columns(screen, key);
        if (!columns || rank_of(key) > rank || (rank_of(key) == rank && columns > room))
            continue;
        room -= rank_of(key) == rank ? columns : 0;
        column += put_left(screen, area.row, column, columns, faint, key->brief) + 2;
    }
    put_left(screen, area.row, column, area.column + area.columns - column, faint, help);
}

/* Draws how many lines wait, and the first one. Returns the remaining area. */
static struct area draw_waiting(struct screen *screen, struct area area)
{
    const struct work *work = &screen->work;
    char text[sizeof work->next + 40];
    if (!work->waiting)
        return area;
    snprintf(text, sizeof text, "%d wait%s: %s", work->waiting, work->waiting > 1 ? "" : "s",
             work->next);
    int end = area.column + area.columns - 1;
    area.columns = put_right(screen, area.row, end, area.columns / 3, accent, text) - area.column;
    return area;
}

/* True if ← → and Tab belong to the view. */
static bool decides(const struct screen *screen)
{
    bool line = screen->typing == TYPING_PROMPT || screen->typing == TYPING_COMMAND;
    return line && line_empty() && screen->frame->kind != FRAME_EMPTY;
}

/* While something is typed, the keys are those of the input line. */
void draw_keys(struct screen *screen, struct area area)
{
    static const char first[] = "Esc \xe2\x86\x90\xe2\x86\x92\xe2\x86\x93 Tab Enter view  "
                                "\xe2\x86\x91 history  PgUp PgDn scroll  "
                                ":help commands";
    static const char line[] = "Esc view  Enter run  Tab complete  \xe2\x86\x91 history";
    static const struct {
        const char *name, *keys;
    } focus[] = {[TYPING_NOTHING] = {"view", NULL},
                 [TYPING_PROMPT] = {"prompt", line},
                 [TYPING_COMMAND] = {"command", line},
                 [TYPING_SEARCH] = {"search", "Esc view  Enter search  \xe2\x86\x91 history"},
                 [TYPING_DOUBT] = {"question", "y yes  t translate  Enter or Esc back to the line"},
                 [TYPING_ANSWER] = {"question", "y Enter yes  Enter or Esc no"}};
    if (!area.rows)
        return;
    struct area rest = draw_focus(screen, draw_waiting(screen, area), focus[screen->typing].name);
    if (screen->typing == TYPING_NOTHING)
        draw_view_keys(screen, rest);
    else
        put_left(screen, rest.row, rest.column + 1, rest.columns - 2, faint,
                 decides(screen) ? first : focus[screen->typing].keys);
}
