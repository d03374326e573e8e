/* The counts behind the scores of a study. Texts are counted as they arrive, so that only sums are
 * left to compute at the end or on Ctrl-C.
 *
 *     study_counts_open; study_count whenever more texts arrive; study_make (study.h);
 *     study_counts_close
 */
#ifndef ATTNSCOPE_STUDY_COUNTS_H
#define ATTNSCOPE_STUDY_COUNTS_H

#include "model/study/study.h"

/* The translations of the systems and their references. They must stay in place until
 * study_counts_close. */
struct study_texts {
    const char *const *texts[STUDY_SYSTEMS]; // (sentences) each, NULL: not available yet
    const char *const *const *references;    // (reference_count, sentences)
    const char *const *sources;              // (sentences); NULL: unknown
    int systems, reference_count, sentences;
};

struct study_counts {
    struct study_texts texts;
    struct corpus corpora[STUDY_SYSTEMS]; // (texts.systems)
    struct bleu_tokens tokens;            // of a source
    int *of_source;      // tokens of each source; NULL: groups are by reference length
    int sources;         // how many of the first sources are counted
    bool source_letters; // sources have no blanks: characters are counted instead of tokens
};

/* of_source: groups are by source length. Call study_counts_close even after a failure. */
bool study_counts_open(struct study_counts *counts, const struct corpus_options *options,
                       const struct study_texts *texts, bool of_source, struct status *status);
void study_counts_close(struct study_counts *counts); // leaves it empty

/* Counts further sentences, up to the first one that lacks a text. Fails with STATUS_CANCELLED if
 * the watch stops it. Earlier counts survive any failure. */
bool study_count(struct study_counts *counts, const struct watch *watch, struct status *status);

/* How many of the first sentences are counted in all systems. */
int study_counted(const struct study_counts *counts);

/* (study_counted): the lengths by which sentences are grouped. */
const int *study_lengths(const struct study_counts *counts);

#endif
