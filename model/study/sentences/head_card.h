/* One attention head in full: its statistics among those of its module, the sentences that show
 * what it does most and least, and the pairs of tokens that it joins. Over a file
 * (head_stats_run.h, head_pairs.h), or for one sentence.
 *
 *     fill in the first part; head_card_run, or head_card_add for one sentence; head_card_free
 */
#ifndef ATTNSCOPE_HEAD_CARD_H
#define ATTNSCOPE_HEAD_CARD_H

#include "model/study/sentences/head_pairs.h"
#include "model/study/sentences/head_stats_run.h"

struct head_card {
    enum module module;
    int layer, head;    // 0-based
    const char *source; // one sentence per line
    const char *target; // their translations; NULL: the model's own

    const struct head_stats_result *result; // of all heads of the module; NULL: not measured
    int index;                              // of the head among them
    enum head_measure measure; // ranks the sentences that show it: the measure of its kind
    struct head_pairs pairs;
    bool paired;                  // `pairs` is filled in
    bool pairs_most;              // pairs are from the sentences that show it most, not from all
    struct head_stats_result own; // of one sentence
};

/* Pairs cover all sentences if they need no translation: for heads of the encoder, or with a
 * target. The other results come from head_stats_run, which uses what a stopped run has left. After
 * a stop (STATUS_CANCELLED) `result` is what was measured before it. Call head_card_free in every
 * case. */
bool head_card_run(const struct study_context *context, struct head_card *card,
                   struct status *status);
/* Measures a single sentence with ids instead. */
bool head_card_add(const struct walk_sentence *sentence, struct head_card *card,
                   struct status *status);
void head_card_free(struct head_card *card); // leaves it empty

/* Rereads the texts of examples from the files. texts (count) receives copies of source and target,
 * NULL if absent, which the caller frees even after a failure. */
bool head_examples_read(const char *source, const char *target, const struct watch *watch,
                        const struct head_example *examples, int count, char *(*texts)[2],
                        struct status *status);

#endif
