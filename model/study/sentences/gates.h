/* Gates of context-aware attention, averaged over a file: how much context enters queries and keys
 * (Yang et al. 2019).
 *
 *     fill in the first part of struct gates_study; gates_run; gates_free
 */
#ifndef ATTNSCOPE_GATES_H
#define ATTNSCOPE_GATES_H

#include "model/study/sentences/pos.h"

enum gate_grouping { BY_LAYER, BY_POSITION, BY_LENGTH, BY_POS };
extern const char *const gate_grouping_names[]; // layer, position, length, pos; NULL-terminated

/* Instead of one side: queries, then keys. */
enum { GATES_BOTH = SIDE_COUNT };

/* The encoder's gates and the decoder's. */
enum { GATE_STACKS = 2, GATE_SERIES_MOST = GATE_STACKS * SIDE_COUNT };

/* Returns how many gates a row has in a layer: 0, 1, or one per learned head. */
int gate_columns(const struct config *config, enum module module, int layer, int side);

struct gate_group {
    enum module module;
    int side;  // SIDE_Q or SIDE_K
    int place; // its layer, position, ... from 0, the same for both sides
    char name[CONLLU_NAME_MOST + 1];
    int64_t count; // gates averaged
    double sum;
};

struct gates_study {
    const struct config *config;
    enum module module;
    bool both_stacks; // encoder and decoder: `module` is the encoder's
    int side;         // SIDE_Q, SIDE_K or GATES_BOTH
    enum gate_grouping by;
    struct study_walk walk;

    struct gate_group *groups; // (count): the encoder's before the decoder's, queries before keys
    int count;
    size_t capacity;
};

/* Like study_walk; the groups cover the sentences added. Call gates_free in either case. */
bool gates_run(const struct study_context *context, struct gates_study *study,
               struct status *status);
void gates_free(struct gates_study *study);

#endif
