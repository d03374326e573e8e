/* The mouse: clicks on cells, heads and lines; the wheel. */
#include "tui/screen/act.h"
#include "tui/screen/side.h"

enum { WHEEL_ROWS = 3 };

/* A click on a cell goes there; on what can be opened, a second one opens it. */
static void click_picture(struct screen *screen, const struct event *event)
{
    struct spot *spot = screen_spot(screen), found = *spot;
    if (!picture_find(&screen->frame->picture, screen->layout.view, spot, event->row, event->column,
                      &found))
        return;
    *spot = found;
    if (event->mouse == MOUSE_DOUBLE)
        act_open(screen, '\r', 0);
}

static void click_sheet(struct screen *screen, const struct event *event)
{
    int column = 0;
    int row = sheet_find(&screen->frame->sheet, screen->layout.view, &screen->places.sheet,
                         event->row, event->column, &column);
    if (row == SHEET_TITLES)
        sheet_sort(&screen->frame->sheet, column);
    else if (row >= 0)
        screen->places.sheet = (struct sheet_spot){
            row, column >= 0 ? column : 0, screen->places.sheet.top, screen->places.sheet.left};
    if (row >= 0 && event->mouse == MOUSE_DOUBLE)
        act_open(screen, '\r', 0);
}

static void click(struct screen *screen, const struct event *event)
{
    int layer, head;
    if (screen->frame->kind == FRAME_PICTURE && screen->layout.side.rows &&
        side_find(screen, event->row, event->column, &layer, &head))
        act_toggle_head(screen, side_module(screen), layer, head);
    else if (screen->frame->kind == FRAME_PICTURE)
        click_picture(screen, event);
    else if (screen->frame->kind == FRAME_SHEET)
        click_sheet(screen, event);
}

void screen_mouse(struct screen *screen, const struct event *event)
{
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
