#include "tui/screen/action/act_move.h"

#include <limits.h>

#include "tui/manual/key_table.h"
#include "tui/terminal/key_codes.h"

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

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
    cursor->column = clamp(cursor->column, 0, figure->panels[cursor->panel].matrix.columns - 1);
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
        cursor->row = clamp(cursor->row + rows, 0, figure->panels[cursor->panel].matrix.rows - 1);
    } else {
        const struct figure_plot *plot = &figure->panels[0].plot;
        cursor->row = clamp(cursor->row + rows, 0, plot->series_count - 1);
        cursor->column = clamp(cursor->column + columns, 0, plot->points - 1);
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
        cursor->row = clamp(cursor->row + rows, -sheet->note_count, sheet->row_count - 1);
        cursor->column = clamp(cursor->column + columns, 0, sheet->column_count - 1);
    } else if (context == IN_PAGE) {
        struct page_scroll *cursor = &screen->cursors.page;
        screen->cursors.found = 0;
        cursor->top = clamp(cursor->top + rows, 0, screen->frame->page.count - 1);
        cursor->left = clamp(cursor->left + columns, 0, screen->frame->page.width);
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
    if (count && screen_context(screen) == IN_SHEET) // its first rows are notes
        screen->cursors.sheet.row = 0;
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
    struct picture_cursor *cursor = screen_cursor(screen);
    if (cursor && screen_context(screen) != IN_GRID &&
        figure_of(screen)->panels[0].kind == PANEL_MATRIX) {
        const struct figure *figure = figure_of(screen);
        bool first = key == '0' || key == '^' || key == KEY_FIRST;
        cursor->column = first ? 0 : figure->panels[cursor->panel].matrix.columns - 1;
        return;
    }
    act_move(screen, 0, key == '$' || key == KEY_LAST ? INT_MAX / 2 : -INT_MAX / 2);
}
