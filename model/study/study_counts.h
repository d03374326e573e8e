/* The counts behind the scores of a study. They are made while the texts arrive, so that only their
 * sums are left for the end, or for Ctrl-C.
 *
 *     study_counts_open; study_count whenever more texts are there; study_make (study.h);
 *     study_counts_close
 */
#ifndef ATTNSCOPE_STUDY_COUNTS_H
#define ATTNSCOPE_STUDY_COUNTS_H

#include "model/study/study.h"

/* The translations of the systems and their references. They must stay where they are until
 * study_counts_close. */
struct study_texts {
    const char *const *texts[STUDY_SYSTEMS]; // (sentences) each, NULL: not there yet
    const char *const *const *references;    // (reference_count, sentences)
    const char *const *sources;              // (sentences); NULL: only translations are known
    int systems, reference_count, sentences;
};

struct study_counts {
    struct study_texts texts;
    struct corpus corpora[STUDY_SYSTEMS]; // (texts.systems)
    struct bleu_tokens tokens;            // of a source
    int *of_source; // tokens of each source; NULL: groups are by reference length
    int sources;    // the number of first sources that are counted
};

/* of_source: groups are by source length. Call study_counts_close also after a failure. */
bool study_counts_open(struct study_counts *counts, const struct corpus_options *options,
                       const struct study_texts *texts, bool of_source, struct status *status);
void study_counts_close(struct study_counts *counts); // leaves it empty

/* Counts further sentences, up to the first one that lacks a text. If the watch stops it, it fails
 * with STATUS_CANCELLED. After any failure, what was counted stays. */
bool study_count(struct study_counts *counts, const struct watch *watch, struct status *status);

/* The number of first sentences that are counted in all systems. */
int study_counted(const struct study_counts *counts);

/* (study_counted): the lengths by which sentences are grouped. */
const int *study_lengths(const struct study_counts *counts);

#endif
