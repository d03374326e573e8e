/* Capturing what a forced pass computes on its way (struct capture_request, force.h). Inside
 * model/net alone.
 *
 * A function does nothing where the pass has no observer or the request does not include the
 * result. Copying waits for the device. Failures are recorded in the observer.
 */
#ifndef ATTNSCOPE_OBSERVER_H
#define ATTNSCOPE_OBSERVER_H

#include "model/net/pass.h"

/* After the embedding, whose arguments these are: puts what was given in the place of its rows, and
 * copies them, and those without positions. */
void observe_embeddings(const struct pass *pass, enum stack stack, const struct embed_args *args);

/* Once keys and values are there: makes the value that is to be zeros so. */
void observe_values(const struct pass *pass, enum module module, int layer);
/* After a layer, whose output is `state` (M, d): copies it. */
void observe_state(const struct pass *pass, enum stack stack, int layer, struct row_matrix state);

/* Before attention runs: makes it store the weights of the heads that are wanted. captured:
 * (heads), the caller's, used until attention has run. */
void observe_attention(const struct pass *pass, enum module module, int layer,
                       struct attention_args *args, int *captured);
/* After attention: copies the weights. */
void observe_module(const struct pass *pass, enum module module, int layer,
                    const struct attention_args *args);
/* After attention, before the heads are combined: puts a patch in the place of a head's outputs,
 * and copies those of all heads. */
void observe_heads(const struct pass *pass, enum module module, int layer);
/* After a gate, where observes_gates: copies its values (M, columns). */
void observe_gate(const struct pass *pass, enum module module, int layer, int side, int columns);
/* After the heads are mixed: copies their importances (M, H). */
void observe_importance(const struct pass *pass, enum module module, int layer);

/* After a module has run, before a norm adds `residual` (M, d) to its output: copies both, and the
 * values. */
void observe_sublayer(const struct pass *pass, enum module module, int layer,
                      struct row_matrix residual);
/* After the pass: what is left to compute of the sublayers that were asked for. */
bool sublayers_finish(struct model *model, const struct observer *observer, struct status *status);

/* True if the backend has to store importances, gates. */
bool observes_importance(const struct pass *pass);
bool observes_gates(const struct pass *pass);

#endif
