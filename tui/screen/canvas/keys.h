/* Bytes from a terminal as keys and mouse events. Pure: knows neither terminal nor clock.
 *
 * keys_add what was read, then keys_next until it wants more.
 */
#ifndef ATTNSCOPE_KEYS_H
#define ATTNSCOPE_KEYS_H

#include <stdbool.h>

#include "tui/screen/canvas/event.h"

enum {
    KEYS_BYTES = 4096,
    KEYS_NAMED = 16,
    KEYS_DOUBLE = 400 /* milliseconds between two clicks */
};

struct keys {
    /* Key sequences of this terminal besides the common ones; fill in before the first call. */
    struct {
        const char *sequence; // NULL: the end
        int key;
    } named[KEYS_NAMED];
    unsigned char bytes[KEYS_BYTES];
    int count;
    long clicked; // when, in milliseconds; 0: not yet
    int row, column;
};

/* Returns how many more bytes fit. */
int keys_room(const struct keys *keys);
void keys_add(struct keys *keys, const unsigned char *bytes, int count);

/* Takes the first event; false: there is none, or only the beginning of one. `whole`: no more bytes
 * are about to come, so the beginning of a sequence counts as separate keys (Esc alone). `now`:
 * milliseconds of a monotonic clock; a second click on the same cell within KEYS_DOUBLE is
 * MOUSE_DOUBLE, after the MOUSE_CLICK of the first. Unknown sequences and bytes are KEY_OTHER.
 * EVENT_PASTE takes nothing: the paste is for keys_take. */
bool keys_next(struct keys *keys, bool whole, long now, struct event *event);

/* The same for a line that is typed. EVENT_TEXT: characters, a paste with what is around it, Esc
 * alone or with the character that Alt was pressed with. EVENT_KEY: Tab, or a sequence, with its
 * bytes, that is one key; unknown ones are KEY_OTHER. `pasting`: a paste has begun whose end has
 * not come. Even if `whole`, the beginning of a longer sequence than Esc waits for its end: its
 * bytes are no text. */
bool keys_take(struct keys *keys, bool pasting, bool whole, long now, struct event *event);
/* Puts the last `count` bytes of an event of keys_take back. */
void keys_give_back(struct keys *keys, const struct event *event, int count);

#endif
