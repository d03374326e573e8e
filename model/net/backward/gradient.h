/* Derivatives of log-probabilities: of a target token, of a difference of two, or of a whole given
 * translation, by the input embeddings of both sides, every layer's state, every attention weight,
 * and every head's outputs and gain.
 *
 *     // log p(right) - log p(wrong) at target position t
 *     struct gradient_term terms[] = {{t, right, 1}, {t, wrong, -1}};
 *     struct gradient_request request = {.terms = terms, .count = 2, .embeddings = true};
 *     if (gradient_run(model, source, target, count, NULL, &request, &gradients, status)) …
 *     gradients_free(&gradients);
 *
 * One forced pass of one sentence, then its layers backwards (reverse accumulation: Rumelhart,
 * Hinton and Williams 1986; Griewank and Walther 2008, chapter 3). Weights of the model are
 * constants, so that a layer's derivatives are those by what it read. The rules of the operations
 * stand in gpu/derivatives.h, who calls them in backward.h.
 *
 * The forced pass keeps (tape.h), for every layer: what each norm normed, what the feed-forward
 * layer read, or with relu its hidden units, queries, the encoder's keys and values, with contexts
 * what the gates mixed, with DHICM the heads and W'Ux, of a recurrence its input and forget gate.
 * The decoder's keys, values and recurrent states are in its caches. Computed again are attention
 * weights, feed-forward layers before any other activation, gates, importances and, for rows with
 * terms alone, logits. All of it is memory of one sentence on the device, which gradient_run frees.
 *
 * With `relevance` the way back follows the rules of layer-wise relevance propagation that are
 * derivatives of a changed graph (AttnLRP: Achtibat et al. 2024, "AttnLRP: attention-aware
 * layer-wise relevance propagation for transformers"), and L is the same sum of logits. Relevance is
 * x x', of an embedding e e'. Products by weights and sums give it in proportion, an activation all
 * of it, norms take their root as a constant (Ali et al. 2022), the products a v and q k give half to
 * either side, softmax by its derivative. Constants are gates, the importance of DHICM's heads and
 * the forget gates of a recurrence (Arras et al. 2017). What biases, positions and softmax's own
 * remainder take is in `absorbed`, so that L = Σ e e' + absorbed + what positions take.
 *
 * On the CPU the bits are the same whatever ran before, the number of threads and the instruction
 * set.
 */
#ifndef ATTNSCOPE_GRADIENT_H
#define ATTNSCOPE_GRADIENT_H

#include "model/net/model.h"

/* weight * log p(token | target tokens 0 … position-1, source). position: 0 …
 * count-1 of the target. */
struct gradient_term {
    int position, token;
    float weight;
};

/* Zero-initialised: the value alone. */
struct gradient_request {
    const struct gradient_term *terms; // (count): L is their sum
    int count;
    bool embeddings, states, gains;
    bool relevance;
    const bool *weights[MODULE_COUNT];      // (layers, H) matrices; NULL: none of the module
    const bool *head_outputs[MODULE_COUNT]; // (layers); NULL: none of the module
};

/* ∂L/∂x for what was asked for; float, row-major. m: decoder inputs (start tokens + target - 1), n:
 * source tokens. */
struct gradients {
    double value;                  // L
    double absorbed;               // with `relevance`: what biases and softmax take
    int source_count, target_rows; // n, m
    int layers[STACK_COUNT];       // of each stack
    int module_layers[MODULE_COUNT], heads[MODULE_COUNT]; // no layers: a recurrence is in its place
    /* (rows, d) by the token's embedding as the model reads it, times embedding_scale, to which the
     * position is added: by that as well. */
    float *embeddings[STACK_COUNT];
    /* (layers + 1) of (rows, d): [0] by the input of the first layer, behind a norm of embeddings;
     * [l] by the output of layer l, before a norm that follows the last layer. */
    float **states[STACK_COUNT];
    /* (layers*H) matrices as capture.weights (force.h) has them, without gain: a matrix's
     * elements are taken as independent of one another, and of their sum of 1. */
    float **weights[MODULE_COUNT];
    float **layer_weights[MODULE_COUNT]; // (layers): the memory that a layer's matrices are in
    /* (layers) of (rows, H, head_dim) as capture.head_outputs has them, gain included. */
    float **head_outputs[MODULE_COUNT];
    /* (layers, H) by the gains at the settings' values. A DHICM module's gains are not independent:
     * scaling all of a row by one factor changes nothing; where all are 0 they have no derivative,
     * and 0 stands. NULL: the module has no heads. */
    double *gains[MODULE_COUNT];
};
void gradients_free(struct gradients *gradients); // leaves it empty

/* Fails for a model whose products are of integers. */
bool gradient_check(const struct model *model, struct status *status);

/* One sentence and its target (ids, count >= 1), as force_run has them; head_settings NULL: the
 * checkpoint's own. `out` need not be initialised; on failure it is empty. */
bool gradient_run(struct model *model, const struct sentence *source, const int *target, int count,
                  const struct head_settings *head_settings, const struct gradient_request *request,
                  struct gradients *out, struct status *status);

/* The same in two steps, for several requests of one forced pass. While it is open, nothing else runs
 * on the model. inputs: NULL, or as in a capture_request, of which derivatives by embeddings are
 * then taken. source, target and head_settings must outlive the pass. */
struct gradient_pass;
struct gradient_pass *gradient_open(struct model *model, const struct sentence *source,
                                    const int *target, int count,
                                    const struct head_settings *head_settings,
                                    const float *const inputs[STACK_COUNT], struct status *status);
bool gradient_back(struct gradient_pass *pass, const struct gradient_request *request,
                   struct gradients *out, struct status *status);
void gradient_close(struct gradient_pass *pass); // NULL: nothing

#endif
