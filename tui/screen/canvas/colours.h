/* Styles as the terminal shows them: attributes and numbers of colours. After newterm; for the
 * surface alone.
 */
#ifndef ATTNSCOPE_COLOURS_H
#define ATTNSCOPE_COLOURS_H

#include "tui/screen/canvas/pen.h"
#include "tui/screen/canvas/style.h"

/* Finds out how many colours there are (none under NO_COLOR) and how they are numbered. `direct`:
 * in the terminal description a colour is its own number. */
enum depth colours_open(bool direct);

struct look colours_look(const struct style *style);

#endif
