/* How a model scores the candidates of a contrastive suite, and what it decides.
 *
 *     contrast_open; contrast_score as often as wanted, under any dials; contrast_close
 *     decision_correct, contrast_total and groups (contrast_groups.h) from the scores
 *
 * A candidate's score is the sum of the log-probabilities of its tokens, end-of-sentence included, given the
 * source: as `:score` has it, to the bit. Candidates of one source share its encoding and, as far as they
 * begin alike, the decoding (force.h).
 */
#ifndef ATTNSCOPE_CONTRAST_H
#define ATTNSCOPE_CONTRAST_H

#include "model/net/model.h"
#include "model/net/watch.h"
#include "model/study/suite.h"

struct candidate_score {
    double logprob; // summed
    int tokens;     // with end-of-sentence
};

/* Of a suite's first items, all of their candidates. Zero-initialise; contrast_scores_free. */
struct contrast_scores {
    struct candidate_score *candidates; // (suite->candidates)
    int items;                          // scored, from the first on
};
void contrast_scores_free(struct contrast_scores *scores); // leaves it empty

enum contrast_normalize { NORMALIZE_SUM, NORMALIZE_LENGTH };
extern const char *const contrast_normalize_names[]; // sum, length; NULL at the end

/* What candidates are compared by: the sum, or the sum over the tokens. */
double contrast_value(const struct candidate_score *score, enum contrast_normalize normalize);

/* The suite's texts as a model reads them. A text that is too long for the model is an error, told with its
 * place. Suite and model must outlive it. */
struct contrast;
struct contrast *contrast_open(const struct suite *suite, struct model *model,
                               const struct watcher *watcher, struct status *status);
void contrast_close(struct contrast *contrast); // NULL: nothing

/* Scores the items from scores->items on under each of `count` settings: dials and scores (count), NULL dials the
 * checkpoint's own, all scores of as many items before and after. About `batch` candidates go at once, those of a
 * source under all settings together, which is worth it where the settings have encoder layers in common (force.h).
 * Stopped by the watcher it fails with STATUS_CANCELLED, and what was finished is there. */
bool contrast_score(struct contrast *contrast, const struct dials *const *dials, int count,
                    int batch, const struct watcher *watcher, struct contrast_scores *scores,
                    struct status *status);

/* How many decisions, from the first on, are about items that have been scored. */
int contrast_decided(const struct suite *suite, const struct contrast_scores *scores);

/* Whether the reference's value is greater than that of each of the decision's errors. A tie is wrong, and so
 * is what is not a number. */
bool decision_correct(const struct suite *suite, const struct contrast_scores *scores,
                      const struct decision *decision, enum contrast_normalize normalize);

/* The decision's error with the greatest value, the first of several, as a candidate of its item. */
int decision_rival(const struct suite *suite, const struct contrast_scores *scores,
                   const struct decision *decision, enum contrast_normalize normalize);

/* Correct ones among the first `decisions`. */
int contrast_correct(const struct suite *suite, const struct contrast_scores *scores, int decisions,
                     enum contrast_normalize normalize);

#endif
