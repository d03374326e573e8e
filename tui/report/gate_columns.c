#include "tui/report/gate_columns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A layer without a gate has a column, too: that it has none is to be seen. */
static int layer_columns(const struct gate_layer *layer)
{
    return layer->values ? layer->columns : 1;
}

static void fill_column(const struct gates_view *gates, int layer, int head, int column,
                        struct gate_columns *out)
{
    const struct gate_layer *from = &gates->layer[layer];
    if (from->values && from->by_head)
        snprintf(out->names[column], GATE_NAME_SIZE, "%d.%d", layer + 1, head + 1);
    else
        snprintf(out->names[column], GATE_NAME_SIZE, "%d", layer + 1);
    for (int row = 0; row < gates->rows.texts.count; row++)
        out->values[(size_t)row * out->count + column] =
            from->values ? from->values[(size_t)row * from->columns + head] : NAN;
}

bool gate_columns_make(const struct gates_view *gates, struct gate_columns *out,
                       struct status *status)
{
    *out = (struct gate_columns){0};
    for (int i = 0; i < gates->layers; i++) {
        out->count += layer_columns(&gates->layer[i]);
        out->by_head |= gates->layer[i].values && gates->layer[i].by_head;
    }
    out->names = memory_new(out->count, sizeof *out->names, status);
    out->values =
        memory_new((size_t)out->count * gates->rows.texts.count, sizeof *out->values, status);
    if (!out->names || !out->values) {
        gate_columns_free(out);
        return false;
    }
    int column = 0;
    for (int i = 0; i < gates->layers; i++)
        for (int h = 0; h < layer_columns(&gates->layer[i]); h++)
            fill_column(gates, i, h, column++, out);
    return true;
}

void gate_columns_free(struct gate_columns *columns)
{
    free(columns->names);
    free(columns->values);
    *columns = (struct gate_columns){0};
}
