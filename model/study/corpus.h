/* A system's translations of many sentences, counted for BLEU and chrF2 once; scores of all of them, of a
 * group and of single ones come from the counts.
 *
 *     corpus_open; corpus_total, corpus_sentence as often as wanted; corpus_close
 */
#ifndef ATTNSCOPE_CORPUS_H
#define ATTNSCOPE_CORPUS_H

#include "model/net/watch.h"
#include "model/study/bleu.h"
#include "model/study/chrf.h"

struct corpus_options {
    struct bleu_options bleu;
    bool chrf_lowercase;
};

struct corpus {
    struct corpus_options options;
    int sentences; // counted
    int64_t *bleu; // (sentences, BLEU_COUNTS)
    int64_t *chrf; // (sentences, CHRF_COUNTS)
    int *lengths;  // (sentences): tokens of the first reference
};

/* Sentences in order: texts (sentences), references (reference_count, sentences), all valid UTF-8. Stopped
 * by the watcher it fails with STATUS_CANCELLED, and what was counted until then is there; after any other
 * failure nothing is. corpus_close in either case. */
bool corpus_open(struct corpus *corpus, const struct corpus_options *options,
                 const char *const *texts, const char *const *const *references,
                 int reference_count, int sentences, const struct watcher *watcher,
                 struct status *status);
void corpus_close(struct corpus *corpus); // leaves it empty

struct corpus_score {
    struct bleu_score bleu;
    double chrf;
};

/* The score of the sentences whose group (sentences) is `group`; groups NULL: of all. */
struct corpus_score corpus_total(const struct corpus *corpus, const int *groups, int group);

/* The score of one sentence, with effective order. */
struct corpus_score corpus_sentence(const struct corpus *corpus, int sentence);

#endif
