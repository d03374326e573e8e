#include "tui/screen/action/act.h"

#include <stdio.h>
#include <string.h>

#include "terminal/key_codes.h"
#include "tui/manual/key_table.h"
#include "tui/screen/action/letters.h"
#include "tui/screen/action/typing.h"
#include "tui/screen/canvas/keys.h"
#include "tui/screen/canvas/surface.h"
#include "tui/screen/line/line.h"
#include "tui/screen/state/state.h"

/* Clicks on the line of keys: a click types the key shown there -------------------------------- */

/* What terminals send for the keys that the line names, also with --ascii. */
static const struct {
    const char *name, *bytes;
} named_keys[] =
    {
        {"Esc", "\033"},     {"Enter", "\r"},     {"Tab", "\t"},
        {"PgUp", "\033[5~"}, {"PgDn", "\033[6~"}, {":help", ":help\r"},
},
  arrows[] = {
      {"\xe2\x86\x90", "\033[D"}, // ←
      {"\xe2\x86\x92", "\033[C"}, // →
      {"\xe2\x86\x91", "\033[A"}, // ↑
      {"\xe2\x86\x93", "\033[B"}, // ↓
      {"<", "\033[D"},
      {">", "\033[C"},
      {"^", "\033[A"},
      {"v", "\033[B"},
};

static const char *arrow_named(const char *name)
{
    for (size_t i = 0; i < sizeof arrows / sizeof *arrows; i++)
        if (strcmp(name, arrows[i].name) == 0)
            return arrows[i].bytes;
    return NULL;
}

static const char *text_at(const struct canvas *canvas, int row, int column)
{
    const struct cell *cell = canvas_cell(canvas, row, column);
    return cell && *cell->text ? cell->text : " ";
}

static bool is_blank_at(const struct canvas *canvas, int row, int column)
{
    return strcmp(text_at(canvas, row, column), " ") == 0;
}

/* A word of the line: columns begin … end-1. */
struct key_word {
    int begin, end;
    char text[64];
};

static struct key_word word_at(const struct canvas *canvas, int row, int column)
{
    struct key_word word = {column, column, ""};
    while (!is_blank_at(canvas, row, word.begin - 1))
        word.begin--;
    size_t used = 0;
    for (word.end = word.begin; !is_blank_at(canvas, row, word.end); word.end++) {
        const char *text = text_at(canvas, row, word.end);
        if (used + strlen(text) < sizeof word.text)
            used += (size_t)sprintf(word.text + used, "%s", text);
    }
    return word;
}

static bool is_arrows(const struct canvas *canvas, int row, const struct key_word *word)
{
    bool ascii_v = strcmp(word->text, "v") == 0; // the character is a key of its own
    for (int column = word->begin; column < word->end; column++)
        if (!arrow_named(text_at(canvas, row, column)))
            return false;
    return !ascii_v;
}

/* In words of several keys, "hjkl" and arrows, each character is a key. */
static const char *key_of_word(const struct canvas *canvas, int row, const struct key_word *word,
                               int column)
{
    const char *text = text_at(canvas, row, column);
    if (is_arrows(canvas, row, word))
        return arrow_named(text);
    for (size_t i = 0; i < sizeof named_keys / sizeof *named_keys; i++)
        if (strcmp(word->text, named_keys[i].name) == 0)
            return named_keys[i].bytes;
    return word->text[1] == '\0' || strcmp(word->text, "hjkl") == 0 ? text : NULL;
}

const char *key_line_find(const struct canvas *canvas, int row, int column)
{
    if (is_blank_at(canvas, row, column))
        return NULL;
    struct key_word word = word_at(canvas, row, column);
    const char *key = key_of_word(canvas, row, &word, column);
    if (key)
        return key;
    while (!is_blank_at(canvas, row, word.begin - 2)) // an item's words are one blank apart
        word = word_at(canvas, row, word.begin - 2);
    return key_of_word(canvas, row, &word, word.end - 1);
}

/* Types the key that was clicked, to be read next. False: the click is not on that line. */
static bool key_line_click(const struct screen *screen, const struct event *event)
{
    const struct area *line = &screen->layout.keys;
    if (!line->rows || event->row != line->row)
        return false;
    const char *key = key_line_find(&screen->canvas, event->row, event->column);
    struct event typed = {.count = key ? (int)strlen(key) : 0};
    memcpy(typed.bytes, key ? key : "", (size_t)typed.count);
    surface_give_back(&typed, typed.count);
    return true;
}

/* The mouse: clicks on cells, heads and rows; the wheel ---------------------------------------- */

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
