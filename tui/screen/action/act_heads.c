#include "tui/screen/action/act_heads.h"

#include <stdio.h>
#include <stdlib.h>

#include "tui/screen/state/requests.h"
#include "tui/session/selector.h"

/* Whether the head will be off once everything asked for is done. */
static bool will_be_off(const struct screen *screen, enum module module, int layer, int head)
{
    const struct head_map *map = &screen->frame->maps[module];
    bool now = map->marks[layer * map->heads + head] & MARK_OFF;
    return pending_off(&screen->pending, module, layer, head, now);
}

static void toggle_head(struct screen *screen, enum module module, int layer, int head)
{
    bool off = !will_be_off(screen, module, layer, head);
    pending_add_switch(&screen->pending, (struct head_switch){module, layer, head, off});
    request_command(screen, ":%s %s layer %d head %d", off ? "disable" : "enable",
                    module_names[module], layer + 1, head + 1);
}

/* Where mean or maximum is shown, all heads of the layer are switched. */
static void toggle_layer(struct screen *screen, enum module module, int layer)
{
    const struct head_map *map = &screen->frame->maps[module];
    bool all_off = true;
    for (int h = 0; h < map->heads; h++)
        all_off &= will_be_off(screen, module, layer, h);
    pending_add_switch(&screen->pending, (struct head_switch){module, layer, -1, !all_off});
    request_command(screen, ":%s %s layer %d", all_off ? "enable" : "disable", module_names[module],
                    layer + 1);
}

/* Gates belong to layers, not to heads. */
static bool shows_heads(const struct frame *frame)
{
    enum view_kind kind = frame_navigation(frame)->kind;
    return kind != VIEW_GATES && kind != VIEW_FILE;
}

void act_toggle(struct screen *screen, int key, int count)
{
    const struct frame *frame = screen->frame;
    const struct picture_cursor *cursor = screen_cursor(screen);
    struct view view = requested_view(screen, screen->frame->view);
    (void)key;
    const struct navigation *at = frame_navigation(frame);
    if (at->kind == VIEW_HEADS || at->kind == VIEW_TOKEN) {
        const struct head_grid *grid = at->grid;
        int index = at->kind == VIEW_HEADS ? cursor->panel : cursor->row;
        view.module = grid->module;
        view.layer = grid->layers[index / grid->head_count];
        view.head = grid->heads[index % grid->head_count];
    } else if (at->kind == VIEW_IMPORTANCE) {
        view.module = at->view.module;
        view.layer = at->view.layer;
        view.head = cursor->column;
    }
    if (count)
        view.head = count - 1;
    if (!shows_heads(frame))
        screen_say(screen, true, "no head is chosen here: expected a view of one, or of all");
    else if (view.head >= frame->maps[view.module].heads)
        screen_say(screen, true, "expected head 1 to %d", frame->maps[view.module].heads);
    else if (view.head < 0)
        toggle_layer(screen, view.module, view.layer);
    else
        toggle_head(screen, view.module, view.layer, view.head);
}

void act_clear(struct screen *screen, int key, int count)
{
    (void)key;
    (void)count;
    pending_add_switch(&screen->pending, (struct head_switch){.layer = -1});
    request_command(screen, ":enable");
}

/* Sent as one request, so that the states in between are not shown. */
static void repeat(struct screen *screen, const char *command, int count)
{
    pending_forget_switches(&screen->pending);
    char *lines = NULL;
    size_t size;
    FILE *stream = open_memstream(&lines, &size);
    if (!stream)
        return;
    for (int i = 0; i < (count ? count : 1) && i < 100; i++)
        fprintf(stream, "%s\n", command);
    if (fclose(stream) == 0)
        request_command(screen, "%s", lines);
    free(lines);
}

void act_undo(struct screen *screen, int key, int count)
{
    (void)key;
    repeat(screen, ":undo", count);
}

void act_redo(struct screen *screen, int key, int count)
{
    (void)key;
    repeat(screen, ":redo", count);
}
