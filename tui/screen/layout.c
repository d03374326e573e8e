/* Where the parts of the screen are. */
#include "tui/screen/layout.h"

#include "tui/display.h"
#include "tui/screen/line.h"

enum {
    SIDE_COLUMNS = 29,
    LEAST_WITH_SIDE = 68,  // columns
    LEAST_WITH_LINES = 16, // rows: lines between the parts
    LEAST_WITH_KEYS = 13,
    LEAST_WITH_WRAPPING = 20,
    MOST_TYPED = 3 // rows
};

/* Takes rows from the top or the bottom of what is left; none where fewer than the view needs would stay. */
static struct area take(struct area *left, int rows, bool bottom)
{
    enum { LEAST_VIEW = 2 };
    struct area part = *left;
    part.rows = left->rows - rows >= LEAST_VIEW ? rows : 0;
    left->rows -= part.rows;
    if (bottom)
        part.row = left->row + left->rows;
    else
        left->row += part.rows;
    return part;
}

static int text_rows(const char *text, int columns, bool wrapping)
{
    if (!text)
        return 0;
    return wrapping && columns > 0 && display_width_within(text, columns) > columns ? 2 : 1;
}

void layout_make(const struct screen *screen, struct layout *layout)
{
    const struct frame *frame = screen->frame;
    int rows = screen->canvas.rows, columns = screen->canvas.columns;
    struct area left = {0, 0, rows, columns};
    bool lines = rows >= LEAST_WITH_LINES, wrapping = rows >= LEAST_WITH_WRAPPING;
    int text_columns = columns - LAYOUT_TEXT_COLUMN - 1;
    int beside = columns >= LAYOUT_LEAST_WITH_ASIDE ? text_columns - LAYOUT_ASIDE : text_columns;
    int typed = screen->typing != TYPING_NOTHING ? line_rows(columns, MOST_TYPED) : 1;
    *layout = (struct layout){.map_layer = layout->map_layer};
    layout->bottom = take(&left, typed, true);
    layout->header = take(&left, 1, false);
    layout->source = take(
        &left, text_rows(frame->source, frame->sentences ? beside : text_columns, wrapping), false);
    layout->target = take(&left, text_rows(frame->target, beside, wrapping), false);
    if (wrapping)
        layout->reference = take(&left, text_rows(frame->reference, text_columns, wrapping), false);
    layout->keys = take(&left, rows >= LEAST_WITH_KEYS, true);
    layout->detail = take(&left, 1, true);
    layout->line[0] = take(&left, lines, false);
    layout->line[1] = take(&left, lines, true);
    layout->title = take(&left, 1, false);
    if (frame->kind == FRAME_PICTURE && columns >= LEAST_WITH_SIDE) {
        layout->side = left;
        layout->side.columns = SIDE_COLUMNS;
        layout->side.column = columns - SIDE_COLUMNS;
        left.columns -= SIDE_COLUMNS + 1;
    }
    left.column = columns > 0;
    left.columns -= columns > 0;
    layout->view = left;
}
