/* Examples for a row of an ablation or a pruning: the sentences whose translation changes, largest
 * difference in BLEU first, as many as a comparison of two systems lists.
 */
#ifndef ATTNSCOPE_STUDY_EXAMPLES_H
#define ATTNSCOPE_STUDY_EXAMPLES_H

#include "model/study/study.h"
#include "model/text/parallel.h"

struct study_examples {
    const char *path; // of the sources, for messages
    const struct parallel *files;
    const struct study_settings *settings;
    int sentences; // how many of the first lines are scored
};

/* Fills in a zeroed `shown`: a is the state of the context, b the same state with these head
 * settings. Sentences whose translations are no longer cached are translated again. */
bool study_examples_open(const struct study_context *context, const struct study_examples *examples,
                         struct head_settings *head_settings, struct study_result *shown,
                         struct status *status);

#endif
