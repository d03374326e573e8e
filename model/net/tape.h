/* What a forced pass keeps on the device for the backward pass (gradient.h). Inside model/net
 * alone.
 *
 * Call order: tape_open; the pass, whose observer has the tape; then any reads; tape_close. Where a
 * pass has no tape the functions do nothing. Tensors are (rows, ·) float, without gaps.
 */
#ifndef ATTNSCOPE_TAPE_H
#define ATTNSCOPE_TAPE_H

#include "model/net/layout.h"
#include "model/net/pass.h"

/* Absent where the module has none of it. */
struct kept_module {
    struct tensor q;                      // (rows, H*hd), as attention read them
    struct tensor k, v;                   // likewise; the encoder's alone
    struct tensor plain[SIDE_COUNT];      // (rows, H*hd): queries, keys before their gate
    struct tensor context[SIDE_COUNT];    // (rows, H*hd): what was mixed with them
    struct tensor head_outputs, head_key; // DHICM: (rows, H*hd), and s (rows, hd)
};

enum { LAYER_NORMS = 3 };

struct kept_layer {
    struct kept_module self, cross;
    struct tensor normed[LAYER_NORMS]; // (rows, d): what its norms read
    struct tensor feed_forward;        // (rows, d): what its feed-forward layer read, or
    struct tensor hidden; // (rows, d_ff): what its hidden units gave, where tape_keeps_hidden
    struct tensor input, forget; // (rows, d), of a recurrence
};

struct kept_stack {
    struct kept_layer *layers;
    struct tensor embedding_norm, last_norm; // (rows, d): what these read
};

struct tape {
    struct tensor arena;
    struct kept_stack stacks[STACK_COUNT];
};

/* For a source of n tokens and m decoder inputs. On failure nothing needs to be closed. */
bool tape_open(struct model *model, int n, int m, struct tape *tape, struct status *status);
void tape_close(struct model *model, struct tape *tape);

/* True if the slope of the activation follows from what it gives, so that hidden units need not be
 * computed again. */
static inline bool tape_keeps_hidden(const struct config *config)
{
    return config->activation == ACTIVATION_RELU && !config->gated;
}

/* NULL: the pass has no tape. */
struct kept_layer *tape_layer(const struct pass *pass, enum stack stack, int layer);
struct kept_module *tape_module(const struct pass *pass, enum module module, int layer);
/* The place of what a norm of the pass's model reads; absent without a tape. */
struct tensor tape_norm(const struct pass *pass, const struct norm_weights *norm);
/* Copies the pass's rows of x. */
void tape_keep(const struct pass *pass, struct tensor place, struct row_matrix x, int columns);

#endif
