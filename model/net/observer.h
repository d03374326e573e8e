/* Captures intermediate results of a forced pass (struct capture_request, force.h). Internal to
 * model/net.
 *
 * A function does nothing if the pass has no observer or the result was not requested. Copying
 * waits for the device. Failures are recorded in the observer.
 */
#ifndef ATTNSCOPE_OBSERVER_H
#define ATTNSCOPE_OBSERVER_H

#include "model/net/pass.h"

/* After the embedding with arguments `args`: replaces its rows with given inputs, then copies the
 * rows, and the embeddings without positions. */
void observe_embeddings(const struct pass *pass, enum stack stack, const struct embed_args *args);

/* After keys and values are computed: zeroes the requested value. */
void observe_values(const struct pass *pass, enum module module, int layer);
/* After a layer: copies its output, `state` (M, d). */
void observe_state(const struct pass *pass, enum stack stack, int layer, struct row_matrix state);

/* Before attention: makes it store the weights of the requested heads. captured: (heads), owned by
 * the caller and used until attention has run. */
void observe_attention(const struct pass *pass, enum module module, int layer,
                       struct attention_args *args, int *captured);
/* After attention: copies the weights. */
void observe_module(const struct pass *pass, enum module module, int layer,
                    const struct attention_args *args);
/* After attention, before the heads are combined: patches a head's outputs, and copies those of all
 * heads. */
void observe_heads(const struct pass *pass, enum module module, int layer);
/* After a gate, if observes_gates: copies its values (M, columns). */
void observe_gate(const struct pass *pass, enum module module, int layer, int side, int columns);
/* After the heads are mixed: copies their importances (M, H). */
void observe_importance(const struct pass *pass, enum module module, int layer);

/* After a module whose output is normed, before that norm: copies the output. */
void observe_plain_output(const struct pass *pass, enum module module, int layer);
/* After a module, before a norm adds `residual` (M, d) to its output: copies both, and the
 * values. */
void observe_sublayer(const struct pass *pass, enum module module, int layer,
                      struct row_matrix residual);
/* After the pass: completes the requested sublayers. */
bool sublayers_finish(struct model *model, const struct observer *observer, struct status *status);

/* True if the backend has to store importances or gates. */
bool observes_importance(const struct pass *pass);
bool observes_gates(const struct pass *pass);

#endif
