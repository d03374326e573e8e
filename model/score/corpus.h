/* BLEU and chrF2 of a system's translations: sentences are counted once, and the scores of all of
 * them, of groups and of single sentences are computed from the counts.
 *
 *     corpus_open; corpus_count, again when more translations are there; corpus_total,
 *     corpus_sentence as often as wanted; corpus_close
 */
#ifndef ATTNSCOPE_CORPUS_H
#define ATTNSCOPE_CORPUS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"
#include "base/watch.h"
#include "model/score/bleu.h"
#include "model/score/metric.h"

/* chrF2 (Popović 2015): F-score of character n-grams up to 6, recall counting twice as much, as the
 * sacreBLEU package 2.x computes it: orders of which the text or the reference has no n-gram are
 * skipped.
 *
 *     chrf_count for each sentence; add the counts up; chrf_score of the sums
 */

enum { CHRF_ORDER = 6, CHRF_BETA = 2 };

/* Counts of a sentence for each order: n-grams of the text, of the reference, matched. */
enum { CHRF_TEXT, CHRF_REFERENCE, CHRF_MATCHED, CHRF_EACH, CHRF_COUNTS = CHRF_ORDER * CHRF_EACH };

/* Counts of one sentence against the reference that it scores best with; texts are valid UTF-8. */
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
    const char **row;                     // (reference_count): those of the sentence being counted
    int reference_count, most;
    int sentences; // counted, the first ones
    int64_t *bleu; // (sentences, BLEU_COUNTS)
    int64_t *chrf; // (sentences, CHRF_COUNTS)
    int *lengths;  // (sentences): tokens of the first reference
};

/* Sentences in order: texts (sentences), references (reference_count, sentences), all valid UTF-8,
 * which stay where they are while anything is counted. corpus_close also after a failure. */
bool corpus_open(struct corpus *corpus, const struct corpus_options *options,
                 const char *const *texts, const char *const *const *references,
                 int reference_count, int sentences, struct status *status);
void corpus_close(struct corpus *corpus); // leaves it empty

/* Counts further sentences, up to the first without a text. Fails with STATUS_CANCELLED where the
 * watch stops it. What was counted before a failure is kept. */
bool corpus_count(struct corpus *corpus, const struct watch *watch, struct status *status);

struct corpus_score {
    struct bleu_score bleu;
    double chrf;
};

/* The score of the sentences counted whose group (sentences) is `group`; groups NULL: of all. */
struct corpus_score corpus_total(const struct corpus *corpus, const int *groups, int group);

/* The score of one sentence, with effective order. */
struct corpus_score corpus_sentence(const struct corpus *corpus, int sentence);

#endif
