#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/minmax.h"
#include "report/gates.h"
#include "session/selector.h"
#include "terminal/key_codes.h"
#include "tui/manual/key_table.h"
#include "tui/screen/action/act.h"
#include "tui/screen/canvas/find.h"
#include "tui/screen/state/state.h"

static const struct figure *figure_of(const struct screen *screen)
{
    return &screen->frame->drawing.figure;
}

/* Moving over the edge of a panel leads into its neighbour. */
static void move_column(const struct figure *figure, struct picture_cursor *cursor, int columns)
{
    int count = figure->rows * figure->columns;
    cursor->column += columns;
    while (cursor->column < 0 && cursor->panel > 0)
        cursor->column += figure->panels[--cursor->panel].matrix.columns;
    while (cursor->column >= figure->panels[cursor->panel].matrix.columns &&
           cursor->panel + 1 < count)
        cursor->column -= figure->panels[cursor->panel++].matrix.columns;
    cursor->column = int_clamp(cursor->column, 0, figure->panels[cursor->panel].matrix.columns - 1);
}

static void move_in_picture(struct screen *screen, int rows, int columns)
{
    const struct figure *figure = figure_of(screen);
    struct picture_cursor *cursor = screen_cursor(screen);
    if (screen_context(screen) == IN_GRID) {
        cursor->panel = picture_grid_move(&screen->frame->picture, screen->layout.view,
                                          cursor->panel, rows, columns);
    } else if (figure->panels[0].kind == PANEL_MATRIX) {
        move_column(figure, cursor, columns);
        cursor->row =
            int_clamp(cursor->row + rows, 0, figure->panels[cursor->panel].matrix.rows - 1);
    } else {
        const struct figure_plot *plot = &figure->panels[0].plot;
        cursor->row = int_clamp(cursor->row + rows, 0, plot->series_count - 1);
        cursor->column = int_clamp(cursor->column + columns, 0, plot->points - 1);
    }
}

void act_move(struct screen *screen, int rows, int columns)
{
    unsigned context = screen_context(screen);
    if (context & IN_PICTURES) {
        move_in_picture(screen, rows, columns);
    } else if (context == IN_SHEET) {
        const struct sheet *sheet = &screen->frame->sheet;
        struct sheet_cursor *cursor = &screen->cursors.sheet;
        cursor->row = int_clamp(cursor->row + rows, -sheet->note_count, sheet->row_count - 1);
        cursor->column = int_clamp(cursor->column + columns, 0, sheet->column_count - 1);
    } else if (context == IN_PAGE) {
        struct page_scroll *cursor = &screen->cursors.page;
        screen->cursors.found = 0;
        cursor->top = int_clamp(cursor->top + rows, 0, screen->frame->page.count - 1);
        cursor->left = int_clamp(cursor->left + columns, 0, screen->frame->page.width);
    }
}

/* Returns how many rows a page up or down moves. */
static int page_rows(const struct screen *screen)
{
    return screen->layout.view.rows > 3 ? screen->layout.view.rows - 2 : 1;
}

int act_times(const struct screen *screen)
{
    return screen->count ? screen->count : 1;
}

void act_cell(struct screen *screen)
{
    int steps = act_times(screen);
    switch (screen->key) {
    case 'j':
    case KEY_ARROW_DOWN:
        act_move(screen, steps, 0);
        break;
    case 'k':
    case KEY_ARROW_UP:
        act_move(screen, -steps, 0);
        break;
    case 'l':
    case KEY_ARROW_RIGHT:
        act_move(screen, 0, steps);
        break;
    default:
        act_move(screen, 0, -steps);
    }
}

void act_page(struct screen *screen)
{
    int rows = page_rows(screen) * act_times(screen);
    act_move(screen, screen->key == KEY_PAGE_UP || screen->key == CTRL('B') ? -rows : rows, 0);
}

/* N G: goes to row N; G alone to the last, gg to the first. */
void act_last(struct screen *screen)
{
    if (screen->count && screen_context(screen) == IN_SHEET) // its first rows are notes
        screen->cursors.sheet.row = 0;
    else
        act_move(screen, -INT_MAX / 2, 0);
    act_move(screen, screen->count ? screen->count - 1 : INT_MAX / 2, 0);
}

void act_first(struct screen *screen)
{
    if (screen->count)
        act_last(screen);
    else
        act_move(screen, -INT_MAX / 2, 0);
}

