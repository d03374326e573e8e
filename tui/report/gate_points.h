/* Averages of gates as points that both sides share: a place where only one has gates is a point of
 * both. */
#ifndef ATTNSCOPE_GATE_POINTS_H
#define ATTNSCOPE_GATE_POINTS_H

#include "model/study/sentences/gates.h"
#include "tui/report/view.h"

/* "q", "k" or "qk". */
const char *gates_side_name(int side);

struct gate_points {
    const char **names;         // (count), each borrowed from the groups: "2", "11-20"
    float *values;              // (series, count): means; NaN: it has no gate there
    int64_t *gates;             // (series, count): of how many each is the mean; 0
    int count, sides;           // sides: how many series there are, a side of a stack each
    int side[GATE_SERIES_MOST]; // (sides): SIDE_Q or SIDE_K
    enum module module[GATE_SERIES_MOST]; // (sides)
};

bool gate_points_make(const struct gates_study *groups, struct gate_points *out,
                      struct status *status);
void gate_points_free(struct gate_points *points);

#endif
