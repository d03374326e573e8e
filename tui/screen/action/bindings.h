/* From keys of the views to the actions that they run (key_table.h). */
#ifndef ATTNSCOPE_BINDINGS_H
#define ATTNSCOPE_BINDINGS_H

#include "tui/screen/state/state.h"

/* Takes a key that was pressed in the view: runs its action, or keeps it where it is the beginning
 * of a count or of gg. */
void bindings_press(struct screen *screen, int key);

#endif
