#include "tui/screen/frame/full_picture.h"

#include <stdlib.h>

#include "tui/screen/canvas/surface.h"

#define CLEAR "\033[0m\033[H\033[2J"
#define HINT "\033[2m any key returns\033[0m"

/* Sends what was written to memory in one piece. Returns false if memory ran out. */
static bool send(FILE *stream, char **text, const size_t *size, bool wanted, struct status *status)
{
    bool ok = fclose(stream) == 0 || status_no_memory(status);
    if (ok && wanted)
        surface_send(*text, *size);
    free(*text);
    return ok;
}

void full_picture_ask(struct full_picture *full, const struct terminal_picture *picture)
{
    full_picture_hide(full);
    graphics_ask(picture->graphics, &full->terminal);
}

bool full_picture_show(struct full_picture *full, const struct terminal_picture *picture,
                       struct status *status)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return status_no_memory(status);
    int rows = full->terminal.rows > 1 ? full->terminal.rows - 1 : 1;
    fputs(CLEAR, stream);
    bool ok = graphics_write(&full->terminal, rows, picture->png, picture->bytes, stream, status);
    fprintf(stream, "\033[%d;1H" HINT, full->terminal.rows);
    full->up = send(stream, &text, &size, ok, status) && ok;
    return full->up;
}

void full_picture_hide(struct full_picture *full)
{
    char *text = NULL;
    size_t size;
    struct status unused;
    FILE *stream = full->up ? open_memstream(&text, &size) : NULL;
    if (full->up)
        surface_refresh();
    full->up = false;
    if (!stream)
        return;
    graphics_remove(&full->terminal, stream);
    send(stream, &text, &size, true, &unused);
}

/* True for a single key: one character, or Enter, Esc and the like. Several at once are a line, as
 * is a paste. */
static bool is_one_key(const struct event *event)
{
    int characters = 0;
    for (int i = 0; i < event->count; i++)
        characters += (event->bytes[i] & 0xC0) != 0x80;
    return event->kind == EVENT_KEY || (event->kind == EVENT_TEXT && characters == 1);
}

bool full_picture_take(struct full_picture *full, const struct event *event)
{
    bool wheel = event->kind == EVENT_MOUSE && event->mouse != MOUSE_CLICK;
    if (!full->up || event->kind == EVENT_NONE || event->kind == EVENT_END)
        return false;
    if (!wheel)
        full_picture_hide(full);
    return event->kind == EVENT_MOUSE || is_one_key(event);
}
