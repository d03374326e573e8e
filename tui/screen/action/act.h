/* An action: a function that a key of the table runs (bindings.h). */
#ifndef ATTNSCOPE_ACT_H
#define ATTNSCOPE_ACT_H

#include "tui/screen/state/state.h"

/* `key`: the key pressed, where several run one action; `count`: the number typed before it, 0:
 * none. */
typedef void act(struct screen *screen, int key, int count);

#endif
