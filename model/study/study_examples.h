/* Examples of a row of an ablation or a pruning: the sentences whose translation changes, those
 * whose BLEU differs most first, as many as a comparison of two systems lists.
 */
#ifndef ATTNSCOPE_STUDY_EXAMPLES_H
#define ATTNSCOPE_STUDY_EXAMPLES_H

#include "model/study/study.h"
#include "model/text/parallel.h"

struct study_examples {
    const char *path; // of the sources, for messages
    const struct parallel *files;
    const struct study_settings *settings;
    int sentences; // the number of first lines that are scored
};

/* Fills in `shown`, which is zero before: a is the state of the context, b is that state with these
 * head settings. Sentences whose translations are no longer cached are translated again. */
bool study_examples_open(const struct study_context *context, const struct study_examples *examples,
                         struct head_settings *head_settings, struct study_result *shown,
                         struct status *status);

#endif
