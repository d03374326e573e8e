#include "tui/screen/draw/put.h"

#include <stdlib.h>
#include <string.h>

#include "tui/screen/canvas/own.h"
#include "tui/text/display.h"

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
