#include "tui/screen/action/focus.h"

#include "tui/manual/key_table.h"
#include "tui/screen/action/act_move.h"
#include "tui/screen/action/bindings.h"
#include "tui/screen/action/mouse.h"
#include "tui/screen/action/typing.h"
#include "tui/screen/line/line.h"
#include "tui/terminal/key_codes.h"

static bool enters_view(int key)
{
    return key == KEY_ARROW_LEFT || key == KEY_ARROW_RIGHT || key == '\t' || key == KEY_TAB_BACK;
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
    bool at_prompt = screen->typing == TYPING_PROMPT || screen->typing == TYPING_COMMAND;
    if (at_prompt && line_empty() && has_view(screen) && enters_view(event->key)) {
        enter_view(screen);
        if (key_find(event->key, screen_context(screen)))
            bindings_press(screen, event->key);
    } else if (line_key(event->bytes, event->count, event->key)) {
        typing_finish(screen);
    } else if (event->key == KEY_PAGE_UP || event->key == KEY_PAGE_DOWN) {
        screen_say(screen, false, "%s", "");
        act_page(screen, event->key, 0);
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

/* A click on the line at the bottom goes to the prompt, one above it to the view. */
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
    else if (screen->typing != TYPING_ANSWER)
        click(screen, event);
}
