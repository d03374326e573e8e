/* Attribution of one sentence: what a method needs from a forced pass, and its matrix.
 *
 *     attribution_request; force_run with request.capture; attribution_matrix or attribution_joint;
 *     attribution_free
 *
 * Call method_check first.
 */
#ifndef ATTNSCOPE_ATTRIBUTE_H
#define ATTNSCOPE_ATTRIBUTE_H

#include "base/watch.h"
#include "model/attribution/method.h"
#include "model/attribution/vectors.h"

/* Instead of a head: all heads, combined by the method. */
enum { HEADS_TOGETHER = HEADS_WEIGHTED - 1 };

struct attribution_request {
    enum method method;
    enum module module;
    int first, last; // layers (0-based), inclusive; joint methods capture all layers up to `last`
    struct capture_request capture;
    bool *wanted[2 * MODULE_COUNT]; // owned; `capture` points to them
};

/* Fills in `capture` from the other members. On failure nothing needs to be freed. */
bool attribution_request(struct attribution_request *request, const struct config *config,
                         struct status *status);
void attribution_free(struct attribution_request *request);
/* A request for METHOD_WEIGHTS asks for all heads of its layers. These functions narrow it down:
 * forget all heads, then add each. head: may also be HEADS_MEAN and the like, which need all heads
 * of the layer. */
void attribution_forget_heads(struct attribution_request *request, const struct config *config);
void attribution_add_head(struct attribution_request *request, const struct config *config,
                          int layer, int head);

/* The matrix of a method, module, layer and head of a request. out: (rows, columns) of the module.
 * head: HEADS_TOGETHER, except for METHOD_WEIGHTS; for methods with `of_heads` a head, HEADS_MEAN
 * or HEADS_MAX; for METHOD_WEIGHTS with DHICM also HEADS_WEIGHTED.
 *   rest: (rows) or NULL: the part of each row outside the columns: the residual of cross-attention
 *   (block-norms, contributions), the tokens of the other module (joint methods in the decoder), 0
 *   elsewhere.
 * Slow methods ask the watch; NULL: none. */
bool attribution_matrix(const struct captured *captured, enum method method, enum module module,
                        int layer, int head, const struct watch *watch, float *out, float *rest,
                        struct status *status);

/* The matrix of a joint method at a decoder layer (0-based): out (m, n + m), source tokens first,
 * then those of the target's prefix. */
bool attribution_joint(const struct captured *captured, enum method method, int layer,
                       const struct watch *watch, double *out, struct status *status);

#endif
