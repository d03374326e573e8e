/* Attribution methods. They give a matrix for a module, as attention weights do (attribute.h), the
 * tokens that each prediction rests on (predictions.h), or both.
 *
 * Methods for modules need one forced pass (model/net/force.h), without derivatives.
 *
 * a_hij: the weight of head h times its gain, or with DHICM times its importance. f_h(j): what head
 * h adds for the value of token j (struct sublayer). Weights, gates and importances are treated as
 * constants. If the sublayer's output is normed before it is added to x_i, f_h(j) stands for N'_i(
 * f_h(j)) below, N' being that norm as N is the other one.
 *
 *   weights        attention weights
 *   norms          ‖a_hij f_h(j)‖ of one head, ‖Σ_h a_hij f_h(j)‖ of all heads
 *                  Kobayashi et al. 2020, "Attention is not only a weight"
 *   block-norms    ‖T_i(j)‖ of the whole sublayer: with its residual x_i, and under post-norm
 *                  through its norm, T_i(j) = N_i(Σ_h a_hij f_h(j) + [j = i] x_i), N_i(v) = (v -
 *                  mean(v)) / s_i * gamma with the standard deviation s_i of what the norm reads in
 *                  row i. RMS norm: no mean. Pre-norm: N_i(v) = v. In cross-attention the residual
 *                  is not a column, but a separate vector, N_i(x_i)
 *                  Kobayashi et al. 2021, "Incorporating residual and normalization layers into
 *                  analysis of masked language models"
 *   contributions  c_ij = max(0, ‖y_i‖₁ - ‖y_i - T_i(j)‖₁), divided by the row's sum, which
 *                  includes the residual of cross-attention; y_i: the sublayer's output,
 *                  including all biases
 *                  Ferrando et al. 2022, "Measuring the mixing of contextual information in the
 *                  Transformer"
 *   rollout        products of (W + I) / row sum over the sublayers, W: the mean over heads
 *                  Abnar and Zuidema 2020, "Quantifying attention flow in Transformers"
 *   flow           maximum flow through the same matrices as capacities, divided by the row's sum
 *                  (the same paper)
 *   alti           products of contributions over the sublayers
 *                  Ferrando et al. 2022, as above, and ALTI+: Ferrando et al. 2022, "Towards
 *                  opening the black box of neural machine translation"
 *   value-zeroing  1 - cos(y_i, y_i without the value of token j in all heads), divided by the
 *                  row's sum; y_i: the output of the whole layer, including its feed-forward layer.
 *                  Takes a forced pass for each token
 *                  Mohebbi et al. 2023, "Quantifying context mixing in Transformers"
 *
 * Rollout, flow and ALTI join the sublayers of all layers up to one (mixing.h). In the decoder they
 * trace back to tokens of both the source (cross-attention) and the target's prefix (decoder
 * self-attention): over both modules together, a row sums to 1. Rollout and flow were published for
 * self-attention; we add cross-attention as one more sublayer, whose residual has weight 1 next to
 * its attention, as in ALTI+. W: with DHICM the mean weighted by importance; with heads off, the
 * mean over the heads that are on.
 *
 * A row without any weight is a row of zeros.
 *
 * Methods for predictions only: L = log p(y_t | source, y_<t), or a contrast (predictions.h); e_j
 * is the embedding of a token of the source or of the target so far, as the model reads it
 * (gradient.h).
 *
 *   saliency              ‖∂L/∂e_j‖₂
 *                         Simonyan, Vedaldi and Zisserman 2014, "Deep inside convolutional
 *                         networks"; Li et al. 2016, "Visualizing and understanding neural models
 *                         in NLP"
 *   gradient-input        e_j · ∂L/∂e_j
 *                         Denil, Demiraj and de Freitas 2014, "Extraction of salient sentences from
 *                         labelled documents"
 *   integrated-gradients  (e_j - b) · ∫ ∂L/∂e_j at b + a (e - b) da over a = 0 … 1, for all tokens
 *                         of both sides at once; b: the baseline. A row sums to L - L(b)
 *                         Sundararajan, Taly and Yan 2017, "Axiomatic attribution for deep
 *                         networks"
 *   gradient-attention    A_l: the mean over a module's heads of max(0, a ∂L/∂a). From the first
 *                         layer to the last, beginning with R_ee = R_dd = I and R_de = 0:
 *                         R_ee += A R_ee in the encoder, R_dd += A R_dd and R_de += A R_de in the
 *                         decoder's self-attention, R_de += N(R_dd)ᵀ A N(R_ee) in cross-attention,
 *                         where N divides the rows of R - I by their sums and adds I. The result is
 *                         the row of R_de and of R_dd - I that predicts
 *                         Chefer, Gur and Wolf 2021, "Generic attention-model explainability for
 *                         interpreting bi-modal and encoder-decoder transformers", eq. 5-10
 *   lrp                   e_j · R_j / e_j by the rules of AttnLRP, for the token's logit, or the
 *                         difference of two; gates and importances are constants (gradient.h). A
 *                         row sums to L less what biases, positions and softmax take
 *                         Bach et al. 2015, "On pixel-wise explanations"; Voita, Sennrich and Titov
 *                         2021, "Analyzing the source and target contributions to predictions in
 *                         neural machine translation", which defines these shares; Achtibat et al.
 *                         2024, "AttnLRP: attention-aware layer-wise relevance propagation for
 *                         transformers"
 *   erasure               L minus L with only e_j replaced by b
 *                         Li, Monroe and Jurafsky 2016, "Understanding neural networks through
 *                         representation erasure"
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
    METHOD_VALUE_ZEROING,
    METHOD_SALIENCY,
    METHOD_GRADIENT_INPUT,
    METHOD_INTEGRATED_GRADIENTS,
    METHOD_GRADIENT_ATTENTION,
    METHOD_LRP,
    METHOD_ERASURE,
    METHOD_COUNT
};

struct method_info {
    const char *name;  // as typed by the user
    const char *title; // of the matrix
    const char *scale; // what a value is: "attention weight"
    bool of_layers;    // a module's layer has a matrix
    bool of_heads;     // every head has a matrix
    bool joint;        // joins the layers up to one
    bool shares;       // values are shares of a row
    bool changes;      // values may be negative
    bool derivative;   // the device must compute derivatives
    bool contrasts;    // can contrast a token with another one
    bool baseline;     // replaces embeddings with a baseline
    bool steps;        // sums along a path
    bool by_weights;   // follows attention weights through the decoder
};
extern const struct method_info method_table[METHOD_COUNT];

/* The names of the methods that give a row for each prediction, NULL-terminated: first weights, the
 * mean of cross-attention over all heads and layers; then the methods of predictions.h. */
extern const char *const row_method_names[];
#define PREDICTION_NAMES (row_method_names + 1)

/* Finds the method with this name; false: none. */
bool method_find(const char *name, enum method *method);

/* Fails if the method is not defined: a recurrence mixes tokens without weights. */
bool method_check(enum method method, const struct config *config, enum module module,
                  struct status *status);

#endif
