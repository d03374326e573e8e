/* Ablations: which heads are off in each, and whether the translations are worse without them.
 *
 *     ablation_dials for each; translations under all of these, and without any; then
 *     ablations_open; ablations_score for each in turn; ablations_adjust; ablations_close
 */
#ifndef ATTNSCOPE_ABLATION_H
#define ATTNSCOPE_ABLATION_H

#include <stdio.h>

#include "model/net/dials.h"
#include "model/net/watch.h"
#include "model/study/bleu.h"

/* Heads of a module that are off together: every one of `heads` in every one of `layers`. */
struct ablation {
    enum module module;
    int *layers, *heads; // (layer_count), (head_count): 0-based, rising; owned
    int layer_count, head_count;
    bool every_layer, every_head; // there are no others
};
void ablation_free(struct ablation *ablation); // leaves it empty

/* A copy of `base` with these heads off too. NULL: out of memory. */
struct dials *ablation_dials(const struct dials *base, const struct ablation *ablation,
                             struct status *status);

/* What an ablation does to the score of all sentences. */
struct ablation_score {
    double score, delta; // BLEU; less the score without it
    int differing;       // sentences with another translation
    double p; // paired bootstrap (significance.h); 1 where nothing differs; NaN: not tested
    double p_adjusted; // among all ablations (holm.h); NaN: not known
};

/* The texts that ablations are compared with. */
struct ablations {
    struct bleu_options options;
    const char *const *texts; // (sentences): without an ablation; borrowed
    const char **references;  // (sentences, reference_count): borrowed texts
    int reference_count, sentences;
    int64_t *base, *other; // (sentences, BLEU_COUNTS)
    double score;          // of `texts`
};

/* Sentences in order: texts (sentences), references (reference_count, sentences), all valid UTF-8, which stay
 * where they are until ablations_close. Stopped by the watcher it fails with STATUS_CANCELLED; nothing needs to
 * be closed after any failure. */
bool ablations_open(struct ablations *ablations, const struct bleu_options *options,
                    const char *const *texts, const char *const *const *references,
                    int reference_count, int sentences, const struct watcher *watcher,
                    struct status *status);
void ablations_close(struct ablations *ablations); // leaves it empty

/* Scores the translations of one ablation; resamples 0: without a test. */
bool ablations_score(struct ablations *ablations, const char *const *texts, int resamples,
                     unsigned long seed, const struct watcher *watcher, struct ablation_score *out,
                     struct status *status);

/* Fills in p_adjusted of scores (count) that were all tested. */
bool ablations_adjust(struct ablation_score *scores, int count, struct status *status);

#endif
