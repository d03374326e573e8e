/* Decodes bytes from a terminal into keys and mouse events. Pure: no terminal, no clock.
 *
 * Call keys_add with what was read, then keys_next until it returns false.
 */
#ifndef ATTNSCOPE_KEYS_H
#define ATTNSCOPE_KEYS_H

#include <stdbool.h>

#include "terminal/key_codes.h"

/* Input from the terminal: keys, typed text, the mouse, a new size. */

enum event_kind {
    EVENT_NONE,   // no input
    EVENT_KEY,    // `key` and its `bytes`
    EVENT_TEXT,   // `bytes` for a line
    EVENT_PASTE,  // a paste follows instead of keys; read it as text
    EVENT_MOUSE,  // row, column, mouse
    EVENT_RESIZE, // the size changed, or the program continues after Ctrl-Z: redraw
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
    /* This terminal's key sequences besides the common ones; fill in before the first call. */
    struct {
        const char *sequence; // NULL: the end
        int key;
    } named[KEYS_NAMED];
    unsigned char bytes[KEYS_BYTES];
    int count;
    long clicked; // time of the last click in milliseconds; 0: none
    int row, column;
};

/* Returns how many more bytes fit. */
int keys_room(const struct key_reader *keys);
void keys_add(struct key_reader *keys, const unsigned char *bytes, int count);

/* Takes the first event; false: none, or an incomplete one. `whole`: no more bytes are coming, so
 * the beginning of a sequence counts as separate keys (Esc alone). `now`: milliseconds of a
 * monotonic clock; a second click on the same cell within KEYS_DOUBLE is MOUSE_DOUBLE, after the
 * MOUSE_CLICK of the first. Unknown sequences and bytes are KEY_OTHER. EVENT_PASTE consumes
 * nothing: the paste is for keys_take. */
bool keys_next(struct key_reader *keys, bool whole, long now, struct event *event);

/* The same for a line being typed. EVENT_TEXT: characters, a paste with its brackets, Esc alone or
 * with the character pressed with Alt. EVENT_KEY: Tab, or the sequence of one key, with its bytes;
 * unknown ones are KEY_OTHER. `pasting`: a paste has begun but not ended. Even if `whole`, the
 * beginning of a sequence longer than Esc waits for its end, because its bytes are not text. */
bool keys_take(struct key_reader *keys, bool pasting, bool whole, long now, struct event *event);
/* Puts back the last `count` bytes of an event from keys_take. */
void keys_give_back(struct key_reader *keys, const struct event *event, int count);

#endif
