/* Pruning: switches heads off one by one, each time the head whose removal leaves the best score.
 * Alternatively the order is fixed before the first step, least important head first, so that each
 * step translates the file only once. Importance is either the gradient with all heads on, divided
 * by the norm of the layer (Michel et al. 2019; model/study/head_gradients.h), or the importance
 * that DHICM layers give their heads (Goindani and Shrivastava 2021, who leave pruning by it to
 * later work).
 *
 *     fill in the request and the settings; prune_run; prune_result_free
 */
#ifndef ATTNSCOPE_PRUNE_H
#define ATTNSCOPE_PRUNE_H

#include "model/study/ablation.h"
#include "model/study/study.h"

struct prune_request {
    struct strings files; // sources, references
    double until;         // the largest allowed drop of BLEU below that of all heads
    struct ablation_list
        heads; // heads that may be switched off, one per ablation; heads already off are skipped
    enum prune_order order;
    double *importance[MODULE_COUNT]; // (layers, heads), for PRUNE_BY_IMPORTANCE; NaN: none
    int shown;                        // the step whose sentences are listed, from 1; 0: none
};

struct prune_step {
    enum module module;
    int layer, head; // 0-based; off from this step on
    int left;        // selected heads that are still on
    double score, delta;
    double greedy; // for other orders: BLEU of the greedy order with as many heads off; NaN:
                   // unknown
};

struct prune_result {
    struct prune_request request; // owned
    struct study_settings settings;
    struct bleu_options options;
    int references, sentences;
    int heads;                // requested heads that are on at the start
    double base;              // BLEU with these heads
    struct prune_step *steps; // (count)
    int count;
    bool partial; // stopped before the end
    // The limit with which the greedy order takes the steps whose scores these have; NaN: none.
    double greedy_until;
    struct study_result
        shown; // the sentences of request.shown: a with all heads, b after that step
};
void prune_result_free(struct prune_result *result); // leaves it empty

/* Takes steps until BLEU falls too far. Reuses cached steps of an earlier run; `greedy` of the
 * steps is known if the greedy order is cached. If stopped (STATUS_CANCELLED) after a step, sets
 * out->partial, and request.shown to 0; any other failure gives no result. */
bool prune_run(const struct study_context *context, struct prune_result *out,
               struct status *status);

/* True if BLEU fell too far in the last step. */
bool prune_fell(const struct prune_result *result);

/* Writes the signature needed to reproduce the scores. */
void prune_write_signature(FILE *out, const struct prune_result *result);

#endif
