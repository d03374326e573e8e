/* One head of attention in full: its statistics among those of its module, the sentences that show
 * what it does most and least, and the pairs of tokens that it joins; over a file, as
 * head_stats_run.h and head_pairs.h say, or of one sentence.
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
    const char *source; // one sentence a line
    const char *target; // their translations; NULL: the model's own

    const struct head_stats_result
        *result;               // of all heads of the module; NULL: nothing was measured
    int index;                 // of the head among them
    enum head_measure measure; // by which the sentences show it: that of its kind
    struct head_pairs pairs;
    bool paired;                  // pairs are there
    bool pairs_most;              // they are those of the sentences that show it most, not of all
    struct head_stats_result own; // of one sentence
};

/* Pairs are those of all sentences where nothing is translated for them: of heads of the encoder,
 * or where there is a target. The other results are those of head_stats_run, which uses what there
 * is of a run that was stopped. After a stop (STATUS_CANCELLED) `result` is what was measured
 * before. head_card_free in every case. */
bool head_card_run(const struct study_context *context, struct head_card *card,
                   struct status *status);
/* Takes one sentence with ids instead. */
bool head_card_add(const struct walk_sentence *sentence, struct head_card *card,
                   struct status *status);
void head_card_free(struct head_card *card); // leaves it empty

/* Reads the texts of examples from the files again: texts (count) get copies of source and target,
 * which the caller frees, also after a failure; NULL: there is none. */
bool head_examples_read(const char *source, const char *target, const struct watch *watch,
                        const struct head_example *examples, int count, char *(*texts)[2],
                        struct status *status);

#endif
