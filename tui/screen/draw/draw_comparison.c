#include "tui/screen/draw/draw_comparison.h"

#include <stdlib.h>
#include <string.h>

#include "tui/screen/draw/put.h"
#include "tui/text/edit_lines.h"

static const struct style looks[EDIT_KINDS] = {
    {.ink = INK_NORMAL},
    {.ink = INK_MARK},
    {.ink = INK_WARN},
    {.ink = INK_MARK},
};
static const struct style faint = {.ink = INK_FAINT};

struct place {
    struct screen *screen;
    struct area area;
    int row;
};

static void put_word(void *data, int column, enum edit_kind kind, const char *text, size_t bytes)
{
    const struct place *place = data;
    char *word = strndup(text, bytes);
    if (word)
        canvas_put(&place->screen->canvas, place->row, place->area.column + column,
                   place->area.columns - column, looks[kind], word);
    free(word);
}

/* The lines that are drawn where there is no room for all of them: from that with the first difference on, or as many
 * as there are at the end. */
static struct edit_line first_line(const struct comparison *comparison, const char *const texts[2],
                                   int columns, int lines)
{
    const struct edit_script *script = &comparison->script;
    struct edit_line line = edit_line_from(script, texts, 0, columns);
    int left = layout_comparison_lines(comparison, columns);
    for (; left > lines; left--) {
        for (int i = line.first; i < line.end; i++)
            if (script->edits[i].kind != EDIT_KEPT)
                return line;
        line = edit_line_from(script, texts, line.end, columns);
    }
    return line;
}

/* Marks that there are words to the left or to the right of what is shown. */
static void put_cut(struct screen *screen, int row, int column)
{
    put_left(screen, row, column, 1, faint, "\xe2\x80\xa6");
}

void draw_comparison(struct screen *screen, const struct comparison *comparison, int texts_shown,
                     struct area area, int title)
{
    const char *const texts[2] = {comparison->texts[0], comparison->texts[1]};
    int count = comparison->script.count, lines = area.rows / texts_shown;
    struct edit_line line = first_line(comparison, texts, area.columns, lines);
    struct place place = {screen, area, area.row};
    for (int i = 0; i < lines; i++) {
        for (int side = 2 - texts_shown; side < 2; side++, place.row++) {
            bool before = i == 0 && line.first > 0, after = i == lines - 1 && line.end < count;
            if (i == 0)
                canvas_put(&screen->canvas, place.row, title, area.column - title - 1, faint,
                           comparison->titles[side]);
            if (before)
                put_cut(screen, place.row, area.column - 1);
            edit_line_put(&comparison->script, texts, line, side, put_word, &place);
            if (after)
                put_cut(screen, place.row, area.column + area.columns);
        }
        if (line.end == count)
            return;
        line = edit_line_from(&comparison->script, texts, line.end, area.columns);
    }
}
