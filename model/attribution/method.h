/* Methods of attribution: what a matrix of rows and columns of a module shows, besides attention
 * weights. All are computed from one forced pass (model/net/force.h), without gradients.
 *
 * a_hij: the weight of head h times its gain, or under DHICM times its importance. f_h(j): what
 * head h adds for the value of token j (struct sublayer). Weights, gates and importances are taken
 * as they are, as constants.
 *
 *   weights        attention weights
 *   norms          ‖a_hij f_h(j)‖ of one head, ‖Σ_h a_hij f_h(j)‖ of all heads
 *                  Kobayashi et al. 2020, "Attention is not only a weight"
 *   block-norms    ‖T_i(j)‖ of the whole sublayer: with its residual x_i, and under post-norm
 *                  through its norm, T_i(j) = N_i(Σ_h a_hij f_h(j) + [j = i] x_i), N_i(v) = (v -
 *                  mean(v)) / s_i * gamma with the standard deviation s_i of what the norm reads in
 *                  row i. RMS norm: no mean. Pre-norm: N_i(v) = v. In cross-attention the residual
 *                  is no column, but a vector of its own, N_i(x_i) Kobayashi et al. 2021,
 *                  "Incorporating residual and normalization layers into analysis of masked
 *                  language models"
 *   contributions  c_ij = max(0, ‖y_i‖₁ - ‖y_i - T_i(j)‖₁), divided by the row's sum, which
 *                  includes the residual of cross-attention; y_i: the sublayer's output, all biases
 *                  included
 *                  Ferrando et al. 2022, "Measuring the mixing of contextual information in the
 *                  Transformer"
 *   rollout        products of (W + I) / row sum over the sublayers, W: the mean over heads
 *                  Abnar and Zuidema 2020, "Quantifying attention flow in Transformers"
 *   flow           maximum flow through the same matrices as capacities, divided by the row's sum
 *   (the same paper) alti           products of contributions over the sublayers
 *                  Ferrando et al. 2022, as above, and ALTI+: Ferrando et al. 2022, "Towards
 *                  opening the black box of neural machine translation"
 *
 * The last three join the sublayers of all layers up to one (mixing.h). In the decoder they go back
 * to tokens of the source (cross-attention) and of the target's prefix (decoder self-attention) at
 * once: of both modules together, a row sums to 1. Rollout and flow are published for
 * self-attention; we take cross-attention as one more sublayer, whose residual has the weight 1
 * beside its attention, as ALTI+ does. W: under DHICM the mean weighted by importance, with heads
 * off the mean over those that are on.
 *
 * A row in which nothing has a weight is a row of zeros.
 */
#ifndef ATTNSCOPE_METHOD_H
#define ATTNSCOPE_METHOD_H

#include "model/checkpoint/config.h"

enum method {
    METHOD_WEIGHTS,
    METHOD_NORMS,
    METHOD_BLOCK_NORMS,
    METHOD_CONTRIBUTIONS,
    METHOD_ROLLOUT,
    METHOD_FLOW,
    METHOD_ALTI,
    METHOD_COUNT
};

struct method_info {
    const char *name;  // as it is typed
    const char *title; // of the matrix
    const char *scale; // of a value: "attention weight"
    bool of_heads;     // there is a matrix for every head
    bool joint;        // joins the layers up to one
    bool shares;       // values are shares of a row
};
extern const struct method_info method_table[METHOD_COUNT];

/* The method with this name; false: there is none. */
bool method_find(const char *name, enum method *method);

/* Fails where the method is not defined: a recurrence mixes tokens without weights. */
bool method_check(enum method method, const struct config *config, enum module module,
                  struct status *status);

#endif
