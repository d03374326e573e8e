#include "tui/screen/canvas/find_mark.h"

#include "tui/screen/canvas/find.h"
#include "tui/text/display.h"

/* Advances to the grapheme that contains byte `to`, or (`over`) past the one that contains the byte
 * before it. */
static void walk(const char **at, int *column, const char *to, bool over)
{
    int width;
    size_t bytes;
    while (*at < to && (bytes = display_grapheme(*at, &width)) > 0 && (over || *at + bytes <= to)) {
        *column += width;
        *at += bytes;
    }
}

/* Columns from … to (outside) of the text. */
static void mark(struct canvas *canvas, struct area area, int left, int from, int to,
                 struct style style)
{
    from = from > left ? from - left : 0;
    to = to - left < area.columns ? to - left : area.columns;
    canvas_restyle(canvas, (struct area){area.row, area.column + from, 1, to - from}, style);
}

void find_mark(struct canvas *canvas, struct area area, const char *text, int left,
               const char *search, struct style style)
{
    size_t length;
    int column = 0;
    const char *walked = text, *at = text;
    if (!search || !*search)
        return;
    for (; (at = find_in(at, search, &length)) && column < left + area.columns; at += length) {
        walk(&walked, &column, at, false);
        int from = column;
        walk(&walked, &column, at + length, true);
        mark(canvas, area, left, from, column, style);
    }
}
