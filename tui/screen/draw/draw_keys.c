#include "tui/screen/draw/draw_keys.h"

#include <string.h>

#include "tui/manual/key_table.h"
#include "tui/screen/draw/put.h"
#include "tui/screen/line/line.h"
#include "tui/text/display.h"

static const struct style faint = {.ink = INK_FAINT}, accent = {.ink = INK_ACCENT};

/* Draws the name of what has the focus, in front of its keys. Returns the area that is left. */
static struct area draw_focus(struct screen *screen, struct area area, const char *name)
{
    int used = 1 + put_left(screen, area.row, area.column + 1, area.columns - 2, accent, name);
    return (struct area){area.row, area.column + used + 1, area.rows, area.columns - used - 1};
}

/* Columns of a key in the line, with the blanks after it; 0: the line leaves it out. */
static int key_columns(const struct key_entry *key, unsigned context)
{
    bool there = key->brief && key->contexts & context && key->action != ACTION_HELP;
    return there ? display_width(key->brief) + 2 : 0;
}

static int rank_of(const struct key_entry *key)
{
    return key->contexts & BRIEF_LAST ? 2 : key->contexts & BRIEF_LATER ? 1 : 0;
}

static int rank_columns(int rank, unsigned context)
{
    int columns = 0;
    for (int i = 0; i < key_count; i++)
        if (rank_of(&key_table[i]) == rank)
            columns += key_columns(&key_table[i], context);
    return columns;
}

/* Whole ranks while they fit, then those keys of the next rank that fit; "? help" is always
 * shown. */
static void draw_view_keys(struct screen *screen, struct area area)
{
    enum { RANKS = 3 };
    static const char help[] = "? help";
    unsigned context = screen_context(screen);
    int rank = 0, column = area.column + 1, room = area.columns - 2 - (int)strlen(help);
    for (; rank < RANKS && rank_columns(rank, context) <= room; rank++)
        room -= rank_columns(rank, context);
    for (int i = 0; i < key_count; i++) {
        const struct key_entry *key = &key_table[i];
        int columns = key_columns(key, context);
        if (!columns || rank_of(key) > rank || (rank_of(key) == rank && columns > room))
            continue;
        room -= rank_of(key) == rank ? columns : 0;
        column += put_left(screen, area.row, column, columns, faint, key->brief) + 2;
    }
    put_left(screen, area.row, column, area.column + area.columns - column, faint, help);
}

/* True if ← → and Tab are for the view. */
static bool decides(const struct screen *screen)
{
    bool line = screen->typing == TYPING_PROMPT || screen->typing == TYPING_COMMAND;
    return line && line_empty() && screen->frame->kind != FRAME_EMPTY;
}

/* While something is typed, the keys are those of the input line. */
void draw_keys(struct screen *screen, struct area area)
{
    static const char first[] =
        "Esc \xe2\x86\x90\xe2\x86\x92 Tab view  \xe2\x86\x91 history  PgUp PgDn scroll  "
        ":help commands";
    static const char line[] = "Esc view  Enter run  Tab complete  \xe2\x86\x91 history";
    static const struct {
        const char *name, *keys;
    } focus[] = {[TYPING_NOTHING] = {"view", NULL},
                 [TYPING_PROMPT] = {"prompt", line},
                 [TYPING_COMMAND] = {"command", line},
                 [TYPING_SEARCH] = {"search", "Esc view  Enter search  \xe2\x86\x91 history"},
                 [TYPING_ANSWER] = {"question", "y Enter yes  Enter or Esc no"}};
    if (!area.rows)
        return;
    struct area rest = draw_focus(screen, area, focus[screen->typing].name);
    if (screen->typing == TYPING_NOTHING)
        draw_view_keys(screen, rest);
    else
        put_left(screen, rest.row, rest.column + 1, rest.columns - 2, faint,
                 decides(screen) ? first : focus[screen->typing].keys);
}
