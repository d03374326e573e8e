/* What a forced pass keeps on the device for the backward pass (gradient.h). Internal to model/net.
 *
 * Call order: tape_open; the pass, whose observer has the tape; then any reads; tape_close. Without
 * a tape the functions do nothing. Tensors are (rows, ·) float, contiguous.
 */
#ifndef ATTNSCOPE_TAPE_H
#define ATTNSCOPE_TAPE_H

#include "model/net/layout.h"
#include "model/net/pass.h"

/* Absent if the module does not have it. */
struct kept_module {
    struct tensor q;                      // (rows, H*hd), as attention read them
    struct tensor k, v;                   // the same; only in the encoder
    struct tensor plain[SIDE_COUNT];      // (rows, H*hd): queries, keys before their gate
    struct tensor context[SIDE_COUNT];    // (rows, H*hd): the contexts mixed with them
    struct tensor head_outputs, head_key; // DHICM: (rows, H*hd), and s (rows, hd)
};

enum { LAYER_NORMS = 3 };

struct kept_layer {
    struct kept_module self, cross;
    struct tensor normed[LAYER_NORMS];  // (rows, d): inputs of its norms
    struct tensor outputs[LAYER_NORMS]; // (rows, d): of its sublayers, where norms of these follow
    struct tensor feed_forward;         // (rows, d): input of its feed-forward layer, or
    struct tensor hidden;        // (rows, d_ff): output of its hidden units, if tape_keeps_hidden
    struct tensor input, forget; // (rows, d), of a recurrence
};

struct kept_stack {
    struct kept_layer *layers;
    struct tensor embedding_norm, last_norm; // (rows, d): inputs of these norms
};

struct tape {
    struct tensor arena;
    struct kept_stack stacks[STACK_COUNT];
};

/* For a source of n tokens and m decoder inputs. On failure nothing needs to be closed. */
bool tape_open(struct model *model, int n, int m, struct tape *tape, struct status *status);
void tape_close(struct model *model, struct tape *tape);

/* True if the slope of the activation follows from its output, so that hidden units need not be
 * recomputed. */
static inline bool tape_keeps_hidden(const struct config *config)
{
    return config->activation == ACTIVATION_RELU && !config->gated;
}

/* NULL: the pass has no tape. */
struct kept_layer *tape_layer(const struct pass *pass, enum stack stack, int layer);
struct kept_module *tape_module(const struct pass *pass, enum module module, int layer);
/* Where to keep the input of one of the model's norms; absent without a tape. */
struct tensor tape_norm(const struct pass *pass, const struct norm_weights *norm);
/* Copies the pass's rows of x to `place`. */
void tape_keep(const struct pass *pass, struct tensor place, struct row_matrix x, int columns);

#endif
