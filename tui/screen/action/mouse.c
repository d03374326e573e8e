#include "tui/screen/action/mouse.h"

#include "tui/screen/action/act_move.h"
#include "tui/screen/action/act_views.h"
#include "tui/screen/action/act_walk.h"

enum { WHEEL_ROWS = 3 };

/* A click moves the cursor to the cell; a double click opens what can be opened. */
static void click_picture(struct screen *screen, const struct event *event)
{
    struct picture_cursor *cursor = screen_cursor(screen), found = *cursor;
    if (!picture_find(&screen->frame->picture, screen->layout.view, cursor, event->row,
                      event->column, &found))
        return;
    *cursor = found;
    if (event->mouse == MOUSE_DOUBLE)
        act_open(screen, '\r', 0);
}

static void click_sheet(struct screen *screen, const struct event *event)
{
    int column = 0;
    int row = sheet_find(&screen->frame->sheet, screen->layout.view, &screen->cursors.sheet,
                         event->row, event->column, &column);
    if (row == SHEET_TITLES)
        sheet_sort(&screen->frame->sheet, column);
    else if (row >= 0)
        screen->cursors.sheet = (struct sheet_cursor){
            row, column >= 0 ? column : 0, screen->cursors.sheet.top, screen->cursors.sheet.left};
    if (row >= 0 && event->mouse == MOUSE_DOUBLE)
        act_open(screen, '\r', 0);
}

/* A head in the map is shown. */
static bool click_map(struct screen *screen, const struct event *event)
{
    struct view view = screen->frame->view;
    view.module = frame_module(screen->frame);
    if (!screen->layout.side.rows ||
        !layout_find_head(&screen->layout, &screen->frame->maps[view.module], event->row,
                          event->column, &view.layer, &view.head))
        return false;
    act_show(screen, &view);
    return true;
}

static void click(struct screen *screen, const struct event *event)
{
    if (screen->frame->kind == FRAME_SHEET)
        click_sheet(screen, event);
    else if (screen->frame->kind == FRAME_PICTURE && !click_map(screen, event))
        click_picture(screen, event);
}

void mouse_handle(struct screen *screen, const struct event *event)
{
    screen_say(screen, false, "%s", ""); // as after a key, what was said is done with
    switch (event->mouse) {
    case MOUSE_UP:
        act_move(screen, -WHEEL_ROWS, 0);
        break;
    case MOUSE_DOWN:
        act_move(screen, WHEEL_ROWS, 0);
        break;
    case MOUSE_LEFT:
        act_move(screen, 0, -WHEEL_ROWS);
        break;
    case MOUSE_RIGHT:
        act_move(screen, 0, WHEEL_ROWS);
        break;
    default:
        click(screen, event);
    }
}
