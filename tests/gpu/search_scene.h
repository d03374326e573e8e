/* Small examples of steps of the beam search: the state in host memory, and continuations that a
 * model might offer. */
#ifndef ATTNSCOPE_TESTS_SEARCH_SCENE_H
#define ATTNSCOPE_TESTS_SEARCH_SCENE_H

#include "gpu/backend.h"

enum { S = 3, B = 3, T = 8, LANES = S * B, TOPS = 2 * B, EOS = 1 };

/* The state in host memory, with the shapes of struct search_state. */
struct search_memory {
    int32_t lane[LANES][LANE_FIELDS], path[LANES][T];
    float score[LANES];
    int32_t token[LANES * T];
    float token_lp[LANES * T];
    int32_t limit[S], done[S], count[S];
    float penalty[T + 1];
    float finished_score[S][2 * B];
    int32_t finished_length[S][2 * B], finished_token[S][2 * B][T];
    float finished_lp[S][2 * B][T];
};

struct search_step {
    int rows, width, min_length;
    enum endings endings;
    enum search_limit at_limit;
    int other_end; // another token that ends hypotheses; 0: none
    int32_t row_lane[LANES], id[LANES][TOPS];
    float lp[LANES][TOPS], eos_lp[LANES];
};

/* Runs one step on the device under test. `starts`: how many tokens precede the first one searched
 * for. */
void search_advance(struct search_memory *memory, const struct search_step *step, int starts);

/* Sets the state after the start tokens were read: only lane 0 of each sentence is alive. Lane l
 * stores position p in slot 9 p + (l + p) mod 9. */
void search_begin(struct search_memory *memory, int starts, int limit);

/* Adds a continuation of that rank to a step. */
void search_offer(struct search_step *step, int beam, int rank, int id, float lp);

#endif
