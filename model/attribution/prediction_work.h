/* What the methods of predictions share. Inside model/attribution alone. */
#ifndef ATTNSCOPE_PREDICTION_WORK_H
#define ATTNSCOPE_PREDICTION_WORK_H

#include "model/attribution/predictions.h"
#include "model/net/backward/gradient.h"
#include "model/net/force.h"

/* A question about one sentence. */
struct prediction_work {
    const struct prediction_question *question;
    const struct state *state;
    const struct sentence *source;
    const int *target; // (count)
    int count;
    const struct watch *watch;
    int first;               // the decoder's row of the first prediction
    int tokens[STACK_COUNT]; // of the source, of the decoder's inputs
    struct predictions *out; // all but `values` and shares are filled in; values are 0
};

/* The tokens of a side that the prediction of a row has read. */
static inline int prediction_read(const struct prediction_work *work, int row, int stack)
{
    return stack == STACK_ENCODER ? work->tokens[stack] : work->first + row + 1;
}
/* The values of a row, of one side's tokens. */
static inline float *prediction_values(const struct prediction_work *work, int row, int stack)
{
    const size_t columns =
        (size_t)work->tokens[STACK_ENCODER] + (size_t)work->tokens[STACK_DECODER];
    return work->out->values + (size_t)row * columns +
           (stack == STACK_ENCODER ? 0 : work->tokens[STACK_ENCODER]);
}

/* L of a row as terms. Returns how many there are: none where the foil is the token. */
int prediction_terms(const struct prediction_work *work, int row, struct gradient_term terms[2]);

/* L of every row (count), with these inputs (force.h) or the sentence's own (NULL). */
bool prediction_objectives(const struct prediction_work *work,
                           const float *const inputs[STACK_COUNT], double *objectives,
                           struct status *status);

/* The embeddings of both sides, and where they are taken away. */
struct prediction_inputs {
    struct capture capture;       // its embeddings and inputs
    float *baseline[STACK_COUNT]; // (d) in the place of an embedding
    size_t d;
};
/* On failure nothing needs to be closed. */
bool prediction_inputs_open(const struct prediction_work *work, struct prediction_inputs *inputs,
                            struct status *status);
void prediction_inputs_close(struct prediction_inputs *inputs); // leaves it empty

/* Says how far it is, of rows or steps, and asks whether to go on. */
bool prediction_proceed(const struct prediction_work *work, int done, int total,
                        struct status *status);

/* Derivatives of L, row after row, in one forced pass with these inputs (NULL: the sentence's own).
 * request: what else than terms is asked; wanted: (count) of which rows, NULL: of all; done, total:
 * rows before, and in all. */
typedef void slopes_taker(void *context, int row, const struct gradients *slopes);
bool prediction_slopes(const struct prediction_work *work, const float *const inputs[STACK_COUNT],
                       struct gradient_request request, const bool *wanted, int done, int total,
                       slopes_taker *take, void *context, struct status *status);

/* The methods, each in a file of its own. They fill in `values`, and `totals` of those that have
 * them. */
typedef bool prediction_function(struct prediction_work *work, struct status *status);
prediction_function predict_joined, predict_saliency, predict_gradient_input, predict_integrated,
    predict_gradient_attention, predict_lrp, predict_erasure;

#endif
