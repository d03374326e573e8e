/* From head to head: to another head, layer or module in the kind of view that is shown. */
#ifndef ATTNSCOPE_ACT_WALK_H
#define ATTNSCOPE_ACT_WALK_H

#include "tui/screen/action/act.h"

act act_head, act_layer, act_module;
/* Arrows in views without single heads: layers of importance, the two sides of gates; of two states
 * beside each other the head or layer. */
act act_other;

/* Asks for that head, alone or, where two states are shown, in both. */
void act_show(struct screen *screen, const struct view *view);

#endif
