#include "model/attribution/prediction_work.h"

#include <stdlib.h>
#include <string.h>

/* Rows ----------------------------------------------------------------------------------------- */

int prediction_terms(const struct prediction_work *work, int row, struct gradient_term terms[2])
{
    const int *foils = work->question->foils;
    if (foils && foils[row] == work->target[row])
        return 0;
    terms[0] = (struct gradient_term){row, work->target[row], 1};
    if (!foils)
        return 1;
    terms[1] = (struct gradient_term){row, foils[row], -1};
    return 2;
}

bool prediction_objectives(const struct prediction_work *work,
                           const float *const inputs[STACK_COUNT], double *objectives,
                           struct status *status)
{
    const int *foils = work->question->foils;
    struct capture_request request = {.logprobs = foils != NULL};
    struct capture capture;
    for (int stack = 0; inputs && stack < STACK_COUNT; stack++)
        request.inputs[stack] = inputs[stack];
    if (!force_run(work->state->model, work->source, work->target, work->count,
                   work->state->head_settings, &request, &capture, status))
        return false;
    const struct checkpoint *checkpoint = model_checkpoint(work->state->model);
    const size_t vocabulary = (size_t)vocabulary_size(checkpoint->vocabulary[SIDE_TARGET]);
    for (int t = 0; t < work->count; t++) {
        objectives[t] = (double)capture.token_logprobs[t];
        if (foils)
            objectives[t] -=
                (double)capture.logprobs[(size_t)(work->first + t) * vocabulary + (size_t)foils[t]];
    }
    capture_free(&capture);
    return true;
}

bool prediction_proceed(const struct prediction_work *work, int done, int total,
                        struct status *status)
{
    return watch_proceed(work->watch, "attributing", done, total, status);
}

bool prediction_slopes(const struct prediction_work *work, const float *const inputs[STACK_COUNT],
                       struct gradient_request request, const bool *wanted, int done, int total,
                       slopes_taker *take, void *context, struct status *status)
{
    struct gradient_pass *pass =
        gradient_open(work->state->model, work->source, work->target, work->count,
                      work->state->head_settings, inputs, status);
    bool ok = pass != NULL;
    for (int row = 0; ok && row < work->count; row++) {
        struct gradient_term terms[2];
        struct gradients slopes;
        if (wanted && !wanted[row])
            continue;
        request.terms = terms;
        request.count = prediction_terms(work, row, terms);
        ok = gradient_back(pass, &request, &slopes, status);
        if (!ok)
            break;
        take(context, row, &slopes);
        gradients_free(&slopes);
        ok = prediction_proceed(work, ++done, total, status);
    }
    gradient_close(pass);
    return ok;
}

/* Baselines ------------------------------------------------------------------------------------ */

/* Takes the embeddings of a special token on both sides from a pass over only that token. */
static bool embed_special(const struct prediction_work *work, int special,
                          struct prediction_inputs *inputs, struct status *status)
{
    const struct config *config = model_checkpoint(work->state->model)->config;
    int source_id = config->special[special][SIDE_SOURCE], word = 0;
    const int target_id = config->special[special][SIDE_TARGET];
    const int target[] = {target_id, target_id};
    const struct sentence source = {
        .ids = &source_id, .words = &word, .count = 1, .languages = work->source->languages};
    const struct capture_request request = {.embeddings = true};
    const size_t row = (size_t)config->start.count * inputs->d;
    struct capture capture;
    if (!force_run(work->state->model, &source, target, 2, work->state->head_settings, &request,
                   &capture, status))
        return false;
    memcpy(inputs->baseline[STACK_ENCODER], capture.embeddings[STACK_ENCODER],
           inputs->d * sizeof(float));
    memcpy(inputs->baseline[STACK_DECODER], capture.embeddings[STACK_DECODER] + row,
           inputs->d * sizeof(float));
    capture_free(&capture);
    return true;
}

bool prediction_inputs_open(const struct prediction_work *work, struct prediction_inputs *inputs,
                            struct status *status)
{
    const struct capture_request request = {.embeddings = true};
    const int baseline = work->question->options.baseline;
    *inputs = (struct prediction_inputs){
        .d = (size_t)model_checkpoint(work->state->model)->config->d_model};
    bool ok = true;
    for (int stack = 0; ok && stack < STACK_COUNT; stack++)
        ok = (inputs->baseline[stack] = memory_new(inputs->d, sizeof(float), status)) != NULL;
    if (ok && baseline != BASELINE_ZERO)
        ok = embed_special(work, baseline == BASELINE_UNKNOWN ? SPECIAL_UNK : SPECIAL_PAD, inputs,
                           status);
    ok = ok && force_run(work->state->model, work->source, work->target, work->count,
                         work->state->head_settings, &request, &inputs->capture, status);
    if (!ok)
        prediction_inputs_close(inputs);
    return ok;
}

void prediction_inputs_close(struct prediction_inputs *inputs)
{
    capture_free(&inputs->capture);
    free(inputs->baseline[STACK_ENCODER]);
    free(inputs->baseline[STACK_DECODER]);
    *inputs = (struct prediction_inputs){.d = 0};
}
