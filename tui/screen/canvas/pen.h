/* The look of the characters that are sent next. For the surface alone, after newterm.
 */
#ifndef ATTNSCOPE_PEN_H
#define ATTNSCOPE_PEN_H

#include <stdbool.h>

enum { PEN_OWN = -1 }; // the terminal's own colour
struct look {
    bool bold, dim, reverse, underline;
    int ink, ground; // numbers of the terminal's colours, or PEN_OWN
};

/* Adds to what is sent (sent.h) what changes the look, which is plain at first. */
void pen_set(struct look look);
void pen_plain(void);

#endif
