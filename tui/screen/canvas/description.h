/* The terminal's description in terminfo: its name, and the bytes that the surface sends by itself.
 *
 * Opens nothing but terminfo, which it closes again.
 */
#ifndef ATTNSCOPE_DESCRIPTION_H
#define ATTNSCOPE_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/screen/canvas/keys.h"

enum { DESCRIPTION_BYTES = 128 };

struct description {
    char name[DESCRIPTION_BYTES];
    bool direct; // colours are their own numbers
    /* The alternate screen, "" where there is none. It is switched off in some terminals, so the
     * last row (cup) is emptied (el) in any case for what is written next. */
    char enter[DESCRIPTION_BYTES], leave[DESCRIPTION_BYTES];
    char bottom[DESCRIPTION_BYTES], erase[DESCRIPTION_BYTES];
    char region[DESCRIPTION_BYTES]; // sets the scroll region (csr); "": there is none
    char clear[DESCRIPTION_BYTES];  // the screen
    /* Sets what follows the last column when more is written: nothing, or the next row; "": it
     * cannot be changed. */
    char wrap_off[DESCRIPTION_BYTES], wrap_on[DESCRIPTION_BYTES];
    char hidden[DESCRIPTION_BYTES]; // the cursor
    char plain
        [DESCRIPTION_BYTES]; // no attributes, the terminal's own colours, the cursor shown, with wrapping
    /* The mouse and brackets around what is pasted are on in both. */
    char
        keys_on[DESCRIPTION_BYTES]; // with the keypad's own sequences and the terminal's own cursor
    char line_on[DESCRIPTION_BYTES];   // with the keypad's digits and a bar as the cursor
    char modes_off[DESCRIPTION_BYTES]; // none of them
    char keys[KEYS_NAMED][16];         // as description_keys names them; "": unknown
};

/* Chooses by TERM and COLORTERM as surface.h says. False: TERM is unknown, or its cursor cannot be
 * moved. */
bool description_find(struct description *description);

/* Fills in the key sequences of this terminal, which remain owned by the description. */
void description_keys(const struct description *description, struct key_reader *keys);

/* The sequence that switches to one of the two ways of reading, keys or a line. */
const char *description_modes(const struct description *description, bool line);

/* Writes the bytes that make the whole screen the scroll region again, which ncurses sets and never
 * resets; "": there is nothing to reset. They may move the cursor. `rows`: of the terminal. */
void description_whole_region(const struct description *description, int rows, char *text,
                              size_t size);

/* Writes the bytes that enter the screen, or leave it with everything reset; at most `size` - 1
 * bytes, no padding. */
void description_enter(const struct description *description, bool line, char *text, size_t size);
void description_leave(const struct description *description, int rows, char *text, size_t size);

#endif
