/* Activation patching (Vig et al. 2020, "Investigating gender bias in language models using causal
 * mediation analysis"; Meng et al. 2022, "Locating and editing factual associations in GPT"): the
 * outputs of one head in the run of another sentence take the place of its own, and the
 * log-probability of a given target changes. Both sentences are forced to the same target, so that
 * rows of the decoder are the same.
 *
 *     patching_open; patching_effect of any heads; patching_close
 */
#ifndef ATTNSCOPE_PATCHING_H
#define ATTNSCOPE_PATCHING_H

#include "model/net/force.h"
#include "model/search/state.h"

/* A token of the other sentence whose outputs go to a token of this one; 0-based. */
struct token_pair {
    int from, to;
};

struct patching {
    /* Borrowed, as patching_open got them. */
    struct state state;
    const struct sentence *source;
    const int *target; // (count)
    int count;
    const struct token_pair *pairs; // (pair_count): rows of the encoder

    int pair_count;
    double logprob, from_logprob; // of the target, after this source and after the other one
    struct capture from;          // the outputs of all heads in the run of the other sentence
    int *rows;                    // (decoder rows or pairs): where they go
    float *outputs;               // (rows, head_dim): scratch
};

/* pairs: which rows of the encoder are patched; each `to` occurs once. Fails if a place does not
 * exist. On failure nothing needs to be closed. */
bool patching_open(const struct state *state, const struct sentence *source,
                   const struct sentence *from, const int *target, int count,
                   const struct token_pair *pairs, int pair_count, struct patching *out,
                   struct status *status);
void patching_close(struct patching *patching);

/* The change in the log-probability of the target when this head (0-based) is patched. */
bool patching_effect(struct patching *patching, enum module module, int layer, int head,
                     double *effect, struct status *status);

#endif
