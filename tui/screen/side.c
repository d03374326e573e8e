#include "tui/screen/side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/screen/act.h"
#include "tui/selector.h"

static const struct style normal = {.ink = INK_NORMAL}, faint = {.ink = INK_FAINT},
                          strong = {.ink = INK_STRONG};

/* "row    1.83 bits max 0.412" of a line of cells. */
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

/* The module that the map is of. */
enum module side_module(const struct screen *screen)
{
    const struct result *result = &screen->frame->result;
    return result->kind == RESULT_HEADS        ? result->heads.grid.module
           : result->kind == RESULT_TOKEN      ? result->token.grid.module
           : result->kind == RESULT_IMPORTANCE ? result->importance.module
           : result->kind == RESULT_GATES      ? result->gates.module
                                               : screen->frame->view.module;
}

static const char *mark_text(const struct look *look, unsigned char marks)
{
    return marks & MARK_OFF      ? look_text(look, "\xe2\x96\xa1", "o")
           : marks & MARK_FIXED  ? look_text(look, "\xe2\x96\xaa", "+")
           : marks & MARK_MASKED ? look_text(look, "\xe2\x96\xa4", "=")
                                 : look_text(look, "\xe2\x96\xa0", "#");
}

/* Whether the head is what is shown, or under the cursor of an overview. */
static bool is_current(const struct screen *screen, int layer, int head)
{
    const struct result *result = &screen->frame->result;
    const struct view *view = &screen->frame->view;
    if (result->kind == RESULT_HEADS) {
        const struct head_grid *grid = &result->heads.grid;
        int panel = screen->places.grid.panel;
        return layer == grid->layers[panel / grid->head_count] &&
               head == grid->heads[panel % grid->head_count];
    }
    if (result->kind == RESULT_IMPORTANCE)
        return layer == result->importance.layer && head == screen->places.other.column;
    if (result->kind != RESULT_ATTENTION && result->kind != RESULT_BESIDE)
        return false;
    return layer == view->layer && (head == view->head || view->head < 0);
}

/* Columns from head to head: full blocks that touch cannot be counted. */
static int head_columns(const struct area *area, const struct head_map *map)
{
    return 2 * map->heads <= area->columns + 1 ? 2 : 1;
}

static void draw_heads(struct screen *screen, const struct head_map *map, int row, int layer)
{
    char text[24];
    const struct area *area = &screen->layout.map;
    int step = head_columns(area, map);
    snprintf(text, sizeof text, "layer %d", layer + 1);
    canvas_put(&screen->canvas, row, area->column - 9, 8, faint, text);
    for (int h = 0; h < map->heads && h * step < area->columns; h++) {
        unsigned char marks = map->marks[layer * map->heads + h];
        struct style style = {.ink = marks & MARK_OFF ? INK_WARN : INK_NORMAL,
                              .underline = marks & MARK_CHANGED,
                              .reverse = is_current(screen, layer, h)};
        canvas_put(&screen->canvas, row, area->column + h * step, 1, style,
                   mark_text(&screen->look, marks));
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
    enum module module = side_module(screen);
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
    picture_legend(&screen->frame->picture, &screen->look, &screen->canvas, area.row + row,
                   area.column + 2, area.columns - 2, screen_spot(screen));
    return row + 1;
}

static void draw_edge(struct screen *screen, struct area area)
{
    for (int i = 0; i < area.rows; i++)
        canvas_put(&screen->canvas, area.row + i, area.column, 1, faint,
                   look_text(&screen->look, "\xe2\x94\x83", "|"));
}

/* Marks are explained where there is room below the map. */
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
        snprintf(text, sizeof text, "%s %s", mark_text(&screen->look, marks[i].mark),
                 marks[i].name);
        canvas_put(&screen->canvas, row + i / 2, column + i % 2 * 12, 11, faint, text);
    }
}

void side_draw(struct screen *screen, struct area area)
{
    const struct frame *frame = screen->frame;
    const struct spot *spot = screen_spot(screen);
    int row = 0;
    draw_edge(screen, area);
    if (picture_kind(&frame->drawing.figure) != PICTURE_PLOT)
        row = draw_legend(screen, area, row);
    // Gates are no shares of one.
    if (picture_kind(&frame->drawing.figure) == PICTURE_MATRIX &&
        frame->result.kind != RESULT_GATES) {
        row = draw_numbers(screen, area, row, "row", picture_row(&frame->picture, spot));
        row = draw_numbers(screen, area, row, "column", picture_column(&frame->picture, spot));
    }
    draw_map(screen, area, row + 1);
    draw_marks(screen, area);
}

bool side_find(const struct screen *screen, int row, int column, int *layer, int *head)
{
    const struct area *map = &screen->layout.map;
    const struct head_map *heads = &screen->frame->maps[side_module(screen)];
    *layer = screen->layout.map_layer + row - map->row;
    int place = column - map->column;
    *head = place / head_columns(map, heads);
    return map->rows && row >= map->row && row < map->row + map->rows && place >= 0 &&
           place < map->columns && *head < heads->heads && *layer < heads->layers;
}
