/* How faithful token values are to the model: how the probability of each predicted token changes
 * if the source tokens with the greatest values are erased, and if only they are kept. DeYoung et
 * al. 2020, "ERASER: A benchmark to evaluate rationalized NLP models", section 4:
 *
 *   comprehensiveness  the mean over the shares s of p(y_t | x, y_<t) - p(y_t | x without the top s
 *                      of its tokens, y_<t): high if they matter
 *   sufficiency        the mean of p(y_t | x, y_<t) - p(y_t | the top s alone, y_<t): low if they
 *                      are enough
 *
 * with their shares 1, 5, 10, 20 and 50%, rounded up to whole tokens. Instead of a class, the model
 * predicts the next token after the given prefix, which is kept whole. The values of a row rank the
 * source's text tokens, including their sign, so that evidence against a token does not count as
 * evidence for it; the first of equal values ranks higher. End-of-sentence and language tokens are
 * neither ranked nor erased. Erasing a token replaces its embedding with a baseline
 * (predictions.h), as in erasure (method.h), and keeps its position.
 *
 *     erasing_open; erasing_measure for any number of matrices; erasing_close
 */
#ifndef ATTNSCOPE_FAITHFULNESS_H
#define ATTNSCOPE_FAITHFULNESS_H

#include "model/attribution/predictions.h"

/* A sentence whose source tokens are erased. Forced results are kept for other rows and
 * matrices. */
struct erasing;

/* All arguments must outlive the result. NULL on failure. */
struct erasing *erasing_open(const struct state *state, const struct sentence *source,
                             const int *target, int count, int baseline, struct status *status);
void erasing_close(struct erasing *erasing); // NULL: nothing

/* values: rows of the predicted tokens (count), `stride` apart, source tokens first.
 * comprehensiveness, sufficiency: (count), output, -1 … 1. Fails with STATUS_CANCELLED if the watch
 * stops it. */
bool erasing_measure(struct erasing *erasing, const float *values, size_t stride,
                     const struct watch *watch, double *comprehensiveness, double *sufficiency,
                     struct status *status);

/* Writes values that rank at random, determined by the seed. */
bool random_ranking(unsigned long seed, float *values, size_t count, struct status *status);

#endif
