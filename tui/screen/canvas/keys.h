/* Bytes from a terminal as keys and mouse events. Pure: knows neither terminal nor clock.
 *
 * keys_add what was read, then keys_next until it wants more.
 */
#ifndef ATTNSCOPE_KEYS_H
#define ATTNSCOPE_KEYS_H

#include <stdbool.h>

#include "terminal/key_codes.h"

/* Input from the terminal: keys, typed text, the mouse, a new size. */

enum event_kind {
    EVENT_NONE,   // nothing is there
    EVENT_KEY,    // `key` and its `bytes`
    EVENT_TEXT,   // `bytes` for a line
    EVENT_PASTE,  // instead of keys a paste comes next: it is to be read as text
    EVENT_MOUSE,  // row, column, mouse
    EVENT_RESIZE, // the size changed, or the program goes on after Ctrl-Z: draw again
    EVENT_END     // the terminal is gone
};

enum mouse { MOUSE_CLICK, MOUSE_DOUBLE, MOUSE_UP, MOUSE_DOWN, MOUSE_LEFT, MOUSE_RIGHT };

struct event {
    enum event_kind kind;
    int key; // key_codes.h
    int row, column;
    enum mouse mouse;
    unsigned char bytes[256];
    int count; // of bytes
};

enum {
    KEYS_BYTES = 4096,
    KEYS_NAMED = 16,
    KEYS_DOUBLE = 400 /* milliseconds between two clicks */
};

struct key_reader {
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
int keys_room(const struct key_reader *keys);
void keys_add(struct key_reader *keys, const unsigned char *bytes, int count);

/* Takes the first event; false: there is none, or only the beginning of one. `whole`: no more bytes
 * are about to come, so the beginning of a sequence counts as separate keys (Esc alone). `now`:
 * milliseconds of a monotonic clock; a second click on the same cell within KEYS_DOUBLE is
 * MOUSE_DOUBLE, after the MOUSE_CLICK of the first. Unknown sequences and bytes are KEY_OTHER.
 * EVENT_PASTE takes nothing: the paste is for keys_take. */
bool keys_next(struct key_reader *keys, bool whole, long now, struct event *event);

/* The same for a line that is typed. EVENT_TEXT: characters, a paste with what is around it, Esc
 * alone or with the character that Alt was pressed with. EVENT_KEY: Tab, or a sequence, with its
 * bytes, that is one key; unknown ones are KEY_OTHER. `pasting`: a paste has begun whose end has
 * not come. Even if `whole`, the beginning of a longer sequence than Esc waits for its end: its
 * bytes are no text. */
bool keys_take(struct key_reader *keys, bool pasting, bool whole, long now, struct event *event);
/* Puts the last `count` bytes of an event of keys_take back. */
void keys_give_back(struct key_reader *keys, const struct event *event, int count);

#endif
