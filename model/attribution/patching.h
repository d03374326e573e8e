/* Activation patching (Vig et al. 2020, "Investigating gender bias in language models using causal
 * mediation analysis"; Meng et al. 2022, "Locating and editing factual associations in GPT"):
 * replaces the outputs of one head with those from the run of another sentence, which changes the
 * log-probability of a given target. Both sentences are forced to the same target, so they have the
 * same decoder rows. With foils, the effect is on the target's log-probability minus the foils',
 * token by token after the same prefix (predictions.h).
 *
 * Attribution patching estimates all effects at once from derivatives (Nanda 2023, "Attribution
 * patching: activation patching at industrial scale"; Syed, Rager and Conmy 2023, "Attribution
 * patching outperforms automated circuit discovery"; Kramár et al. 2024, "AtP*: an efficient and
 * scalable method for localizing LLM behaviour to components"): (x' - x) · ∂L/∂x where x are the
 * outputs of a head at a position, and x' those with the other sentence. A head's estimate is the
 * sum over its positions. The estimate is wrong where the model is far from linear, for example if
 * a softmax is saturated by one key.
 *
 *     patching_open; patching_effect for any heads, patching_estimate; patching_close
 */
#ifndef ATTNSCOPE_PATCHING_H
#define ATTNSCOPE_PATCHING_H

#include "base/watch.h"
#include "model/net/force.h"
#include "model/search/state.h"

/* A token of the other sentence whose outputs replace those of a token of this one; 0-based. */
struct token_pair {
    int from, to;
};

struct patching {
    /* Borrowed: the arguments of patching_open. */
    struct state state;
    const struct sentence *source;
    const int *target; // (count)
    const int *foils;  // (count); NULL: none
    int count;
    const struct token_pair *pairs; // (pair_count): rows of the encoder

    int pair_count;
    /* Of the target, minus that of any foils, given this source and given the other one. */
    double logprob, from_logprob;
    struct capture from; // the outputs of all heads in the run of the other sentence
    int *rows;           // (decoder rows or pairs): the rows to patch
    float *outputs;      // (rows, head_dim): scratch
};

/* pairs: encoder rows to patch; each `to` occurs once. Fails if a row does not exist. On failure
 * nothing needs to be closed. */
bool patching_open(const struct state *state, const struct sentence *source,
                   const struct sentence *from, const int *target, const int *foils, int count,
                   const struct token_pair *pairs, int pair_count, struct patching *out,
                   struct status *status);
void patching_close(struct patching *patching);

/* The number of positions to patch in a module: pairs, or decoder rows. */
int patching_positions(const struct patching *patching, enum module module);

enum { PATCH_ALL = -1 };
/* The change in the log-probability of the target if this head (0-based) is patched at one position
 * or PATCH_ALL. */
bool patching_effect(struct patching *patching, enum module module, int layer, int head,
                     int position, double *effect, struct status *status);

/* The estimates of all effects: (layers, heads, positions) of each module. The caller frees them;
 * NULL after a failure. Fails if gradient_check does. */
bool patching_estimate(struct patching *patching, float *estimates[MODULE_COUNT],
                       struct status *status);

/* A head's estimate and true effect, and the same for the position with the greatest estimate. */
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
/* Writes up to `most` heads with the greatest absolute estimates, greatest first, and their true
 * effects. wanted: (layers, heads) for each module: the heads to choose from. Returns their number;
 * -1 on failure. */
int patching_strongest(struct patching *patching, float *const *estimates,
                       const bool *const wanted[MODULE_COUNT], int most, const struct watch *watch,
                       struct patch_estimate *out, struct status *status);

#endif