void act_line_end(struct screen *screen)
{
    struct picture_cursor *cursor = screen_cursor(screen);
    if (cursor && screen_context(screen) != IN_GRID &&
        figure_of(screen)->panels[0].kind == PANEL_MATRIX) {
        const struct figure *figure = figure_of(screen);
        bool first = screen->key == '0' || screen->key == '^' || screen->key == KEY_FIRST;
        cursor->column = first ? 0 : figure->panels[cursor->panel].matrix.columns - 1;
        return;
    }
    act_move(screen, 0, screen->key == '$' || screen->key == KEY_LAST ? INT_MAX / 2 : -INT_MAX / 2);
}

/* From head to head ---------------------------------------------------------------------------- */

static const char *head_text(int head, char *text, size_t size)
{
    if (head >= 0)
        snprintf(text, size, "%d", head + 1);
    else
        snprintf(text, size, "%s", merged_of(head)->name);
    return text;
}

void act_show(struct screen *screen, const struct view *view)
{
    char head[16];
    const struct frame *frame = screen->frame;
    const char *module = module_names[view->module];
    head_text(view->head, head, sizeof head);
    pending_set_view(&screen->pending, view);
    bool beside = frame_navigation(frame)->kind == VIEW_BESIDE,
         weights = view->as == METHOD_WEIGHTS;
    request_view(screen, ":%.*s %s layer %d head %s%s%s%s",
                 beside ? frame_command_length(frame) : (int)strlen("attn"),
                 beside ? frame->command : "attn", module, view->layer + 1, head,
                 weights ? "" : " as ", weights ? "" : method_table[view->as].name,
                 requested_words(screen) ? " word" : "");
}

void act_head(struct screen *screen)
{
    struct view view = requested_view(screen, screen->frame->view);
    int heads = screen->frame->maps[view.module].heads, steps = act_times(screen);
    bool merged = view.head < 0;
    if (!method_table[view.as].of_heads)
        view.as = METHOD_WEIGHTS;
    view.head = merged ? 0
                       : int_clamp(view.head + (screen->key == KEY_ARROW_RIGHT ? steps : -steps), 0,
                                   heads - 1);
    act_show(screen, &view);
}

void act_layer(struct screen *screen)
{
    struct view view = requested_view(screen, screen->frame->view);
    int layers = screen->frame->maps[view.module].layers, steps = act_times(screen);
    view.layer =
        int_clamp(view.layer + (screen->key == KEY_ARROW_DOWN ? steps : -steps), 0, layers - 1);
    act_show(screen, &view);
}

static struct view in_module(const struct screen *screen, struct view view, enum module module)
{
    const struct head_map *map = &screen->frame->maps[module];
    view.module = module;
    view.layer = int_clamp(view.layer, 0, map->layers - 1);
    view.head = view.head < 0 ? view.head : int_clamp(view.head, 0, map->heads - 1);
    return view;
}

/* A recurrent decoder has no self-attention to go to. */
static enum module next_module(const struct frame *frame, enum module module, int key)
{
    int step = key == KEY_TAB_BACK ? MODULE_COUNT - 1 : 1;
    do
        module = (enum module)((module + step) % MODULE_COUNT);
    while (frame->maps[module].layers == 0);
    return module;
}

/* Returns the view that the picture shows: its module, and for importance its layer too. */
static struct view shown_by(const struct screen *screen)
{
    const struct navigation *at = frame_navigation(screen->frame);
    struct view view = screen->frame->view;
    if (at->kind == VIEW_IMPORTANCE)
        view.layer = at->view.layer;
    view.module = frame_module(screen->frame);
    return view;
}

/* Only layers with importance can be shown; for others the command fails and says which ones
 * can. */
static void show_importance(struct screen *screen, const struct view *view)
{
    request_view(screen, ":importance %s layer %d", module_names[view->module], view->layer + 1);
}

/* Only encoder and decoder self-attention have gates. */
static enum module next_of(const struct frame *frame, const struct navigation *at,
                           enum module module, int key)
{
    if (at->kind == VIEW_GATES)
        return module == MODULE_ENCODER ? MODULE_DECODER : MODULE_ENCODER;
    return next_module(frame, module, key);
}

