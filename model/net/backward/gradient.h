/* Derivatives of log-probabilities (of a target token, a difference of two tokens, or a whole given
 * translation) with respect to the input embeddings of both sides, every layer's state, every
 * attention weight, and every head's outputs and gain.
 *
 *     // log p(right) - log p(wrong) at target position t
 *     struct gradient_term terms[] = {{t, right, 1}, {t, wrong, -1}};
 *     struct gradient_request request = {.terms = terms, .count = 2, .embeddings = true};
 *     if (gradient_run(model, source, target, count, NULL, &request, &gradients, status)) …
 *     gradients_free(&gradients);
 *
 * Runs one forced pass of one sentence, then goes back through its layers (reverse accumulation:
 * Rumelhart, Hinton and Williams 1986; Griewank and Walther 2008, chapter 3). Weights of the model
 * are constants: a layer only has derivatives with respect to its inputs. gpu/derivatives.h defines
 * the rules of the operations; backward.h calls them.
 *
 * The forced pass keeps (tape.h), for every layer: the inputs of norms; the input of the
 * feed-forward layer, or with relu its hidden units; queries; the encoder's keys and values; with
 * contexts, the operands of the gates; with DHICM, the heads and W'Ux; for a recurrence, its input
 * and forget gate. The decoder's keys, values and recurrent states are in its caches. Attention
 * weights, feed-forward layers before any other activation, gates and importances are recomputed,
 * as are logits, but only for rows with terms. All this takes device memory for one sentence, which
 * gradient_run frees.
 *
 * With `relevance` the backward pass follows the rules of layer-wise relevance propagation that are
 * derivatives of a modified graph (AttnLRP: Achtibat et al. 2024, "AttnLRP: attention-aware
 * layer-wise relevance propagation for transformers"), and L is the same sum over logits. The
 * relevance of x is x x', of an embedding e e'. Sums and products with weights pass it on in
 * proportion, activations pass on all of it, norms treat their root as a constant (Ali et al.
 * 2022), the products a v and q k pass half to each side, and softmax uses its derivative. Gates,
 * the importance of DHICM's heads and the forget gates of a recurrence are constants (Arras et al.
 * 2017). `absorbed` is what biases and the remainder of softmax take: L = Σ e e' + absorbed + what
 * positions take.
 *
 * On the CPU the bits do not depend on what ran before, the number of threads or the instruction
 * set.
 */
#ifndef ATTNSCOPE_GRADIENT_H
#define ATTNSCOPE_GRADIENT_H

#include "model/net/model.h"

/* weight * log p(token | target tokens 0 … position-1, source). position: 0 … count-1 of the
 * target. */
struct gradient_term {
    int position, token;
    float weight;
};

/* Zero-initialised: only the value. */
struct gradient_request {
    const struct gradient_term *terms; // (count): L is their sum
    int count;
    bool embeddings, states, gains;
    bool relevance;
    const bool *weights[MODULE_COUNT];      // (layers, H) matrices; NULL: none of the module
    const bool *head_outputs[MODULE_COUNT]; // (layers); NULL: none of the module
};

/* ∂L/∂x for everything requested; float, row-major. m: decoder inputs (start tokens + target - 1),
 * n: source tokens. */
struct gradients {
    double value;                  // L
    double absorbed;               // with `relevance`: what biases and softmax take
    int source_count, target_rows; // n, m
    int layers[STACK_COUNT];       // of each stack
    int module_layers[MODULE_COUNT], heads[MODULE_COUNT]; // 0 layers: replaced by a recurrence
    /* (rows, d) for the token's embedding times embedding_scale. The position is added to it, so
     * its derivative is the same. */
    float *embeddings[STACK_COUNT];
    /* (layers + 1) of (rows, d): [0] for the input of the first layer, after any norm of
     * embeddings; [l] for the output of layer l, before any norm that follows the last layer. */
    float **states[STACK_COUNT];
    /* (layers*H) matrices like capture.weights (force.h), without gain. The elements of a matrix
     * are treated as independent, ignoring that they sum to 1. */
    float **weights[MODULE_COUNT];
    float **layer_weights[MODULE_COUNT]; // (layers): the memory that holds a layer's matrices
    /* (layers) of (rows, H, head_dim) like capture.head_outputs, gain included. */
    float **head_outputs[MODULE_COUNT];
    /* (layers, H) for the gains, at the settings' values. A DHICM module's gains are not
     * independent: scaling all of a row by one factor changes nothing. If all are 0 they have no
     * derivative, and the result is 0. NULL: the module has no heads. */
    double *gains[MODULE_COUNT];
};
void gradients_free(struct gradients *gradients); // leaves it empty

/* Fails for a model with integer products. */
bool gradient_check(const struct model *model, struct status *status);

/* One sentence and its target (ids, count >= 1), as in force_run; head_settings NULL: the
 * checkpoint's own. `out` need not be initialised; on failure it is empty. */
bool gradient_run(struct model *model, const struct sentence *source, const int *target, int count,
                  const struct head_settings *head_settings, const struct gradient_request *request,
                  struct gradients *out, struct status *status);

/* The same in two steps, for several requests on one forced pass. While it is open, nothing else
 * may run on the model. inputs: NULL, or as in a capture_request; derivatives for embeddings are
 * then those of `inputs`. source, target and head_settings must outlive the pass. */
struct gradient_pass;
struct gradient_pass *gradient_open(struct model *model, const struct sentence *source,
                                    const int *target, int count,
                                    const struct head_settings *head_settings,
                                    const float *const inputs[STACK_COUNT], struct status *status);
bool gradient_back(struct gradient_pass *pass, const struct gradient_request *request,
                   struct gradients *out, struct status *status);
void gradient_close(struct gradient_pass *pass); // NULL: nothing

#endif
