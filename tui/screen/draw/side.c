#include "tui/screen/draw/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "session/selector.h"

static const struct style normal = {.ink = INK_NORMAL}, faint = {.ink = INK_FAINT},
                          strong = {.ink = INK_STRONG};

/* Writes "row    1.83 bits max 0.412". */
static int draw_numbers(struct screen *screen, struct area area, int row, const char *title,
                        struct line_numbers numbers)
{
    char text[80];
    if (row >= area.rows)
        return row;
    if (isnan(numbers.entropy))
        snprintf(text, sizeof text, "%-6s max %.3f", title, numbers.most);
    else
        snprintf(text, sizeof text, "%-6s %.2f bits max %.3f", title, numbers.entropy,
                 numbers.most);
    if (!isnan(numbers.most))
        canvas_put(&screen->canvas, area.row + row, area.column + 2, area.columns - 2, normal,
                   text);
    return row + 1;
}

static const char *mark_text(const struct screen_style *screen_style, unsigned char marks)
{
    return marks & MARK_OFF      ? style_text(screen_style, "\xe2\x96\xa1", "o")
           : marks & MARK_FIXED  ? style_text(screen_style, "\xe2\x96\xaa", "+")
           : marks & MARK_MASKED ? style_text(screen_style, "\xe2\x96\xa4", "=")
                                 : style_text(screen_style, "\xe2\x96\xa0", "#");
}

/* True if the head is shown, or is at the cursor of an overview. */
static bool is_current(const struct screen *screen, int layer, int head)
{
    const struct navigation *at = frame_navigation(screen->frame);
    const struct view *view = &screen->frame->view;
    if (at->kind == VIEW_HEADS) {
        const struct head_grid *grid = at->grid;
        int panel = screen->cursors.grid.panel;
        return layer == grid->layers[panel / grid->head_count] &&
               head == grid->heads[panel % grid->head_count];
    }
    if (at->kind == VIEW_IMPORTANCE)
        return layer == at->view.layer && head == screen->cursors.other.column;
    if (at->kind != VIEW_HEAD && at->kind != VIEW_BESIDE)
        return false;
    return layer == view->layer && (head == view->head || view->head < 0);
}

static void draw_heads(struct screen *screen, const struct head_map *map, int row, int layer)
{
    char text[24];
    const struct area *area = &screen->layout.map;
    int step = layout_head_columns(area, map);
    snprintf(text, sizeof text, "layer %d", layer + 1);
    canvas_put(&screen->canvas, row, area->column - 9, 8, faint, text);
    for (int h = 0; h < map->heads && h * step < area->columns; h++) {
        unsigned char marks = map->marks[layer * map->heads + h];
        struct style style = {.ink = marks & MARK_OFF ? INK_WARN : INK_NORMAL,
                              .underline = marks & MARK_CHANGED,
                              .reverse = is_current(screen, layer, h)};
        canvas_put(&screen->canvas, row, area->column + h * step, 1, style,
                   mark_text(&screen->style, marks));
    }
}

static int first_layer(const struct screen *screen, const struct head_map *map, int rows)
{
    int first = screen->layout.map_layer, now = screen->frame->view.layer;
    first = now < first ? now : first;
    first = now >= first + rows ? now - rows + 1 : first;
    return first + rows > map->layers ? (map->layers > rows ? map->layers - rows : 0) : first;
}

static void draw_map(struct screen *screen, struct area area, int row)
{
    enum { TITLE = 11 };
    enum module module = frame_module(screen->frame);
    const struct head_map *map = &screen->frame->maps[module];
    struct layout *layout = &screen->layout;
    if (row + 2 > area.rows)
        return;
    canvas_put(&screen->canvas, area.row + row, area.column + 2, area.columns - 2, strong,
               module_names[module]);
    int rows = area.rows - row - 1;
    layout->map = (struct area){area.row + row + 1, area.column + TITLE,
                                rows < map->layers ? rows : map->layers, area.columns - TITLE};
    layout->map_layer = first_layer(screen, map, layout->map.rows);
    for (int i = 0; i < layout->map.rows; i++)
        draw_heads(screen, map, layout->map.row + i, layout->map_layer + i);
}

static int draw_legend(struct screen *screen, struct area area, int row)
{
    if (row >= area.rows)
        return row;
    picture_legend(&screen->frame->picture, &screen->style, &screen->canvas, area.row + row,
                   area.column + 2, area.columns - 2, screen_cursor(screen));
    return row + 1;
}

static void draw_edge(struct screen *screen, struct area area)
{
    for (int i = 0; i < area.rows; i++)
        canvas_put(&screen->canvas, area.row + i, area.column, 1, faint,
                   style_text(&screen->style, "\xe2\x94\x83", "|"));
}

/* Explains the marks if there is room below the map. */
static void draw_marks(struct screen *screen, struct area area)
{
    static const struct {
        unsigned char mark;
        const char *name;
    } marks[] = {{0, "learned"}, {MARK_MASKED, "masked"}, {MARK_FIXED, "fixed"}, {MARK_OFF, "off"}};
    const struct area *map = &screen->layout.map;
    int row = map->row + map->rows + 1, column = area.column + 2;
    if (!map->rows || row + 1 >= area.row + area.rows)
        return;
    for (int i = 0; i < 4; i++) {
        char text[40];
        snprintf(text, sizeof text, "%s %s", mark_text(&screen->style, marks[i].mark),
                 marks[i].name);
        canvas_put(&screen->canvas, row + i / 2, column + i % 2 * 12, 11, faint, text);
    }
}

void draw_side(struct screen *screen, struct area area)
{
    const struct frame *frame = screen->frame;
    const struct picture_cursor *cursor = screen_cursor(screen);
    int row = 0;
    draw_edge(screen, area);
    if (picture_kind(&frame->drawing.figure) != PICTURE_PLOT)
        row = draw_legend(screen, area, row);
    // Gates are not shares of one.
    if (picture_kind(&frame->drawing.figure) == PICTURE_MATRIX &&
        frame_navigation(frame)->kind != VIEW_GATES) {
        row = draw_numbers(screen, area, row, "row", picture_row(&frame->picture, cursor));
        row = draw_numbers(screen, area, row, "column", picture_column(&frame->picture, cursor));
    }
    draw_map(screen, area, row + 1);
    draw_marks(screen, area);
}
