/* What was asked of the worker and may not be shown yet: keys that follow quickly build on it instead of on what is
 * shown.
 *
 * Zero-initialise; pending_clear when the worker has nothing left to do. Owns no memory.
 */
#ifndef ATTNSCOPE_PENDING_H
#define ATTNSCOPE_PENDING_H

#include "tui/report/view.h"

enum { SWITCHES_MOST = 64 };

/* Heads that were asked to be switched on or off. */
struct head_switch {
    enum module module;
    int layer, head; // head -1: all of the layer; layer -1: all of the model
    bool off;
};

struct pending {
    struct view view; // the view asked for last, if has_view
    bool has_view;
    bool from_table;       // that view was opened from a row of the table shown
    bool words, has_words; // whether words or tokens were asked for last, if has_words
    struct head_switch switches[SWITCHES_MOST]; // (switch_count), oldest first
    int switch_count;
};

void pending_clear(struct pending *pending);

void pending_set_view(struct pending *pending, const struct view *view);
void pending_set_words(struct pending *pending, bool words);

/* Beyond SWITCHES_MOST the oldest is forgotten: it has been carried out by then. */
void pending_add_switch(struct pending *pending, struct head_switch added);
/* After an undo or redo the outcome of the switches is not known here. */
void pending_forget_switches(struct pending *pending);

/* Whether the head will be off once all pending switches are carried out; `now`: whether it is off as shown. */
bool pending_off(const struct pending *pending, enum module module, int layer, int head, bool now);

#endif
