/* Scores the candidates of a contrastive suite with a model, and decides which ones the model
 * prefers.
 *
 *     contrast_open; contrast_score any number of times, with any head_settings; contrast_close;
 *     decision_correct, contrast_correct and groups (contrast_groups.h) from the scores
 *
 * The score of a candidate is the sum of the log-probabilities of its tokens given the source,
 * including end-of-sentence. On the CPU it is bit-identical to that of `:score`; on a GPU it
 * differs by the rounding of a different batch (gpu/backend.h), but is reproducible within the same
 * study. Candidates of one source share its encoding, and the decoding of a common prefix
 * (force.h).
 */
#ifndef ATTNSCOPE_CONTRAST_H
#define ATTNSCOPE_CONTRAST_H

#include "base/watch.h"
#include "model/checkpoint/config_languages.h"
#include "model/net/model.h"
#include "model/study/contrast/suite.h"

struct candidate_score {
    double logprob; // summed
    int tokens;     // with end-of-sentence
};

/* The scores of all candidates of the first items of a suite. Zero-initialise; free with
 * contrast_scores_free. */
struct contrast_scores {
    struct candidate_score *candidates; // (suite->candidates)
    int items;                          // how many of the first items are scored
};
void contrast_scores_free(struct contrast_scores *scores); // leaves it empty

enum contrast_normalize { NORMALIZE_SUM, NORMALIZE_LENGTH };
extern const char *const contrast_normalize_names[]; // sum, length; NULL-terminated

/* The value that decisions compare: the sum, or the sum divided by the number of tokens. */
double contrast_value(const struct candidate_score *score, enum contrast_normalize normalize);

/* The texts of a suite, encoded for a model between two of its languages. Fails if a text is too
 * long for the model; the message says where it is. Suite and model must outlive the result. */
struct contrast;
struct contrast *contrast_open(const struct suite *suite, struct model *model,
                               const struct language_pair *languages, const struct watch *watch,
                               struct status *status);
void contrast_close(struct contrast *contrast); // NULL: nothing
/* Makes contrast_score use the results of the shards, and keep new ones there. In a single part it
 * scores only the items of that part: the scores are meant for its file, and mean nothing outside
 * it. */
struct shards;
void contrast_divide(struct contrast *contrast, struct shards *shards);

/* Scores the items from scores->items on with each of `count` head settings. head_settings and
 * scores are (count); a NULL head_settings means those of the checkpoint. All scores have the same
 * number of items before and after. About `batch` candidates are computed at once. Those of one
 * source are computed together for all settings, which saves time if the settings have encoder
 * layers in common (force.h). Fails with STATUS_CANCELLED if the watch stops it; finished items are
 * kept. */
bool contrast_score(struct contrast *contrast, const struct head_settings *const *head_settings,
                    int count, int batch, const struct watch *watch, struct contrast_scores *scores,
                    struct status *status);

/* How many of the first decisions have scored items. */
int contrast_decided(const struct suite *suite, const struct contrast_scores *scores);

/* True if the value of the reference is greater than that of every error of the decision. A tie or
 * a NaN is wrong. */
bool decision_correct(const struct suite *suite, const struct contrast_scores *scores,
                      const struct decision *decision, enum contrast_normalize normalize);

/* The error of the decision with the greatest value (the first if several are equal), as the number
 * of a candidate of its item. */
int decision_rival(const struct suite *suite, const struct contrast_scores *scores,
                   const struct decision *decision, enum contrast_normalize normalize);

/* The number of correct decisions among the first `decisions`. */
int contrast_correct(const struct suite *suite, const struct contrast_scores *scores, int decisions,
                     enum contrast_normalize normalize);

#endif
