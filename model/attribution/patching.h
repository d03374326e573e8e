/* Activation patching (Vig et al. 2020, "Investigating gender bias in language models using causal
 * mediation analysis"; Meng et al. 2022, "Locating and editing factual associations in GPT"): the
 * outputs of one head in the run of another sentence take the place of its own, and the
 * log-probability of a given target changes. Both sentences are forced to the same target, so that
 * rows of the decoder are the same. With foils what changes is that of the target less that of the
 * foils, token by token behind the same prefix (predictions.h).
 *
 * Attribution patching estimates all effects at once by their derivatives (Nanda 2023, "Attribution
 * patching: activation patching at industrial scale"; Syed, Rager and Conmy 2023, "Attribution
 * patching outperforms automated circuit discovery"; Kramár et al. 2024, "AtP*: an efficient and
 * scalable method for localizing LLM behaviour to components"): (x' - x) · ∂L/∂x for the outputs x
 * of a head at a position, and x' after the other sentence. A head's estimate is the sum over its
 * positions. What is far from linear, as a softmax that one key has wholly, it gets wrong.
 *
 *     patching_open; patching_effect of any heads, patching_estimate; patching_close
 */
#ifndef ATTNSCOPE_PATCHING_H
#define ATTNSCOPE_PATCHING_H

#include "base/watch.h"
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
    const int *foils;  // (count); NULL: none
    int count;
    const struct token_pair *pairs; // (pair_count): rows of the encoder

    int pair_count;
    /* Of the target, with foils less theirs, after this source and after the other one. */
    double logprob, from_logprob;
    struct capture from; // the outputs of all heads in the run of the other sentence
    int *rows;           // (decoder rows or pairs): where they go
    float *outputs;      // (rows, head_dim): scratch
};

/* pairs: which rows of the encoder are patched; each `to` occurs once. Fails if a place does not
 * exist. On failure nothing needs to be closed. */
bool patching_open(const struct state *state, const struct sentence *source,
                   const struct sentence *from, const int *target, const int *foils, int count,
                   const struct token_pair *pairs, int pair_count, struct patching *out,
                   struct status *status);
void patching_close(struct patching *patching);

/* The positions of a module that are patched: pairs, or rows of the decoder. */
int patching_positions(const struct patching *patching, enum module module);

enum { PATCH_ALL = -1 };
/* The change in the log-probability of the target when this head (0-based) is patched, at one
 * position or PATCH_ALL. */
bool patching_effect(struct patching *patching, enum module module, int layer, int head,
                     int position, double *effect, struct status *status);

/* The estimates of all effects: (layers, heads, positions) of each module; freed by the caller, NULL
 * after a failure. Fails where gradient_check does. */
bool patching_estimate(struct patching *patching, float *estimates[MODULE_COUNT],
                       struct status *status);

/* A head's estimate, beside it its true effect; the same of the position with the greatest one. */
struct patch_estimate {
    enum module module;
    int layer, head; // 0-based
    int position;
    double estimate, effect;
    double position_estimate, position_effect;
};
/* The estimate of a head. */
double patching_head_estimate(const struct patching *patching, float *const *estimates,
                              enum module module, int layer, int head);
/* Writes the heads with the greatest estimates by size, the greatest first, with true effects: at
 * most `most`. wanted: of each module (layers, heads) those that may be among them. Returns how
 * many there are; -1: failure. */
int patching_strongest(struct patching *patching, float *const *estimates,
                       const bool *const wanted[MODULE_COUNT], int most, const struct watch *watch,
                       struct patch_estimate *out, struct status *status);

#endif
