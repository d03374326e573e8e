/* Bytes from a terminal as keys and mouse events. Pure: knows neither terminal nor clock.
 *
 * keys_add what was read, then keys_next until it wants more.
 */
#ifndef ATTNSCOPE_KEYS_H
#define ATTNSCOPE_KEYS_H

#include "tui/screen/surface.h"

enum {
    KEYS_BYTES = 4096,
    KEYS_NAMED = 16,
    KEYS_DOUBLE = 400 /* milliseconds between two clicks */
};

struct keys {
    /* What this terminal sends for keys, beside what they all do: fill in before the first call. */
    struct {
        const char *sequence; // NULL: the end
        int key;
    } named[KEYS_NAMED];
    unsigned char bytes[KEYS_BYTES];
    int count;
    long clicked; // when, in milliseconds; 0: not yet
    int row, column;
};

/* How many more bytes there is room for. */
int keys_room(const struct keys *keys);
void keys_add(struct keys *keys, const unsigned char *bytes, int count);

/* Takes the first event; false: there is none, or only the beginning of one. `whole`: no more comes soon, and
 * what began like a sequence was not one (Esc alone). `now`: milliseconds of a steady clock, for double clicks:
 * the second click on a cell soon after the first is EVENT_MOUSE with MOUSE_DOUBLE, after MOUSE_CLICK of the
 * first. Sequences and bytes that mean nothing here are KEY_OTHER. */
bool keys_next(struct keys *keys, bool whole, long now, struct event *event);

/* Takes the bytes as they are, at most as many as an event holds; false: there are none. */
bool keys_take(struct keys *keys, struct event *event);
/* The last `count` bytes of an event of keys_take are to be taken once more. */
void keys_give_back(struct keys *keys, const struct event *event, int count);

#endif
