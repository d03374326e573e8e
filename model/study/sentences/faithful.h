/* How faithful methods of attribution are to a model, over a file: what erasing the source tokens
 * that a method finds strongest, and keeping them alone, does to the probabilities of the predicted
 * tokens (model/attribution/faithfulness.h); beside gold alignments, how often a method's strongest
 * word is the one that a person has linked (alignment/align_files.h). A random ranking is what the
 * numbers are read against.
 *
 * Means are over the predicted tokens of all sentences, end-of-sentence included. Intervals and p
 * are of the paired bootstrap over sentences (model/score/significance.h).
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

/* Sums of a sentence, of which those of the two measures are in units of 1 / FAITHFUL_UNIT. */
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
    double score; // of AGREEMENT the alignment error rate; NaN without gold
    struct interval interval;
    double p; // against the best method of this measure; NaN: it is the best
};

struct faithful_method {
    bool random;        // ranks by random numbers
    enum method method; // unless it does
    struct faithful_score scores[FAITHFUL_MEASURES];
    int64_t *counts; // (sentences, FAITHFUL_COUNTS)
    size_t capacity;
};

struct faithful_study {
    struct faithful_method *methods; // (method_count); owned; the last one is random
    int method_count;
    struct attribution_options options;
    struct study_settings settings; // resamples and the seed, also that of random rankings
    struct study_walk walk;         // its path, and targets
    struct align_result gold;       // its files, SRC TGT GOLD, and gold_from; no files: no gold

    int sentences; // that were measured
    int64_t rows;  // their predicted tokens
};

/* Sets the methods with these names, and the random one. Fails where one is given twice. */
bool faithful_methods(struct faithful_study *study, const struct strings *names,
                      struct status *status);
const char *faithful_name(const struct faithful_method *method);

/* As study_walk. Methods are then in the order of their comprehensiveness, the best first.
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
/* Puts the record: how many tokens are predicted; with gold the target's words; of each predicted
 * token both measures of every method; with gold each method's source word of each target word. */
bool faithful_measure(const struct faithful_study *study, const struct walk_sentence *sentence,
                      struct record *out, struct status *status);

#endif
