/* Moving: from cell to cell, and from head to head. */
#include <limits.h>
#include <string.h>

#include "tui/gate_columns.h"
#include "tui/screen/act.h"
#include "tui/screen/side.h"
#include "tui/selector.h"

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

/* In what is shown -------------------------------------------------------------------------------- */

static const struct figure *figure_of(const struct screen *screen)
{
    return &screen->frame->drawing.figure;
}

/* Over the edge of one of several panels begins the next. */
static void move_column(const struct figure *figure, struct spot *spot, int columns)
{
    int count = figure->rows * figure->columns;
    spot->column += columns;
    while (spot->column < 0 && spot->panel > 0)
        spot->column += figure->panels[--spot->panel].matrix.columns;
    while (spot->column >= figure->panels[spot->panel].matrix.columns && spot->panel + 1 < count)
        spot->column -= figure->panels[spot->panel++].matrix.columns;
    spot->column = clamp(spot->column, 0, figure->panels[spot->panel].matrix.columns - 1);
}

static void move_panel(const struct figure *figure, struct spot *spot, int rows, int columns)
{
    int row = clamp(spot->panel / figure->columns + rows, 0, figure->rows - 1);
    int column = clamp(spot->panel % figure->columns + columns, 0, figure->columns - 1);
    spot->panel = row * figure->columns + column;
}

static void move_in_picture(struct screen *screen, int rows, int columns)
{
    const struct figure *figure = figure_of(screen);
    struct spot *spot = screen_spot(screen);
    if (screen_place(screen) == IN_GRID) {
        move_panel(figure, spot, rows, columns);
    } else if (figure->panels[0].kind == PANEL_MATRIX) {
        move_column(figure, spot, columns);
        spot->row = clamp(spot->row + rows, 0, figure->panels[spot->panel].matrix.rows - 1);
    } else {
        const struct figure_plot *plot = &figure->panels[0].plot;
        spot->row = clamp(spot->row + rows, 0, plot->series_count - 1);
        spot->column = clamp(spot->column + columns, 0, plot->points - 1);
    }
}

void act_move(struct screen *screen, int rows, int columns)
{
    unsigned place = screen_place(screen);
    if (place & IN_PICTURES) {
        move_in_picture(screen, rows, columns);
    } else if (place == IN_SHEET) {
        const struct sheet *sheet = &screen->frame->sheet;
        struct sheet_spot *spot = &screen->places.sheet;
        spot->row = clamp(spot->row + rows, -sheet->note_count, sheet->row_count - 1);
        spot->column = clamp(spot->column + columns, 0, sheet->column_count - 1);
    } else if (place == IN_PAGE) {
        struct page_spot *spot = &screen->places.page;
        screen->places.found = 0;
        spot->top = clamp(spot->top + rows, 0, screen->frame->page.count - 1);
        spot->left = clamp(spot->left + columns, 0, screen->frame->page.width);
    }
}

/* Rows that a page up or down moves by. */
static int page_rows(const struct screen *screen)
{
    return screen->layout.view.rows > 3 ? screen->layout.view.rows - 2 : 1;
}

void act_cell(struct screen *screen, int key, int count)
{
    int steps = count ? count : 1;
    act_move(screen,
             key == 'j'   ? steps
             : key == 'k' ? -steps
                          : 0,
             key == 'l'   ? steps
             : key == 'h' ? -steps
                          : 0);
}

void act_arrow_cell(struct screen *screen, int key, int count)
{
    act_cell(screen,
             key == KEY_ARROW_UP     ? 'k'
             : key == KEY_ARROW_DOWN ? 'j'
             : key == KEY_ARROW_LEFT ? 'h'
                                     : 'l',
             count);
}

void act_page(struct screen *screen, int key, int count)
{
    int rows = page_rows(screen) * (count ? count : 1);
    act_move(screen, key == KEY_PAGE_UP || key == CTRL('B') ? -rows : rows, 0);
}

/* N G: row N; G alone the last, gg the first. */
void act_last(struct screen *screen, int key, int count)
{
    (void)key;
    if (count && screen_place(screen) == IN_SHEET) // its first rows are notes
        screen->places.sheet.row = 0;
    else
        act_move(screen, -INT_MAX / 2, 0);
    act_move(screen, count ? count - 1 : INT_MAX / 2, 0);
}

void act_first(struct screen *screen, int key, int count)
{
    if (count)
        act_last(screen, key, count);
    else
        act_move(screen, -INT_MAX / 2, 0);
}

void act_line_end(struct screen *screen, int key, int count)
{
    (void)count;
    struct spot *spot = screen_spot(screen);
    if (spot && screen_place(screen) != IN_GRID &&
        figure_of(screen)->panels[0].kind == PANEL_MATRIX) {
        const struct figure *figure = figure_of(screen);
        bool first = key == '0' || key == '^' || key == KEY_FIRST;
        spot->column = first ? 0 : figure->panels[spot->panel].matrix.columns - 1;
        return;
    }
    act_move(screen, 0, key == '$' || key == KEY_LAST ? INT_MAX / 2 : -INT_MAX / 2);
}

/* From head to head ------------------------------------------------------------------------------- */

/* What was asked for and is still being worked out, else what is shown. */
static struct view ahead(const struct screen *screen, struct view shown)
{
    return screen->aimed && worker_waiting(screen->worker) > 0 ? screen->aim : shown;
}

