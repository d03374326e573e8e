#include "tui/screen/state/state.h"

#include <string.h>

void pending_clear(struct pending *pending)
{
    pending->has_view = false;
    pending->from_table = false;
    pending->has_words = false;
    pending->switch_count = 0;
}

void pending_set_view(struct pending *pending, const struct view *view)
{
    pending->view = *view;
    pending->has_view = true;
}

void pending_set_words(struct pending *pending, bool words)
{
    pending->words = words;
    pending->has_words = true;
}

void pending_add_switch(struct pending *pending, struct head_switch added)
{
    struct head_switch *switches = pending->switches;
    if (pending->switch_count == SWITCHES_MOST)
        memmove(switches, switches + 1, (size_t)--pending->switch_count * sizeof *switches);
    switches[pending->switch_count++] = added;
}

void pending_forget_switches(struct pending *pending)
{
    pending->switch_count = 0;
}

bool pending_off(const struct pending *pending, enum module module, int layer, int head, bool now)
{
    for (int i = pending->switch_count - 1; i >= 0; i--) {
        const struct head_switch *last = &pending->switches[i];
        bool same_layer = last->module == module && last->layer == layer;
        if (last->layer < 0 || (same_layer && (last->head < 0 || last->head == head)))
            return last->off;
    }
    return now;
}
