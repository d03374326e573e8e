#include "report/comparison.h"
#include "tui/screen/state/state.h"

#include "terminal/text/display.h"
#include "terminal/text/edit_script.h"

enum {
    SIDE_COLUMNS = 29,
    SIDE_ALWAYS = 100,     // columns of a screen that has room for it beside anything
    LEAST_WITH_LINES = 16, // rows, for lines between the parts
    LEAST_WITH_KEYS = 13,
    LEAST_WITH_BOTH = 16, // for two translations, one above the other
    LEAST_WITH_WRAPPING = 20,
    LEAST_WITH_TOKENS = 30 // for what a change did to each token
};

/* Takes rows from the top or bottom of the remaining area, or none if that leaves too few for the
 * view. */
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

/* Maximum lines of a long text: more on taller screens. */
static int most_lines(int rows)
{
    return rows < LEAST_WITH_WRAPPING ? 1 : 2 + (rows - LEAST_WITH_WRAPPING) / 10;
}

static int text_rows(const char *text, int columns, int rows)
{
    return !text ? 0 : columns > 0 ? display_lines(text, columns, most_lines(rows)) : 1;
}

int layout_comparison_lines(const struct comparison *comparison, int columns)
{
    const char *const texts[2] = {comparison->texts[0], comparison->texts[1]};
    int lines = 0, first = 0;
    do
        first = edit_line_from(&comparison->script, texts, first, columns).end;
    while (++lines && first < comparison->script.count);
    return lines;
}

/* Returns how many translations of a comparison (NULL: none) are shown. Low screens show only the
 * second, with marks, if it has changed or inserted words; otherwise none, because gaps would take
 * its room. */
static int texts_compared(const struct comparison *comparison, int rows)
{
    if (!comparison || rows >= LEAST_WITH_BOTH)
        return comparison ? 2 : 0;
    const int *counts = comparison->script.counts;
    return counts[EDIT_CHANGED] + counts[EDIT_INSERTED] > 0;
}

/* Returns the lines shown of two translations: taller screens show more of long ones. */
static int comparison_lines(const struct comparison *comparison, int columns, int rows)
{
    int most = most_lines(rows), lines = layout_comparison_lines(comparison, columns);
    return lines < most ? lines : most;
}

/* Returns the rows for the tokens of an unchanged translation and two lines of numbers. */
static int token_rows(const struct frame *frame, int rows)
{
    enum { TOKEN_ROWS = 3 };
    const struct comparison *change = frame_change(frame);
    bool moved = change && comparison_same_tokens(change) &&
                 token_block_moved(change, (struct token_block){TOKENS_OF_BOTH, 0, change->alike});
    return rows >= LEAST_WITH_TOKENS && moved ? TOKEN_ROWS : 0;
}

/* Titles of studies name files and may be long; the position in the table or text is beside
 * them. */
static int title_rows(const struct frame *frame, int columns, int rows)
{
    enum { PLACE = 16 };
    return frame->title && columns > 2 * PLACE ? text_rows(frame->title, columns - PLACE, rows) : 1;
}

static bool has_side(const struct frame *frame, int columns, enum side_wish side, struct area left)
{
    if (frame->kind != FRAME_PICTURE || columns < LAYOUT_LEAST_WITH_SIDE || side == SIDE_HIDDEN)
        return false;
    left.columns -= SIDE_COLUMNS + 2;
    return side == SIDE_SHOWN || columns >= SIDE_ALWAYS || picture_fits(&frame->picture, left);
}

void layout_make(const struct frame *frame, const struct canvas *canvas,
                 const struct layout_wishes *wishes, struct layout *layout)
{
    int rows = canvas->rows, columns = canvas->columns;
    struct area left = {0, 0, rows, columns};
    const int high = wishes->whole ? 0 : rows; // for texts
    bool lines = rows >= LEAST_WITH_LINES, wrapping = rows >= LEAST_WITH_WRAPPING;
    int text_columns = columns - LAYOUT_TEXT_COLUMN - 1;
    int beside = columns >= LAYOUT_LEAST_WITH_ASIDE ? text_columns - LAYOUT_ASIDE : text_columns;
    *layout = (struct layout){.map_layer = layout->map_layer};
    layout->bottom = take(&left, wishes->bottom_rows, true);
    layout->header = take(&left, 1, false);
    layout->source = take(
        &left, text_rows(frame->source, frame->sentences ? beside : text_columns, high), false);
    const struct comparison *comparison = frame_comparison(frame);
    layout->compared = texts_compared(comparison, rows);
    comparison = layout->compared ? comparison : NULL;
    layout->target = take(&left,
                          comparison ? layout->compared * comparison_lines(comparison, beside, high)
                                     : text_rows(frame->target, beside, high),
                          false);
    layout->tokens = take(&left, token_rows(frame, high), false);
    if (wrapping)
        layout->reference = take(&left, text_rows(frame->reference, text_columns, high), false);
    layout->keys = take(&left, rows >= LEAST_WITH_KEYS, true);
    layout->detail = take(&left, wishes->detail_rows, true);
    if (!layout->detail.rows)
        layout->detail = take(&left, 1, true);
    layout->line[0] = take(&left, lines, false);
    layout->line[1] = take(&left, lines, true);
    const enum side_wish side =
        wishes->whole && wishes->side == SIDE_AUTO ? SIDE_HIDDEN : wishes->side;
    layout->title = take(&left, title_rows(frame, columns, rows), false);
    if (has_side(frame, columns, side, left)) {
        layout->side = left;
        layout->side.columns = SIDE_COLUMNS;
        layout->side.column = columns - SIDE_COLUMNS;
        left.columns -= SIDE_COLUMNS + 1;
    }
    left.column = columns > 0;
    left.columns -= columns > 0;
    layout->view = left;
}

/* Heads have a blank between them if they fit: adjacent full blocks cannot be counted. */
int layout_head_columns(const struct area *area, const struct head_map *map)
{
    return 2 * map->heads <= area->columns + 1 ? 2 : 1;
}

bool layout_find_head(const struct layout *layout, const struct head_map *map, int row, int column,
                      int *layer, int *head)
{
    const struct area *area = &layout->map;
    int offset = column - area->column;
    *layer = layout->map_layer + row - area->row;
    *head = offset / layout_head_columns(area, map);
    return area->rows && row >= area->row && row < area->row + area->rows && offset >= 0 &&
           offset < area->columns && *head < map->heads && *layer < map->layers;
}
