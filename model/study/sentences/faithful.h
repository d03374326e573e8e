/* How faithful attribution methods are to a model, over a file: how the probabilities of the
 * predicted tokens change if the source tokens that a method ranks highest are erased, or are the
 * only ones kept (model/attribution/faithfulness.h). With gold alignments, also how often a
 * method's highest-ranked word is the one linked by a person (alignment/align_files.h). A random
 * ranking is the baseline.
 *
 * Means are over the predicted tokens of all sentences, including end-of-sentence. Intervals
 * come from the paired bootstrap over sentences, p from approximate randomisation
 * (model/score/significance.h).
 *
 *     fill in the first part; faithful_run; faithful_free
 */
#ifndef ATTNSCOPE_FAITHFUL_H
#define ATTNSCOPE_FAITHFUL_H

#include "model/attribution/predictions.h"
#include "model/score/significance.h"
#include "model/study/alignment/align_files.h"
#include "model/study/study_settings.h"
#include "model/study/walk.h"

enum faithful_measure { COMPREHENSIVENESS, SUFFICIENCY, AGREEMENT, FAITHFUL_MEASURES };

/* Sums of a sentence. The first two are in units of 1 / FAITHFUL_UNIT. */
enum { FAITHFUL_UNIT = 1 << 20 };
enum faithful_count {
    FAITHFUL_COMPREHENSIVENESS,
    FAITHFUL_SUFFICIENCY,
    FAITHFUL_ROWS, // predicted tokens
    FAITHFUL_LINKS,
    FAITHFUL_SURE,
    FAITHFUL_SURE_FOUND,
    FAITHFUL_POSSIBLE_FOUND,
    FAITHFUL_COUNTS
};

struct faithful_score {
    double score; // AGREEMENT: the alignment error rate, NaN without gold
    struct interval interval;
    double p; // against the best method by this measure; NaN: this is the best
};

struct faithful_method {
    bool random;        // ranks by random numbers
    enum method method; // unless `random`
    struct faithful_score scores[FAITHFUL_MEASURES];
    int64_t *counts; // (sentences, FAITHFUL_COUNTS)
    size_t capacity;
};

struct faithful_study {
    struct faithful_method *methods; // (method_count); owned; the last one is random
    int method_count;
    struct attribution_options options;
    struct study_settings settings; // of the tests; random rankings also use the seed
    struct study_walk walk;         // its path, and targets
    struct align_result gold;       // its files, SRC TGT GOLD, and gold_from; no files: no gold

    int sentences; // sentences measured
    int64_t rows;  // their predicted tokens
};

/* Sets the methods with these names, and the random one. Fails if a name is repeated. */
bool faithful_methods(struct faithful_study *study, const struct strings *names,
                      struct status *status);
const char *faithful_name(const struct faithful_method *method);

/* Like study_walk. Afterwards methods are sorted by comprehensiveness, best first. Call
 * faithful_free in either case. */
bool faithful_run(const struct study_context *context, struct faithful_study *study,
                  struct status *status);
void faithful_free(struct faithful_study *study);

/* For faithful.c (faithful_sentence.c) --------------------------------------------------------- */

static inline bool faithful_has_gold(const struct faithful_study *study)
{
    return study->gold.files.count > 0;
}
static inline struct prediction_question faithful_question(const struct faithful_study *study,
                                                           const struct faithful_method *method)
{
    return (struct prediction_question){.method = method->method, .options = study->options};
}
/* Writes the record: the number of predicted tokens; with gold, the number of target words; for
 * each predicted token, both measures of every method; with gold, each method's source word for
 * each target word. */
bool faithful_measure(const struct faithful_study *study, const struct walk_sentence *sentence,
                      struct record *out, struct status *status);

#endif
