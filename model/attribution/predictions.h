/* The tokens that each prediction rests on: for every predicted token of a translation a number for
 * each token of the source and of the target so far (method.h has formulas and papers).
 *
 *     struct prediction_question question = {METHOD_SALIENCY, attribution_defaults, NULL};
 *     if (prediction_check(&question, model, status) &&
 *         predictions_run(&question, &state, &source, target, count, watch, &out, status)) …
 *     predictions_free(&out);
 *
 * Every method of method_table with method_predicts can be asked so. With `foils` a prediction is a
 * contrast, why this token rather than that one (Yin and Neubig 2022, "Interpreting language models
 * with contrastive explanations"): L = log p(token) - log p(foil) in the place of log p(token),
 * behind the same prefix.
 *
 * Memory is that of one sentence. On the CPU the bits are the same whatever ran before, the number
 * of threads and the instruction set.
 */
#ifndef ATTNSCOPE_PREDICTIONS_H
#define ATTNSCOPE_PREDICTIONS_H

#include "base/watch.h"
#include "model/attribution/method.h"
#include "model/search/state.h"

/* The vector that replaces an embedding that is taken away; the position stays. */
enum attribution_baseline { BASELINE_ZERO, BASELINE_UNKNOWN, BASELINE_PADDING };
extern const char *const attribution_baseline_names[]; // NULL at the end

/* How integrated gradients sum along the path: at points that go where they are wanted, or at those
 * of Gauss and Legendre, as captum does. */
enum attribution_quadrature { QUADRATURE_ADAPTIVE, QUADRATURE_GAUSS_LEGENDRE };
extern const char *const attribution_quadrature_names[]; // NULL at the end

enum { ATTRIBUTION_STEPS_MOST = 1024 };

struct attribution_options {
    int baseline;   // enum attribution_baseline
    int steps;      // points of integrated gradients, 1 … ATTRIBUTION_STEPS_MOST
    int quadrature; // enum attribution_quadrature
};
extern const struct attribution_options attribution_defaults;

struct prediction_question {
    enum method method;
    struct attribution_options options;
    const int *foils; // (count) for each token of the target; NULL: no contrast
};

struct predictions {
    int rows;             // predicted tokens, end-of-sentence included
    int sources, targets; // tokens of the source; decoder inputs, start tokens first
    float *values;        // (rows, sources + targets); 0 behind what the decoder has read
    /* (rows): the sizes of the source's values as a share of the sizes of all; NaN: a row of zeros
     */
    double *shares;
    double *totals; // (rows): what a row's values sum to by the method's theory; NULL: no such sum
    double *absorbed; // (rows), of LRP: what of the logit is in no value
};

/* True if the method gives something for predictions, and not for modules' layers alone. */
bool method_predicts(enum method method);

/* Fails with one line where the method gives nothing for predictions, its derivatives are wanted
 * of products of integers, the decoder has no attention weights to follow, or a method without L is
 * to contrast. */
bool prediction_check(const struct prediction_question *question, const struct model *model,
                      struct status *status);

/* One sentence and its target (ids with end-of-sentence, count >= 1). On failure there is nothing
 * to free; a stop of the watch is STATUS_CANCELLED. */
bool predictions_run(const struct prediction_question *question, const struct state *state,
                     const struct sentence *source, const int *target, int count,
                     const struct watch *watch, struct predictions *out, struct status *status);
void predictions_free(struct predictions *predictions);

/* The mean share of the rows that have one; NaN: none has. */
double predictions_share(const struct predictions *predictions);
/* Σ_rows |sum of the values - total| / Σ_rows |total|: how far the sums are from what they should
 * be; NaN without totals. */
double predictions_error(const struct predictions *predictions);

/* Foils of a target from a text: one token, by its text or as the vocabulary spells it, for all
 * rows; or a translation of as many tokens. *foils: (count), freed by the caller. */
bool foils_of_text(const struct checkpoint *checkpoint, const char *text, int count, int **foils,
                   struct status *status);

#endif
