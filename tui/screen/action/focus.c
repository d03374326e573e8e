#include "tui/screen/action/act.h"

#include "terminal/key_codes.h"
#include "tui/manual/key_table.h"
#include "tui/screen/action/key_line.h"
#include "tui/screen/action/letters.h"
#include "tui/screen/action/typing.h"
#include "tui/screen/canvas/keys.h"
#include "tui/screen/line/line.h"
#include "tui/screen/state/state.h"

/* The mouse: clicks on cells, heads and rows; the wheel. */

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
        act_open(screen);
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
        act_open(screen);
}

/* Shows the head clicked in the map. */
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

static void click_view(struct screen *screen, const struct event *event)
{
    if (screen->frame->kind == FRAME_SHEET)
        click_sheet(screen, event);
    else if (screen->frame->kind == FRAME_PICTURE && !click_map(screen, event))
        click_picture(screen, event);
}

/* Does what an EVENT_MOUSE says. */
static void mouse_handle(struct screen *screen, const struct event *event)
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
        click_view(screen, event);
    }
}

static bool enters_view(int key)
{
    return key == KEY_ARROW_LEFT || key == KEY_ARROW_RIGHT || key == KEY_ARROW_DOWN ||
           key == '\t' || key == KEY_TAB_BACK;
}

/* Before the first sentence there is nothing to enter. */
static bool has_view(const struct screen *screen)
{
    return screen->frame->kind != FRAME_EMPTY;
}

static void enter_view(struct screen *screen)
{
    line_leave();
    screen->typing = TYPING_NOTHING;
    screen->prefix = (struct key_prefix){0};
}

void focus_line_key(struct screen *screen, const struct event *event)
{
    letters_end(screen);
    bool at_prompt = screen->typing == TYPING_PROMPT || screen->typing == TYPING_COMMAND;
    if (at_prompt && line_empty() && has_view(screen) && enters_view(event->key)) {
        enter_view(screen);
        if (key_find(event->key, screen_context(screen)))
            act_press(screen, event->key);
    } else if (line_key(event->bytes, event->count, event->key)) {
        typing_finish(screen);
    } else if (event->key == KEY_PAGE_UP || event->key == KEY_PAGE_DOWN) {
        screen_say(screen, false, "%s", "");
        screen->key = event->key;
        screen->count = 0;
        act_page(screen);
    }
}

static bool is_wheel(enum mouse mouse)
{
    return mouse != MOUSE_CLICK && mouse != MOUSE_DOUBLE;
}

static bool on_line(const struct screen *screen, int row)
{
    const struct area *line = &screen->layout.bottom;
    return row >= line->row && row < line->row + line->rows;
}

/* A click on the bottom line goes to the prompt, one above it to the view. */
static void click(struct screen *screen, const struct event *event)
{
    bool typing = screen->typing != TYPING_NOTHING;
    if (on_line(screen, event->row)) {
        if (!typing)
            typing_begin_prompt(screen);
    } else if (has_view(screen)) {
        if (typing)
            enter_view(screen);
        mouse_handle(screen, event);
    }
}

void focus_mouse(struct screen *screen, const struct event *event)
{
    if (is_wheel(event->mouse))
        mouse_handle(screen, event);
    else if (key_line_click(screen, event))
        screen_say(screen, false, "%s", "");
    else if (screen->typing != TYPING_ANSWER && screen->typing != TYPING_DOUBT)
        click(screen, event);
}
