/* Averages of gates as points that both sides share: a place where only one has gates is a point of both. */
#ifndef ATTNSCOPE_GATE_POINTS_H
#define ATTNSCOPE_GATE_POINTS_H

#include "tui/result.h"

struct gate_points {
    const char **names; // (count), each borrowed from the groups: "2", "11-20"
    float *values;      // (sides, count): means; NaN: the side has no gate there
    int64_t *gates;     // (sides, count): of how many each is the mean; 0
    int count, sides;
    int side[SIDE_COUNT]; // (sides): SIDE_Q or SIDE_K
};

bool gate_points_make(const struct gate_groups_result *groups, struct gate_points *out,
                      struct status *status);
void gate_points_free(struct gate_points *points);

#endif
