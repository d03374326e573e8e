/* Copying to the terminal's clipboard and to a file. */
#ifndef ATTNSCOPE_ACT_COPY_H
#define ATTNSCOPE_ACT_COPY_H

#include "tui/screen/action/act.h"

act act_copy_value, act_copy_matrix;

#endif