static void aim_at(struct screen *screen, const struct view *view)
{
    screen->aim = *view;
    screen->aimed = true;
}

struct view act_view(const struct screen *screen)
{
    return ahead(screen, screen->frame->view);
}

static const char *head_text(int head, char *text, size_t size)
{
    if (head >= 0)
        snprintf(text, size, "%d", head + 1);
    else
        snprintf(text, size, "%s", head == VIEW_MEAN ? "mean" : "max");
    return text;
}

/* Shows that head as what is shown now shows one: alone, or two states beside each other. */
void act_show(struct screen *screen, const struct view *view)
{
    char head[16];
    const struct frame *frame = screen->frame;
    const char *module = module_names[view->module];
    head_text(view->head, head, sizeof head);
    aim_at(screen, view);
    if (frame->result.kind == RESULT_BESIDE)
        screen_send_view(screen, ":attn %s layer %d head %s\n:%s", module, view->layer + 1, head,
                         frame->command);
    else
        screen_send_view(screen, ":attn %s layer %d head %s%s", module, view->layer + 1, head,
                         frame->words ? " word" : "");
}

void act_head(struct screen *screen, int key, int count)
{
    struct view view = act_view(screen);
    int heads = screen->frame->maps[view.module].heads, steps = count ? count : 1;
    bool merged = view.head < 0;
    view.head =
        merged ? 0 : clamp(view.head + (key == KEY_ARROW_RIGHT ? steps : -steps), 0, heads - 1);
    act_show(screen, &view);
}

void act_layer(struct screen *screen, int key, int count)
{
    struct view view = act_view(screen);
    int layers = screen->frame->maps[view.module].layers, steps = count ? count : 1;
    view.layer = clamp(view.layer + (key == KEY_ARROW_DOWN ? steps : -steps), 0, layers - 1);
    act_show(screen, &view);
}

static struct view in_module(const struct screen *screen, struct view view, enum module module)
{
    const struct head_map *map = &screen->frame->maps[module];
    view.module = module;
    view.layer = clamp(view.layer, 0, map->layers - 1);
    view.head = view.head < 0 ? view.head : clamp(view.head, 0, map->heads - 1);
    return view;
}

static enum module next_module(enum module module, int key)
{
    int step = key == KEY_TAB_BACK ? MODULE_COUNT - 1 : 1;
    return (enum module)((module + step) % MODULE_COUNT);
}

/* The module, and of importance the layer, that pictures of more than one head are of. */
static struct view shown_by(const struct screen *screen)
{
    const struct result *result = &screen->frame->result;
    struct view view = screen->frame->view;
    if (result->kind == RESULT_IMPORTANCE)
        view.layer = result->importance.layer;
    view.module = side_module(screen);
    return view;
}

/* Layers of importance are those that have one: the command says which. */
static void show_importance(struct screen *screen, const struct view *view)
{
    screen_send_view(screen, ":importance %s layer %d", module_names[view->module],
                     view->layer + 1);
}

/* Gates are of two modules. */
static enum module next_of(const struct result *result, enum module module, int key)
{
    if (result->kind == RESULT_GATES)
        return module == MODULE_ENCODER ? MODULE_DECODER : MODULE_ENCODER;
    return next_module(module, key);
}

void act_module(struct screen *screen, int key, int count)
{
    const struct result *result = &screen->frame->result;
    struct view view = ahead(screen, shown_by(screen));
    (void)count;
    view = in_module(screen, view, next_of(result, view.module, key));
    const char *name = module_names[view.module];
    if (result->kind == RESULT_IMPORTANCE)
        view.layer = screen->frame->maps[view.module].layers - 1;
    aim_at(screen, &view);
    if (result->kind == RESULT_HEADS)
        screen_send_view(screen, ":heads %s%s", name, screen->frame->words ? " word" : "");
    else if (result->kind == RESULT_TOKEN)
        act_token_module(screen, view.module);
    else if (result->kind == RESULT_IMPORTANCE)
        show_importance(screen, &view);
    else if (result->kind == RESULT_GATES)
        screen_send_view(screen, ":gates %s %s", name, gate_side_names[result->gates.side]);
    else
        act_show(screen, &view);
}

/* Arrows where there are no heads to walk through: layers of importance, both sides of gates; of two states the
 * head. */
void act_other(struct screen *screen, int key, int count)
{
    const struct result *result = &screen->frame->result;
    bool vertical = key == KEY_ARROW_UP || key == KEY_ARROW_DOWN;
    if (result->kind == RESULT_BESIDE) {
        (vertical ? act_layer : act_head)(screen, key, count);
    } else if (result->kind == RESULT_IMPORTANCE && vertical) {
        struct view view = ahead(screen, shown_by(screen));
        int layer = view.layer + (key == KEY_ARROW_DOWN ? 1 : -1);
        view.layer = clamp(layer, 0, screen->frame->maps[view.module].layers - 1);
        aim_at(screen, &view);
        show_importance(screen, &view);
    } else if (result->kind == RESULT_GATES && !vertical) {
        screen_send_view(screen, ":gates %s %s", module_names[result->gates.module],
                         gate_side_names[result->gates.side == SIDE_Q ? SIDE_K : SIDE_Q]);
    } else {
        act_arrow_cell(screen, key, count);
    }
}
