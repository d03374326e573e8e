/* What terminfo says of the terminal: which description to use, and the bytes that the surface sends by itself.
 *
 * Opens nothing but terminfo, which it closes again.
 */
#ifndef ATTNSCOPE_DESCRIPTION_H
#define ATTNSCOPE_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/screen/keys.h"

enum { DESCRIPTION_BYTES = 128 };

struct description {
    char name[DESCRIPTION_BYTES];
    bool direct; // colours are their own numbers
    /* The alternate screen, "" where there is none. Some terminals have it switched off: so what comes after finds
     * the last row (cup) empty (el) in any case. */
    char enter[DESCRIPTION_BYTES], leave[DESCRIPTION_BYTES];
    char bottom[DESCRIPTION_BYTES], erase[DESCRIPTION_BYTES];
    char hidden[DESCRIPTION_BYTES];  // the cursor
    char plain[DESCRIPTION_BYTES];   // no attributes, the terminal's own colours, the cursor shown
    char keys_on[DESCRIPTION_BYTES]; // keypad and mouse, no brackets around what is pasted
    char raw_on[DESCRIPTION_BYTES];  // the contrary
    char modes_off[DESCRIPTION_BYTES]; // none of them
    char keys[KEYS_NAMED][16];         // as description_keys names them; "": unknown
};

/* By TERM, COLORTERM as surface.h says. False: TERM is unknown, or cannot move its cursor. */
bool description_find(struct description *description);

/* Sequences of this terminal; they stay the description's. */
void description_keys(const struct description *description, struct keys *keys);

/* From one of the two ways of reading to the other. */
const char *description_modes(const struct description *description, bool raw);

/* What enters the screen, and what leaves it, at most `size` - 1 bytes; no padding. `rows`: the terminal has. */
void description_enter(const struct description *description, bool raw, char *text, size_t size);
void description_leave(const struct description *description, int rows, char *text, size_t size);

#endif
