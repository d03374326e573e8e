/* The tokens that each prediction rests on: for every predicted token of a translation, a value for
 * each token of the source and of the target so far (method.h has formulas and papers).
 *
 *     struct prediction_question question = {METHOD_SALIENCY, attribution_defaults, NULL};
 *     if (prediction_check(&question, model, status) &&
 *         predictions_run(&question, &state, &source, target, count, watch, &out, status)) …
 *     predictions_free(&out);
 *
 * Supports every method of method_table for which method_predicts is true. `foils` make predictions
 * contrastive: why this token rather than that one (Yin and Neubig 2022, "Interpreting language
 * models with contrastive explanations"). L is then log p(token) - log p(foil) instead of log
 * p(token), after the same prefix.
 *
 * Memory is that of one sentence. On the CPU the bits do not depend on what ran before, the number
 * of threads or the instruction set.
 */
#ifndef ATTNSCOPE_PREDICTIONS_H
#define ATTNSCOPE_PREDICTIONS_H

#include "base/watch.h"
#include "model/attribution/method.h"
#include "model/search/state.h"

/* The vector that replaces an erased embedding; its position stays. */
enum attribution_baseline { BASELINE_ZERO, BASELINE_UNKNOWN, BASELINE_PADDING };
extern const char *const attribution_baseline_names[]; // NULL-terminated

/* How integrated gradients sum along the path: at adaptive points, or at Gauss-Legendre points as
 * in captum. */
enum attribution_quadrature { QUADRATURE_ADAPTIVE, QUADRATURE_GAUSS_LEGENDRE };
extern const char *const attribution_quadrature_names[]; // NULL-terminated

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
    int rows;             // predicted tokens, including end-of-sentence
    int sources, targets; // tokens of the source; decoder inputs, start tokens first
    float *values;        // (rows, sources + targets); 0 after what the decoder has read
    /* (rows): absolute source values as a share of all absolute values; NaN: a row of zeros */
    double *shares;
    double *totals; // (rows): the theoretical sum of a row's values; NULL: the method defines none
    double *absorbed; // (rows), for LRP: the part of the logit that is in no value
};

/* True if the method applies to predictions, not only to layers of modules. */
bool method_predicts(enum method method);

/* Fails with one line if the method does not apply to predictions, needs derivatives of integer
 * products, or follows attention weights that the decoder does not have, or if a method without L
 * is asked for a contrast. */
bool prediction_check(const struct prediction_question *question, const struct model *model,
                      struct status *status);

/* One sentence and its target (ids with end-of-sentence, count >= 1). On failure nothing needs to
 * be freed. Fails with STATUS_CANCELLED if the watch stops it. */
bool predictions_run(const struct prediction_question *question, const struct state *state,
                     const struct sentence *source, const int *target, int count,
                     const struct watch *watch, struct predictions *out, struct status *status);
void predictions_free(struct predictions *predictions);

/* The mean share of the rows that have one; NaN: none. */
double predictions_share(const struct predictions *predictions);
/* Σ_rows |sum of the values - total| / Σ_rows |total|: how far the sums are from their totals; NaN
 * without totals. */
double predictions_error(const struct predictions *predictions);

/* Reads the foils of a target from a text: one token for all rows, by its text or its spelling in
 * the vocabulary; or a translation with the same number of tokens. *foils: (count); the caller
 * frees it. */
bool foils_of_text(const struct checkpoint *checkpoint, const char *text, int count, int **foils,
                   struct status *status);

#endif
