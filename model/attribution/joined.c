/* Attributes predictions by methods that join the layers up to the last one (mixing.h). */
#include <stdlib.h>

#include "model/attribution/attribute.h"
#include "model/attribution/prediction_work.h"

bool predict_joined(struct prediction_work *work, struct status *status)
{
    const struct config *config = model_checkpoint(work->state->model)->config;
    const enum method method = work->question->method;
    const int last = module_layers(config, MODULE_CROSS) - 1;
    const size_t columns =
        (size_t)work->tokens[STACK_ENCODER] + (size_t)work->tokens[STACK_DECODER];
    const size_t first = (size_t)work->first * columns;
    struct attribution_request request = {
        .method = method, .module = MODULE_CROSS, .first = last, .last = last};
    struct capture capture;
    if (!attribution_request(&request, config, status))
        return false;
    bool ok = force_run(work->state->model, work->source, work->target, work->count,
                        work->state->head_settings, &request.capture, &capture, status);
    attribution_free(&request);
    if (!ok)
        return false;
    const struct captured captured = {
        .config = config, .head_settings = work->state->head_settings, .capture = &capture};
    double *all = memory_new((size_t)work->tokens[STACK_DECODER] * columns, sizeof *all, status);
    ok = all && attribution_joint(&captured, method, last, work->watch, all, status);
    for (size_t i = 0; ok && i < (size_t)work->count * columns; i++)
        work->out->values[i] = (float)all[first + i];
    free(all);
    capture_free(&capture);
    return ok;
}