void act_module(struct screen *screen)
{
    const struct navigation *at = frame_navigation(screen->frame);
    struct view view = requested_view(screen, shown_by(screen));
    view = in_module(screen, view, next_of(screen->frame, at, view.module, screen->key));
    const char *name = module_names[view.module];
    if (at->kind == VIEW_IMPORTANCE)
        view.layer = screen->frame->maps[view.module].layers - 1;
    pending_set_view(&screen->pending, &view);
    if (at->kind == VIEW_HEADS)
        request_view(screen, ":heads %s%s", name, requested_words(screen) ? " word" : "");
    else if (at->kind == VIEW_TOKEN)
        request_command(screen, ":token %d %s", at->first + 1, name);
    else if (at->kind == VIEW_IMPORTANCE)
        show_importance(screen, &view);
    else if (at->kind == VIEW_GATES)
        request_view(screen, ":gates %s %s", name, gate_side_names[at->side]);
    else
        act_show(screen, &view);
}

void act_other(struct screen *screen)
{
    const struct navigation *at = frame_navigation(screen->frame);
    bool vertical = screen->key == KEY_ARROW_UP || screen->key == KEY_ARROW_DOWN;
    if (at->kind == VIEW_BESIDE) {
        (vertical ? act_layer : act_head)(screen);
    } else if (at->kind == VIEW_IMPORTANCE && vertical) {
        struct view view = requested_view(screen, shown_by(screen));
        int layer = view.layer + (screen->key == KEY_ARROW_DOWN ? 1 : -1);
        view.layer = int_clamp(layer, 0, screen->frame->maps[view.module].layers - 1);
        pending_set_view(&screen->pending, &view);
        show_importance(screen, &view);
    } else if (at->kind == VIEW_GATES && !vertical) {
        request_view(screen, ":gates %s %s", module_names[at->view.module],
                     gate_side_names[at->side == SIDE_Q ? SIDE_K : SIDE_Q]);
    } else {
        act_cell(screen);
    }
}

/* Searching ------------------------------------------------------------------------------------ */

static bool label_has(const void *context, int index, const char *search)
{
    const char *const *labels = context;
    size_t length;
    return find_in(labels[index], search, &length) != NULL;
}

/* Returns the next label after the cursor that contains the text, continuing at the other end; -1:
 * none. */
static int find_label(const struct screen *screen, const char *const *labels, int count, int from,
                      bool backward)
{
    int next = (from + (backward ? count - 1 : 1)) % count;
    return labels ? find_around(count, next, backward, label_has, labels, screen->search.text) : -1;
}

static const struct figure_matrix *first_with_rows(const struct figure *figure, int panel)
{
    while (panel > 0 && !figure->panels[panel].matrix.row_labels)
        panel--;
    return &figure->panels[panel].matrix;
}

/* Row labels first (the tokens that attend), then column labels. */
static bool find_token(struct screen *screen, bool backward)
{
    const struct figure *figure = &screen->frame->drawing.figure;
    struct picture_cursor *cursor = screen_cursor(screen);
    const struct figure_matrix *matrix = &figure->panels[cursor->panel].matrix;
    const struct figure_matrix *labelled = first_with_rows(figure, cursor->panel);
    int row = find_label(screen, labelled->row_labels, matrix->rows, cursor->row, backward);
    if (row >= 0) {
        cursor->row = row;
        return true;
    }
    int column =
        find_label(screen, matrix->column_labels, matrix->columns, cursor->column, backward);
    if (column >= 0)
        cursor->column = column;
    return column >= 0;
}

static bool find_line(struct screen *screen, bool backward)
{
    const struct page *page = &screen->frame->page;
    struct cursors *cursors = &screen->cursors;
    int from = cursors->found ? cursors->found - 1 : cursors->page.top;
    int line = page_search(page, screen->search.text, backward ? from - 1 : from + 1, backward);
    if (line < 0)
        return false;
    cursors->page.top = line;
    cursors->found = line + 1;
    return true;
}

static bool find_row(struct screen *screen, bool backward)
{
    const struct sheet *sheet = &screen->frame->sheet;
    struct sheet_cursor *cursor = &screen->cursors.sheet;
    const char *search = screen->search.text;
    int found = sheet_search(sheet, search, backward ? cursor->row - 1 : cursor->row + 1, backward);
    if (found < 0)
        return false;
    cursor->row = found;
    cursor->column = sheet_match(sheet, search, found, cursor->column);
    return true;
}

void act_find(struct screen *screen, bool backward)
{
    unsigned context = screen_context(screen);
    bool matrix = context & IN_PICTURES && context != IN_GRID &&
                  screen->frame->drawing.figure.panels[0].kind == PANEL_MATRIX;
    bool found = matrix                ? find_token(screen, backward)
                 : context == IN_SHEET ? find_row(screen, backward)
                 : context == IN_PAGE  ? find_line(screen, backward)
                                       : false;
    if (!found)
        screen_say(screen, true, "\"%s\": not found", screen->search.text);
}
