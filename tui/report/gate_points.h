/* Averages of gates as points that both sides share: a place where only one has gates is a point of both. */
#ifndef ATTNSCOPE_GATE_POINTS_H
#define ATTNSCOPE_GATE_POINTS_H

#include "model/text/conllu/conllu.h"
#include "tui/report/view.h"

enum gate_grouping { BY_LAYER, BY_POSITION, BY_LENGTH, BY_POS };
extern const char *const gate_grouping_names[]; // layer, position, length, pos; NULL at the end

/* In place of a side: queries, then keys. */
enum { GATES_BOTH = SIDE_COUNT };
/* "q", "k" or "qk". */
const char *gates_side_name(int side);

/* The encoder's points and the decoder's. */
enum { GATE_STACKS = 2, GATE_SERIES_MOST = GATE_STACKS * SIDE_COUNT };

struct gate_group {
    enum module module;
    int side;  // SIDE_Q or SIDE_K
    int place; // its layer, position, ... counted from 0, the same for both sides
    char name[CONLLU_NAME_MOST + 1];
    int64_t count; // gates averaged
    double sum;
};

struct gate_groups {
    char *path;
    enum module module;
    bool both_stacks; // encoder and decoder: `module` is the encoder
    int side;         // SIDE_Q, SIDE_K or GATES_BOTH
    enum gate_grouping by;
    int sentences, lines; // those averaged, the first of the file's
    struct gate_group
        *groups; // (count): those of the encoder before those of the decoder, queries before keys
    int count;
    size_t capacity;
};
/* True if sentences were left out. */
bool gate_groups_partial(const struct gate_groups *groups);
void gate_groups_free(struct gate_groups *groups);

struct gate_points {
    const char **names;         // (count), each borrowed from the groups: "2", "11-20"
    float *values;              // (series, count): means; NaN: it has no gate there
    int64_t *gates;             // (series, count): of how many each is the mean; 0
    int count, sides;           // sides: how many series there are, a side of a stack each
    int side[GATE_SERIES_MOST]; // (sides): SIDE_Q or SIDE_K
    enum module module[GATE_SERIES_MOST]; // (sides)
};

bool gate_points_make(const struct gate_groups *groups, struct gate_points *out,
                      struct status *status);
void gate_points_free(struct gate_points *points);

#endif
