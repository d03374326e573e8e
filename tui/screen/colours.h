/* Styles as ncurses shows them: attributes, and a pair of colours. After newterm; for the surface alone.
 */
#ifndef ATTNSCOPE_COLOURS_H
#define ATTNSCOPE_COLOURS_H

#include "tui/screen/look.h"

/* How many colours there are to be had (NO_COLOR), and what they are named by. `direct`: the description is one
 * where a colour is its own number. */
enum depth colours_open(bool direct);

/* A screen is drawn: as many pairs as it needs may be taken. */
void colours_begin(void);

/* Attributes (attr_t) and pair of a style. False: all pairs are taken, most by what is not on the screen any
 * more: call colours_forget and draw all of it anew. When one screen alone has more, the pair with the nearest
 * colours is used. */
bool colours_find(const struct style *style, unsigned *attributes, int *pair);
void colours_forget(void);

#endif
