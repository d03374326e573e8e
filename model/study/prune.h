/* Pruning: switches heads off one after the other, each time the head whose removal leaves the best
 * score; or in an order that is known before the first step, the least important head first, which
 * translates the file once for each step: by gradient, with all heads on, divided by the norm of their
 * layer (Michel et al. 2019; model/study/head_gradients.h); or by the importance that layers of dhicm
 * give their heads (Goindani and Shrivastava 2021, who leave pruning by it to later work).
 *
 *     fill in the request and the settings; prune_run; prune_result_free
 */
#ifndef ATTNSCOPE_PRUNE_H
#define ATTNSCOPE_PRUNE_H

#include "model/study/ablation.h"
#include "model/study/study.h"

struct prune_request {
    struct strings files; // sources, references
    double until;         // the greatest fall of BLEU below that of all heads
    struct ablation_list
        heads; // heads that may be switched off, one in each ablation; heads that are already off are skipped
    enum prune_order order;
    double *importance[MODULE_COUNT]; // (layers, heads), by importance: NaN for heads without
    int shown; // the number of the step whose sentences are listed, from 1; 0: none
};

struct prune_step {
    enum module module;
    int layer, head; // 0-based; off from this step on
    int left;        // selected heads that are still on
    double score, delta;
    double greedy; // not greedy: BLEU with as many heads off in the other order; NaN: unknown
};

struct prune_result {
    struct prune_request request; // owned
    struct study_settings settings;
    struct bleu_options options;
    int references, sentences;
    int heads;                // heads of the request that are on at the start
    double base;              // BLEU with them
    struct prune_step *steps; // (count)
    int count;
    bool partial; // stopped before the end
    struct study_result
        shown; // the sentences of request.shown: a with all heads, b after that step
};
void prune_result_free(struct prune_result *result); // leaves it empty

/* What the greedy order's steps came to is known if it is cached.
 * Takes steps until BLEU falls too far. Cached steps of an earlier run are used again. If it is
 * stopped (STATUS_CANCELLED) after a step, it sets out->partial, and request.shown to 0; after any
 * other failure there is no result. */
bool prune_run(const struct study_context *context, struct prune_result *out,
               struct status *status);

/* True if BLEU fell too far in the last step. */
bool prune_fell(const struct prune_result *result);

/* Writes the signature with which the scores can be reproduced. */
void prune_write_signature(FILE *out, const struct prune_result *result);

#endif
