/* Pruning: switches heads off one after the other, each time the head whose removal leaves the best
 * score; or by gradient, in the order of their importance with all heads on, the least important
 * first, divided by the norm of their layer (Michel et al. 2019;
 * model/attribution/head_gradients.h). That translates the file once for each step.
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
    bool by_gradient;
    int shown; // the number of the step whose sentences are listed, from 1; 0: none
};

struct prune_step {
    enum module module;
    int layer, head; // 0-based; off from this step on
    int left;        // selected heads that are still on
    double score, delta;
    double greedy; // by gradient: BLEU with as many heads off in the other order; NaN: unknown
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

/* By gradient, what the other order's steps came to is known if it is cached.
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
