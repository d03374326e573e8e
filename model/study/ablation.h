/* Ablations: sets of heads to switch off, and how translations change without them.
 *
 *     ablation_head_settings for each; ablations_open; translate with each of them and without any,
 *     calling ablations_count whenever more translations arrive; ablations_score and ablations_test
 *     for each; ablations_adjust; ablations_close
 *
 * Counting takes most of the time, so it runs while translating. Scores are then computed from sums
 * of counts.
 */
#ifndef ATTNSCOPE_ABLATION_H
#define ATTNSCOPE_ABLATION_H

#include <stdio.h>

#include "base/watch.h"
#include "model/net/head_settings.h"
#include "model/score/bleu.h"

/* Heads of a module that are switched off together: each of `heads` in each of `layers`. */
struct ablation {
    enum module module;
    int *layers, *heads; // (layer_count), (head_count): 0-based, ascending; owned
    int layer_count, head_count;
    bool every_layer, every_head; // `layers`, or `heads`, covers the whole module
};

/* A copy of `base` in which these heads are also off. NULL: out of memory. */
struct head_settings *ablation_head_settings(const struct head_settings *base,
                                             const struct ablation *ablation,
                                             struct status *status);

/* The ablations of a study, in order. Zero-initialise. */
struct ablation_list {
    struct ablation *items; // (count)
    size_t capacity;
    int count;
};
void ablation_list_free(struct ablation_list *list); // leaves it empty

/* Adds an empty ablation for the caller to fill in. NULL: out of memory. */
struct ablation *ablation_list_add(struct ablation_list *list, struct status *status);
void ablation_list_remove(struct ablation_list *list, int index);

/* On failure nothing needs to be freed. */
bool ablation_list_copy(const struct ablation_list *list, struct ablation_list *copy,
                        struct status *status);
bool ablation_list_equal(const struct ablation_list *a, const struct ablation_list *b);

/* The order in which heads are pruned (prune.h). */
enum prune_order { PRUNE_GREEDY, PRUNE_BY_GRADIENT, PRUNE_BY_IMPORTANCE };

/* The score of all sentences with an ablation. */
struct ablation_score {
    double score, delta; // BLEU; its difference from the score without an ablation
    int differing;       // sentences whose translation changes
    double p;            // approximate randomisation (significance.h); NaN: not tested
    double p_adjusted;   // adjusted for the number of ablations (holm.h); NaN: unknown
};

/* BLEU counts with one of the head settings. */
struct ablation_counts {
    int64_t *each;             // (sentences, BLEU_COUNTS)
    int64_t sums[BLEU_COUNTS]; // over counted sentences
    int differing;             // counted sentences that differ from the text without an ablation
};

struct ablations {
    struct bleu_options options;
    const char *const *const *texts;      // (1 + count, sentences), NULL: not available yet;
                                          // borrowed
    const char *const *const *references; // (reference_count, sentences), borrowed
    const char **row; // (reference_count): references of the sentence being counted
    int count, reference_count, sentences;
    int counted;                    // how many of the first sentences are counted
    struct ablation_counts *counts; // (1 + count)
};

/* texts (1 + count, sentences): translations, first those without an ablation; references
 * (reference_count, sentences). All are valid UTF-8, in sentence order, and must stay in place
 * until ablations_close, which must also be called after a failure. */
bool ablations_open(struct ablations *ablations, const struct bleu_options *options,
                    const char *const *const *texts, int count,
                    const char *const *const *references, int reference_count, int sentences,
                    struct status *status);
void ablations_close(struct ablations *ablations); // leaves it empty

/* Counts further sentences, up to the first one that lacks a text. Fails with STATUS_CANCELLED if
 * the watch stops it. Earlier counts survive any failure. */
bool ablations_count(struct ablations *ablations, const struct watch *watch, struct status *status);

/* BLEU of the counted sentences: without an ablation (ablations_base), and with ablation 0 …
 * count-1 (ablations_score, untested). */
double ablations_base(const struct ablations *ablations);
struct ablation_score ablations_score(const struct ablations *ablations, int number);

/* Computes p of an ablation over the counted sentences, at least one, by approximate randomisation.
 * Fails with STATUS_CANCELLED if the watch stops it. */
bool ablations_test(const struct ablations *ablations, int number, int trials, unsigned long seed,
                    const struct watch *watch, double *p, struct status *status);

/* Fills in p_adjusted of scores (count), all of which have been tested. */
bool ablations_adjust(struct ablation_score *scores, int count, struct status *status);

#endif
