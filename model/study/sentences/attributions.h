/* The share of the source in each prediction over a file, by a method of
 * model/attribution/predictions.h.
 *
 * Rows are the predicted tokens of the translation, including end-of-sentence. The mean of a
 * sentence is over its rows; the mean of a file is over the rows of all sentences.
 */
#ifndef ATTNSCOPE_ATTRIBUTIONS_H
#define ATTNSCOPE_ATTRIBUTIONS_H

#include "model/attribution/predictions.h"
#include "model/study/walk.h"

struct attribution_sentence {
    int line, rows; // line: from 1
    double share;   // NaN: no row has a share
    char *source, *target;
};

struct attribution_study {
    struct study_walk walk; // its path, and targets
    struct prediction_question question;

    struct attribution_sentence
        *each; // (count): lowest share first, that is text written without the source
    size_t capacity;
    int count;
    long rows;  // of all
    double sum; // of their shares
};

/* As study_walk. attribution_study_free in either case. */
bool attribution_study_run(const struct study_context *context, struct attribution_study *study,
                           struct status *status);
void attribution_study_free(struct attribution_study *study);

#endif
