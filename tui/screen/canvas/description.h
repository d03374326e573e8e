/* The terminal's description in terminfo: its name, and the bytes that the surface sends itself.
 *
 * Opens only terminfo and closes it again.
 */
#ifndef ATTNSCOPE_DESCRIPTION_H
#define ATTNSCOPE_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/screen/canvas/keys.h"

enum { DESCRIPTION_BYTES = 128 };

struct description {
    char name[DESCRIPTION_BYTES];
    bool direct; // colours are given by value, not by index
    /* The alternate screen; "": none. Some terminals switch it off, so the last row (cup) is always
     * erased (el) for later output. */
    char enter[DESCRIPTION_BYTES], leave[DESCRIPTION_BYTES];
    char bottom[DESCRIPTION_BYTES], erase[DESCRIPTION_BYTES];
    char region[DESCRIPTION_BYTES]; // sets the scroll region (csr); "": none
    char clear[DESCRIPTION_BYTES];  // the screen
    /* Turn wrapping at the last column off and on; "": cannot be changed. */
    char wrap_off[DESCRIPTION_BYTES], wrap_on[DESCRIPTION_BYTES];
    char hidden[DESCRIPTION_BYTES]; // the cursor
    char plain[DESCRIPTION_BYTES];  // no attributes, default colours, visible cursor, wrapping
    /* The mouse and bracketed paste are on in both. */
    char keys_on[DESCRIPTION_BYTES];   // with keypad sequences and the default cursor
    char line_on[DESCRIPTION_BYTES];   // with keypad digits and a bar cursor
    char modes_off[DESCRIPTION_BYTES]; // all of them off
    char keys[KEYS_NAMED][16];         // in the order of description_keys; "": unknown
};

/* Chooses by TERM and COLORTERM (surface.h). False: TERM is unknown, or its cursor cannot be
 * moved. */
bool description_find(struct description *description);

/* Fills in this terminal's key sequences; the description still owns them. */
void description_keys(const struct description *description, struct key_reader *keys);

/* The sequence that switches to reading keys or a line. */
const char *description_modes(const struct description *description, bool line);

/* Writes the bytes that reset the scroll region to the whole screen, because ncurses sets and never
 * resets it; "": nothing to reset. They may move the cursor. `rows`: of the terminal. */
void description_whole_region(const struct description *description, int rows, char *text,
                              size_t size);

/* Writes the bytes that enter the screen, or leave it with everything reset; at most `size` - 1
 * bytes, no padding. */
void description_enter(const struct description *description, bool line, char *text, size_t size);
void description_leave(const struct description *description, int rows, char *text, size_t size);

#endif
