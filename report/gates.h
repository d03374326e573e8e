/* Gates of a sentence as one matrix, and mean gates over a file as points of a plot. */
#ifndef ATTNSCOPE_REPORT_GATES_H
#define ATTNSCOPE_REPORT_GATES_H

#include "model/study/sentences/gates.h"
#include "report/view.h"

/* One column per layer, or per learned head if each has its own gate. */
enum { GATE_NAME_SIZE = 24 };

struct gate_columns {
    char (*names)[GATE_NAME_SIZE]; // (count): "2", or "2.1" for layer 2, learned head 1
    float *values;                 // (rows, count); NaN: the layer has no gate
    int count;
    bool by_head; // some names are of heads
};

bool gate_columns_make(const struct gates_view *gates, struct gate_columns *out,
                       struct status *status);
void gate_columns_free(struct gate_columns *columns);

/* "q", "k" or "qk". */
const char *gates_side_name(int side);

/* Both sides share all points, including those where only one side has gates. */
struct gate_points {
    const char **names;         // (count), each borrowed from the groups: "2", "11-20"
    float *values;              // (series, count): means; NaN: no gate there
    int64_t *gates;             // (series, count): how many gates each mean is over; may be 0
    int count, sides;           // sides: the number of series, one for each side of a stack
    int side[GATE_SERIES_MOST]; // (sides): SIDE_Q or SIDE_K
    enum module module[GATE_SERIES_MOST]; // (sides)
};

bool gate_points_make(const struct gates_study *groups, struct gate_points *out,
                      struct status *status);
void gate_points_free(struct gate_points *points);

#endif
