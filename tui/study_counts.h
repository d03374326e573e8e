/* What the scores of a study are made of, counted while the texts come: what is left to do at the end, or after
 * Ctrl-C, is to add it up.
 *
 *     study_counts_open; study_count as often as more texts are there; study_make (study.h); study_counts_close
 */
#ifndef ATTNSCOPE_STUDY_COUNTS_H
#define ATTNSCOPE_STUDY_COUNTS_H

#include "tui/study.h"

/* The systems' translations and their references, which stay where they are until study_counts_close. */
struct study_texts {
    const char *const *texts[STUDY_SYSTEMS]; // (sentences) each, NULL: not there yet
    const char *const *const *references;    // (reference_count, sentences)
    const char *const *sources;              // (sentences)
    int systems, reference_count, sentences;
};

struct study_counts {
    struct study_texts texts;
    struct corpus corpora[STUDY_SYSTEMS]; // (texts.systems)
    struct bleu_tokens tokens;            // of a source
    int *of_source;                       // tokens of the sources; NULL: groups are not of them
    int sources;                          // of them that were counted
};

/* of_source: groups are to be of the sources' lengths. study_counts_close also after a failure. */
bool study_counts_open(struct study_counts *counts, const struct corpus_options *options,
                       const struct study_texts *texts, bool of_source, struct status *status);
void study_counts_close(struct study_counts *counts); // leaves it empty

/* Counts on, up to the first sentence that has no text. Stopped by the watcher it fails with STATUS_CANCELLED; what
 * was counted until then is there after any failure. */
bool study_count(struct study_counts *counts, const struct watcher *watcher, struct status *status);

/* Sentences from the first on that are counted in all systems. */
int study_counted(const struct study_counts *counts);

/* (study_counted): what groups are of. */
const int *study_lengths(const struct study_counts *counts);

#endif
