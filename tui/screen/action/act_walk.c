#include "tui/screen/action/act_walk.h"

#include <stdio.h>
#include <string.h>

#include "tui/report/gates.h"
#include "tui/screen/action/act_move.h"
#include "tui/screen/state/requests.h"
#include "tui/session/selector.h"
#include "tui/terminal/key_codes.h"

static int clamp(int value, int least, int most)
{
    return value < least ? least : value > most ? most : value;
}

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

void act_head(struct screen *screen, int key, int count)
{
    struct view view = requested_view(screen, screen->frame->view);
    int heads = screen->frame->maps[view.module].heads, steps = count ? count : 1;
    bool merged = view.head < 0;
    if (!method_table[view.as].of_heads)
        view.as = METHOD_WEIGHTS;
    view.head =
        merged ? 0 : clamp(view.head + (key == KEY_ARROW_RIGHT ? steps : -steps), 0, heads - 1);
    act_show(screen, &view);
}

void act_layer(struct screen *screen, int key, int count)
{
    struct view view = requested_view(screen, screen->frame->view);
    int layers = screen->frame->maps[view.module].layers, steps = count ? count : 1;
    view.layer = clamp(view.layer + (key == KEY_ARROW_DOWN ? steps : -steps), 0, layers - 1);
    act_show(screen, &view);
}

static struct view in_module(const struct screen *screen, struct view view, enum module module)
{
    const struct head_map *map = &screen->frame->maps[module];
    view.module = module;
    view.layer = clamp(view.layer, 0, map->layers - 1);
    view.head = view.head < 0 ? view.head : clamp(view.head, 0, map->heads - 1);
    return view;
}

/* A recurrent decoder has no self-attention to walk to. */
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

void act_module(struct screen *screen, int key, int count)
{
    const struct navigation *at = frame_navigation(screen->frame);
    struct view view = requested_view(screen, shown_by(screen));
    (void)count;
    view = in_module(screen, view, next_of(screen->frame, at, view.module, key));
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

void act_other(struct screen *screen, int key, int count)
{
    const struct navigation *at = frame_navigation(screen->frame);
    bool vertical = key == KEY_ARROW_UP || key == KEY_ARROW_DOWN;
    if (at->kind == VIEW_BESIDE) {
        (vertical ? act_layer : act_head)(screen, key, count);
    } else if (at->kind == VIEW_IMPORTANCE && vertical) {
        struct view view = requested_view(screen, shown_by(screen));
        int layer = view.layer + (key == KEY_ARROW_DOWN ? 1 : -1);
        view.layer = clamp(layer, 0, screen->frame->maps[view.module].layers - 1);
        pending_set_view(&screen->pending, &view);
        show_importance(screen, &view);
    } else if (at->kind == VIEW_GATES && !vertical) {
        request_view(screen, ":gates %s %s", module_names[at->view.module],
                     gate_side_names[at->side == SIDE_Q ? SIDE_K : SIDE_Q]);
    } else {
        act_arrow_cell(screen, key, count);
    }
}
