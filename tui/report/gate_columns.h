/* Gates as one matrix: one column a layer, or one a learned head where each has its own gate. */
#ifndef ATTNSCOPE_GATE_COLUMNS_H
#define ATTNSCOPE_GATE_COLUMNS_H

#include "tui/report/view.h"

enum { GATE_NAME_SIZE = 24 };

struct gate_columns {
    char (*names)[GATE_NAME_SIZE]; // (count): "2", or "2.1" for layer 2, learned head 1
    float *values;                 // (rows, count); NaN: the layer has no gate
    int count;
    bool by_head; // some names are those of heads
};

bool gate_columns_make(const struct gates_view *gates, struct gate_columns *out,
                       struct status *status);
void gate_columns_free(struct gate_columns *columns);

#endif
