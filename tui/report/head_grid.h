/* Heads of several layers of a module. */
#ifndef ATTNSCOPE_HEAD_GRID_H
#define ATTNSCOPE_HEAD_GRID_H

#include "model/checkpoint/config.h"

struct head_grid {
    enum module module;
    int *layers, *heads; // (layer_count), (head_count): 0-based, rising
    int layer_count, head_count;
    bool *off;           // (layer_count, head_count)
    const char **titles; // (head_count): "head 2", "2 previous"; NULL: numbers alone
};

#endif
