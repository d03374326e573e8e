/* Ablations: which heads are off in each, and whether the translations are worse without them.
 *
 *     ablation_dials for each; ablations_open; translations under all of these, and without any, and meanwhile
 *     ablations_count as often as more of them are there; ablations_score and ablations_test for each;
 *     ablations_adjust; ablations_close
 *
 * Counting is what takes time: it keeps pace with translating, and scores are sums of counts.
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

/* BLEU's counts under one of the settings of heads. */
struct ablation_counts {
    int64_t *each;             // (sentences, BLEU_COUNTS)
    int64_t sums[BLEU_COUNTS]; // of those counted
    int differing;             // of those counted, from the text without an ablation
};

struct ablations {
    struct bleu_options options;
    const char *const *const *texts;      // (1 + count, sentences), NULL: not there yet; borrowed
    const char *const *const *references; // (reference_count, sentences), borrowed
    const char **row;                     // (reference_count): those of the sentence being counted
    int count, reference_count, sentences;
    int counted;                    // sentences, the first ones
    struct ablation_counts *counts; // (1 + count)
};

/* Sentences in order: texts (1 + count, sentences), the first without an ablation, references (reference_count,
 * sentences), all valid UTF-8, which stay where they are while anything is counted. ablations_close also after a
 * failure. */
bool ablations_open(struct ablations *ablations, const struct bleu_options *options,
                    const char *const *const *texts, int count,
                    const char *const *const *references, int reference_count, int sentences,
                    struct status *status);
void ablations_close(struct ablations *ablations); // leaves it empty

/* Counts on, up to the first sentence that does not have all its texts. Stopped by the watcher it fails with
 * STATUS_CANCELLED; what was counted until then is there after any failure. */
bool ablations_count(struct ablations *ablations, const struct watcher *watcher,
                     struct status *status);

/* BLEU of the sentences counted, without an ablation, and under number 0 … count-1, which is not tested. */
double ablations_base(const struct ablations *ablations);
struct ablation_score ablations_score(const struct ablations *ablations, int number);

/* p of an ablation over the sentences counted, at least one. Stopped by the watcher it fails with
 * STATUS_CANCELLED. */
bool ablations_test(const struct ablations *ablations, int number, int resamples,
                    unsigned long seed, const struct watcher *watcher, double *p,
                    struct status *status);

/* Fills in p_adjusted of scores (count) that were all tested. */
bool ablations_adjust(struct ablation_score *scores, int count, struct status *status);

#endif
