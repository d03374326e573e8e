/* Switching heads off and on, and undoing changes of the state. */
#ifndef ATTNSCOPE_ACT_HEADS_H
#define ATTNSCOPE_ACT_HEADS_H

#include "tui/screen/action/act.h"

act act_toggle, act_clear, act_undo, act_redo;

#endif
