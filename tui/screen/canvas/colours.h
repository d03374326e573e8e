/* Styles as ncurses shows them: attributes, and a pair of colours. After newterm; for the surface alone.
 */
#ifndef ATTNSCOPE_COLOURS_H
#define ATTNSCOPE_COLOURS_H

#include "tui/screen/canvas/style.h"

/* Finds out how many colours there are (none under NO_COLOR) and how they are numbered. `direct`: in the terminal
 * description a colour is its own number. */
enum depth colours_open(bool direct);

/* To be called before a screen is drawn: all its pairs may be allocated anew. */
void colours_begin(void);

/* Attributes (attr_t) and colour pair of a style. False: all pairs are in use, most of them by what is no longer on
 * the screen: call colours_forget and draw everything again. If one screen alone needs more pairs than there are,
 * the pair with the nearest colours is used. */
bool colours_find(const struct style *style, unsigned *attributes, int *pair);
void colours_forget(void);

#endif
