/* Switching heads off, and taking changes back. */
#include <stdlib.h>
#include <string.h>

#include "tui/screen/act.h"
#include "tui/selector.h"

/* Whether it will be off when all that was asked for is done. */
static bool will_be_off(const struct screen *screen, enum module module, int layer, int head)
{
    const struct head_map *map = &screen->frame->maps[module];
    for (int i = screen->switches.count - 1; i >= 0; i--) {
        const struct switched *last = &screen->switches.last[i];
        bool here = last->module == module && last->layer == layer;
        if (last->layer < 0 || (here && (last->head < 0 || last->head == head)))
            return last->off;
    }
    return map->marks[layer * map->heads + head] & MARK_OFF;
}

/* Of many the oldest are forgotten: by then they are done. */
static void remember(struct screen *screen, struct switched switched)
{
    struct switches *switches = &screen->switches;
    if (switches->count == SWITCHES_MOST)
        memmove(switches->last, switches->last + 1, --switches->count * sizeof *switches->last);
    switches->last[switches->count++] = switched;
}

void act_toggle_head(struct screen *screen, enum module module, int layer, int head)
{
    bool off = !will_be_off(screen, module, layer, head);
    remember(screen, (struct switched){module, layer, head, off});
    screen_send(screen, ":%s %s layer %d head %d", off ? "disable" : "enable", module_names[module],
                layer + 1, head + 1);
}

/* Of mean and maximum: all heads of the layer. */
static void toggle_layer(struct screen *screen, enum module module, int layer)
{
    const struct head_map *map = &screen->frame->maps[module];
    bool all_off = true;
    for (int h = 0; h < map->heads; h++)
        all_off &= will_be_off(screen, module, layer, h);
    remember(screen, (struct switched){module, layer, -1, !all_off});
    screen_send(screen, ":%s %s layer %d", all_off ? "enable" : "disable", module_names[module],
                layer + 1);
}

/* Gates are of layers. */
static bool shows_heads(const struct frame *frame)
{
    return frame->result.kind != RESULT_GATES && frame->result.kind != RESULT_GATE_GROUPS;
}

void act_toggle(struct screen *screen, int key, int count)
{
    const struct frame *frame = screen->frame;
    const struct spot *spot = screen_spot(screen);
    struct view view = act_view(screen);
    (void)key;
    if (frame->result.kind == RESULT_HEADS || frame->result.kind == RESULT_TOKEN) {
        bool heads = frame->result.kind == RESULT_HEADS;
        const struct head_grid *grid =
            heads ? &frame->result.heads.grid : &frame->result.token.grid;
        int index = heads ? spot->panel : spot->row;
        view.module = grid->module;
        view.layer = grid->layers[index / grid->head_count];
        view.head = grid->heads[index % grid->head_count];
    } else if (frame->result.kind == RESULT_IMPORTANCE) {
        view.module = frame->result.importance.module;
        view.layer = frame->result.importance.layer;
        view.head = spot->column;
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
        act_toggle_head(screen, view.module, view.layer, view.head);
}

void act_clear(struct screen *screen, int key, int count)
{
    (void)key;
    (void)count;
    remember(screen, (struct switched){.layer = -1});
    screen_send(screen, ":enable");
}

/* All at once: what is passed by need not be seen. */
static void repeat(struct screen *screen, const char *command, int count)
{
    screen->switches.count = 0; // what is taken back is not known here
    char *lines = NULL;
    size_t size;
    FILE *stream = open_memstream(&lines, &size);
    if (!stream)
        return;
    for (int i = 0; i < (count ? count : 1) && i < 100; i++)
        fprintf(stream, "%s\n", command);
    if (fclose(stream) == 0)
        screen_send(screen, "%s", lines);
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
