/* Shared by the methods for predictions. Internal to model/attribution. */
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
    int tokens[STACK_COUNT]; // of the source; decoder inputs
    struct predictions *out; // filled in except `values`, which are 0, and shares
};

/* The number of tokens of a side that the prediction of a row has read. */
static inline int prediction_read(const struct prediction_work *work, int row, int stack)
{
    return stack == STACK_ENCODER ? work->tokens[stack] : work->first + row + 1;
}
/* The values of a row for one side's tokens. */
static inline float *prediction_values(const struct prediction_work *work, int row, int stack)
{
    const size_t columns =
        (size_t)work->tokens[STACK_ENCODER] + (size_t)work->tokens[STACK_DECODER];
    return work->out->values + (size_t)row * columns +
           (stack == STACK_ENCODER ? 0 : work->tokens[STACK_ENCODER]);
}

/* Writes L of a row as terms. Returns their number: 0 if the foil is the token itself. */
int prediction_terms(const struct prediction_work *work, int row, struct gradient_term terms[2]);

/* Computes L of every row (count), with these inputs (force.h) or the sentence's own (NULL). */
bool prediction_objectives(const struct prediction_work *work,
                           const float *const inputs[STACK_COUNT], double *objectives,
                           struct status *status);

/* The embeddings of both sides, and their baselines. */
struct prediction_inputs {
    struct capture capture;       // its embeddings and inputs
    float *baseline[STACK_COUNT]; // (d) replaces an embedding
    size_t d;
};
/* On failure nothing needs to be closed. */
bool prediction_inputs_open(const struct prediction_work *work, struct prediction_inputs *inputs,
                            struct status *status);
void prediction_inputs_close(struct prediction_inputs *inputs); // leaves it empty

/* Reports progress in rows or steps, and asks whether to continue. */
bool prediction_proceed(const struct prediction_work *work, int done, int total,
                        struct status *status);

/* Derivatives of L, row by row, in one forced pass with these inputs (NULL: the sentence's own).
 * request: everything requested except the terms; wanted: (count) rows to compute, NULL: all; done,
 * total: rows done before, and in total. */
typedef void slopes_taker(void *context, int row, const struct gradients *slopes);
bool prediction_slopes(const struct prediction_work *work, const float *const inputs[STACK_COUNT],
                       struct gradient_request request, const bool *wanted, int done, int total,
                       slopes_taker *take, void *context, struct status *status);

/* The methods, each in its own file. They fill in `values`, and `totals` if the method has them. */
typedef bool prediction_function(struct prediction_work *work, struct status *status);
prediction_function predict_joined, predict_saliency, predict_gradient_input, predict_integrated,
    predict_gradient_attention, predict_lrp, predict_erasure;

#endif
