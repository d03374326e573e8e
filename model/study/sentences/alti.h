/* The sources of each prediction (ALTI+, Ferrando et al. 2022; model/attribution/method.h): the
 * share of the source.
 *
 * Rows are the predicted tokens of the translation, end-of-sentence included. The mean of a
 * sentence is over its rows, that of a file over all rows of all sentences.
 */
#ifndef ATTNSCOPE_ALTI_H
#define ATTNSCOPE_ALTI_H

#include "model/study/walk.h"

/* Contributions to the last decoder layer's outputs, in one sentence. */
struct alti_joint {
    int rows, sources, targets; // rows: without those of start tokens that another one precedes
    float *values;              // (rows, sources + targets)
    double *shares;             // (rows) of the source; NaN: a row of zeros
};

/* On failure there is nothing to free. */
bool alti_joint_compute(const struct walk_sentence *sentence, struct alti_joint *out,
                        struct status *status);
void alti_joint_free(struct alti_joint *joint);
/* The mean share of the rows that have one; NaN: none has. */
double alti_joint_mean(const struct alti_joint *joint);

struct alti_sentence {
    int line, rows; // line: from 1
    double share;   // NaN: no row has one
    char *source, *target;
};

struct alti_study {
    struct study_walk walk; // its path, and targets

    struct alti_sentence
        *each; // (count): the least share first, what was written without the source
    size_t capacity;
    int count;
    long rows;  // of all
    double sum; // of their shares
};

/* As study_walk. alti_free in either case. */
bool alti_run(const struct study_context *context, struct alti_study *study, struct status *status);
void alti_free(struct alti_study *study);

#endif
