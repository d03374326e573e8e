/* Attribution of one sentence: which parts of a forced pass a method needs, and its matrix.
 *
 *     attribution_request; force_run with request.capture; attribution_matrix or attribution_joint;
 *     attribution_free
 *
 * method_check comes before everything.
 */
#ifndef ATTNSCOPE_ATTRIBUTE_H
#define ATTNSCOPE_ATTRIBUTE_H

#include "base/watch.h"
#include "model/attribution/method.h"
#include "model/attribution/vectors.h"

/* In the place of a head: all of them, as a method takes them together. */
enum { HEADS_TOGETHER = HEADS_WEIGHTED - 1 };

struct attribution_request {
    enum method method;
    enum module module;
    int first, last; // layers (0-based), inclusive; of joint methods all up to `last` are captured
    struct capture_request capture;
    bool *wanted[2 * MODULE_COUNT]; // owned: what `capture` points to
};

/* Fills in `capture` from the other members. On failure nothing needs to be freed. */
bool attribution_request(struct attribution_request *request, const struct config *config,
                         struct status *status);
void attribution_free(struct attribution_request *request);
/* A request of METHOD_WEIGHTS asks for all heads of its layers. These narrow it to some of them:
 * forget all, then add each. head: or HEADS_MEAN and its like, which need all heads of the
 * layer. */
void attribution_forget_heads(struct attribution_request *request, const struct config *config);
void attribution_add_head(struct attribution_request *request, const struct config *config,
                          int layer, int head);

/* The matrix of a method, module, layer and head of a request: out (rows, columns) of the module.
 * In the place of a head: HEADS_TOGETHER, not for METHOD_WEIGHTS; of methods with `of_heads` a
 * head, HEADS_MEAN or HEADS_MAX over them; of METHOD_WEIGHTS under DHICM also HEADS_WEIGHTED.
 *   rest: (rows) or NULL: what of each row is in none of the columns: the residual of
 *   cross-attention (block-norms, contributions), the tokens of the other module (joint methods in
 *   the decoder), 0 elsewhere.
 * The watch is asked by methods that take long; NULL: nobody watches. */
bool attribution_matrix(const struct captured *captured, enum method method, enum module module,
                        int layer, int head, const struct watch *watch, float *out, float *rest,
                        struct status *status);

/* The matrix of a joint method at a decoder layer (0-based): out (m, n + m), the source's tokens
 * before those of the target's prefix. */
bool attribution_joint(const struct captured *captured, enum method method, int layer,
                       const struct watch *watch, double *out, struct status *status);

#endif
