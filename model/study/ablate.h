/* Ablation on a test set: how much heads contribute to its score.
 *
 *     fill in the request, the settings and the ablations; ablate_run; ablate_result_free
 */
#ifndef ATTNSCOPE_ABLATE_H
#define ATTNSCOPE_ABLATE_H

#include "model/study/ablation.h"
#include "model/study/study.h"

struct ablate_request {
    struct strings files; // sources, references
    int shown;            // the ablation whose sentences are listed, from 1; 0: none
};

struct ablate_result {
    struct ablate_request request;  // owned
    struct ablation_list ablations; // owned
    struct study_settings settings;
    struct bleu_options options;
    int references, lines, sentences; // sentences: how many of the first lines are scored
    double base;                      // BLEU without an ablation
    struct ablation_score *scores;    // (ablations.count)
    bool tested;                      // p and p_adjusted are known
    struct study_result shown; // the sentences of request.shown: a without, b with the ablation
};
void ablate_result_free(struct ablate_result *result); // leaves it empty

/* Translates and scores the files without an ablation and with each one. Reuses cached results of
 * an earlier run. After a stop (STATUS_CANCELLED), out->sentences is the number of scored
 * sentences. It is 0 after any other failure, and if only one part of the study is computed
 * (shards/shards.h). */
bool ablate_run(const struct study_context *context, struct ablate_result *out,
                struct status *status);

/* True if sentences or tests are missing. */
bool ablate_partial(const struct ablate_result *result);

/* Writes the signature needed to reproduce the scores. */
void ablate_write_signature(FILE *out, const struct ablate_result *result);

#endif
