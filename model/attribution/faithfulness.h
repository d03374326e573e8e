/* How faithful values of tokens are to what the model does: what becomes of the probability of each
 * predicted token when the source tokens with the greatest values are erased, and when they alone
 * are kept. DeYoung et al. 2020, "ERASER: A benchmark to evaluate rationalized NLP models",
 * section 4:
 *
 *   comprehensiveness  the mean over the shares s of p(y_t | x, y_<t) - p(y_t | x without the top s
 *                      of its tokens, y_<t): high where they matter
 *   sufficiency        the mean of p(y_t | x, y_<t) - p(y_t | the top s alone, y_<t): low where they
 *                      are enough
 *
 * with their shares 1, 5, 10, 20 and 50%, of which a number of tokens is rounded up. What a language
 * model answers with a class there is the next token here, behind the given prefix, which stays
 * whole. Values of a row rank the tokens of the source's text, signed ones with their sign: what
 * speaks against a token is not erased as what speaks for it; of equal values the first one counts.
 * End-of-sentence and language tokens are neither ranked nor erased. Erased is a token whose
 * embedding is a baseline (predictions.h) in its place, as in erasure (method.h): positions stay.
 *
 *     erasing_open; erasing_measure of as many matrices as wanted; erasing_close
 */
#ifndef ATTNSCOPE_FAITHFULNESS_H
#define ATTNSCOPE_FAITHFULNESS_H

#include "model/attribution/predictions.h"

/* A sentence whose source tokens are erased. What has been forced is kept for other rows and
 * matrices. */
struct erasing;

/* All of it must outlive the result. NULL: failure. */
struct erasing *erasing_open(const struct state *state, const struct sentence *source,
                             const int *target, int count, int baseline, struct status *status);
void erasing_close(struct erasing *erasing); // NULL: nothing

/* values: of the predicted tokens (count) the rows, which are `stride` apart, source tokens first.
 * comprehensiveness, sufficiency: (count), written, -1 … 1. A stop of the watch is
 * STATUS_CANCELLED. */
bool erasing_measure(struct erasing *erasing, const float *values, size_t stride,
                     const struct watch *watch, double *comprehensiveness, double *sufficiency,
                     struct status *status);

/* Values that rank at random: the same ones for the same seed. */
bool random_ranking(unsigned long seed, float *values, size_t count, struct status *status);

#endif
