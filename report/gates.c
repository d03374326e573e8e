#include "report/gates.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Columns -------------------------------------------------------------------------------------- */

/* A layer without a gate has a column, too, so that readers see that it has none. */
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

/* Points --------------------------------------------------------------------------------------- */

const char *gates_side_name(int side)
{
    return side == GATES_BOTH ? "qk" : gate_side_names[side];
}

/* Returns the first place after `last` where a side has a gate; NULL: none. */
static const struct gate_group *next_place(const struct gates_study *groups, int last)
{
    const struct gate_group *next = NULL;
    for (int i = 0; i < groups->count; i++) {
        const struct gate_group *group = &groups->groups[i];
        if (group->place > last && (!next || group->place < next->place))
            next = group;
    }
    return next;
}

static const struct gate_group *group_at(const struct gates_study *groups, enum module module,
                                         int side, int place)
{
    for (int i = 0; i < groups->count; i++)
        if (groups->groups[i].module == module && groups->groups[i].side == side &&
            groups->groups[i].place == place)
            return &groups->groups[i];
    return NULL;
}

static void fill_point(const struct gates_study *groups, int place, int point,
                       struct gate_points *out)
{
    for (int s = 0; s < out->sides; s++) {
        const struct gate_group *group = group_at(groups, out->module[s], out->side[s], place);
        out->values[s * out->count + point] =
            group ? (float)(group->sum / (double)group->count) : NAN;
        out->gates[s * out->count + point] = group ? group->count : 0;
    }
}

bool gate_points_make(const struct gates_study *groups, struct gate_points *out,
                      struct status *status)
{
    const struct gate_group *group;
    *out = (struct gate_points){0};
    for (int i = 0; i < GATE_SERIES_MOST; i++) {
        int side = i % SIDE_COUNT;
        bool second = i >= SIDE_COUNT;
        if ((second && !groups->both_stacks) ||
            (groups->side != GATES_BOTH && groups->side != side))
            continue;
        out->module[out->sides] = second ? MODULE_DECODER : groups->module;
        out->side[out->sides++] = side;
    }
    for (int last = -1; (group = next_place(groups, last)); last = group->place)
        out->count++;
    out->names = memory_new((size_t)out->count, sizeof *out->names, status);
    out->values = memory_new((size_t)out->count * out->sides, sizeof *out->values, status);
    out->gates = memory_new((size_t)out->count * out->sides, sizeof *out->gates, status);
    if (!out->names || !out->values || !out->gates) {
        gate_points_free(out);
        return false;
    }
    int point = 0;
    for (int last = -1; (group = next_place(groups, last)); last = group->place, point++) {
        out->names[point] = group->name;
        fill_point(groups, group->place, point, out);
    }
    return true;
}

void gate_points_free(struct gate_points *points)
{
    free(points->names);
    free(points->values);
    free(points->gates);
    *points = (struct gate_points){0};
}
