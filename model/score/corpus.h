/* BLEU and chrF2 of a system's translations. Each sentence is counted once; scores of all
 * sentences, groups and single sentences are computed from the counts.
 *
 *     corpus_open; corpus_count, again whenever more translations arrive; corpus_total,
 *     corpus_sentence any number of times; corpus_close
 */
#ifndef ATTNSCOPE_CORPUS_H
#define ATTNSCOPE_CORPUS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "base/watch.h"
#include "model/score/bleu.h"
#include "model/score/metric.h"

/* chrF2 (Popović 2015): F-score of character n-grams up to 6, with recall weighted double, as in
 * the sacreBLEU package 2.x: orders for which the text or the reference has no n-gram are skipped.
 *
 *     chrf_count for each sentence; add the counts up; chrf_score for the sums
 */

enum { CHRF_ORDER = 6, CHRF_BETA = 2 };

/* Counts of a sentence for each order: n-grams of the text, of the reference, matched. */
enum { CHRF_TEXT, CHRF_REFERENCE, CHRF_MATCHED, CHRF_EACH, CHRF_COUNTS = CHRF_ORDER * CHRF_EACH };

/* Counts one sentence against its best-scoring reference; texts are valid UTF-8. */
bool chrf_count(bool lowercase, const char *text, const char *const *references,
                int reference_count, int64_t counts[CHRF_COUNTS], struct status *status);

/* 0 … 100. */
double chrf_score(const int64_t counts[CHRF_COUNTS]);

struct metric chrf_metric(void);

/* "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:VERSION"; `tests` as in bleu.h. */
void chrf_write_signature(FILE *out, bool lowercase, int references, const char *tests,
                          const char *version);

struct corpus_options {
    struct bleu_options bleu;
    bool chrf_lowercase;
};

struct corpus {
    struct corpus_options options;
    const char *const *texts;             // (most), NULL: not translated yet; borrowed
    const char *const *const *references; // (reference_count, most), borrowed
    const char **row;                     // (reference_count): references of the sentence being
                                          // counted
    int reference_count, most;
    int sentences; // how many of the first sentences are counted
    int64_t *bleu; // (sentences, BLEU_COUNTS)
    int64_t *chrf; // (sentences, CHRF_COUNTS)
    int *lengths;  // (sentences): tokens of the first reference
};

/* In sentence order: texts (sentences), references (reference_count, sentences), all valid UTF-8,
 * which must stay in place while counting. Call corpus_close even after a failure. */
bool corpus_open(struct corpus *corpus, const struct corpus_options *options,
                 const char *const *texts, const char *const *const *references,
                 int reference_count, int sentences, struct status *status);
void corpus_close(struct corpus *corpus); // leaves it empty

/* Counts further sentences, up to the first without a text. Fails with STATUS_CANCELLED if the
 * watch stops it. Counts made before a failure are kept. */
bool corpus_count(struct corpus *corpus, const struct watch *watch, struct status *status);

struct corpus_score {
    struct bleu_score bleu;
    double chrf;
};

/* The score of the counted sentences with groups[sentence] equal to `group`; groups NULL: of
 * all. */
struct corpus_score corpus_total(const struct corpus *corpus, const int *groups, int group);

/* The score of one sentence, with effective order. */
struct corpus_score corpus_sentence(const struct corpus *corpus, int sentence);

#endif
