#include "model/attribution/predictions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/attribution/prediction_work.h"
#include "model/text/quote.h"

const char *const attribution_baseline_names[] = {"zero", "unknown", "padding", NULL};
const char *const attribution_quadrature_names[] = {"adaptive", "gauss-legendre", NULL};
const struct attribution_options attribution_defaults = {.baseline = BASELINE_ZERO, .steps = 64};

/* Questions ------------------------------------------------------------------------------------ */

static prediction_function *const functions[METHOD_COUNT] = {
    [METHOD_ROLLOUT] = predict_joined,
    [METHOD_FLOW] = predict_joined,
    [METHOD_ALTI] = predict_joined,
    [METHOD_SALIENCY] = predict_saliency,
    [METHOD_GRADIENT_INPUT] = predict_gradient_input,
    [METHOD_INTEGRATED_GRADIENTS] = predict_integrated,
    [METHOD_GRADIENT_ATTENTION] = predict_gradient_attention,
    [METHOD_LRP] = predict_lrp,
    [METHOD_ERASURE] = predict_erasure,
};

bool method_predicts(enum method method)
{
    return functions[method] != NULL;
}

bool prediction_check(const struct prediction_question *question, const struct model *model,
                      struct status *status)
{
    const struct method_info *method = &method_table[question->method];
    if (!method_predicts(question->method))
        return status_fail(status, STATUS_INVALID,
                           "%s: a matrix of one layer (`:attn as %s`), not of predictions",
                           method->name, method->name);
    if (question->foils && !method->contrasts)
        return status_fail(
            status, STATUS_INVALID,
            "%s: expected a method that has a derivative, or erasure, for a contrast",
            method->name);
    return method_check(question->method, model_checkpoint(model)->config, MODULE_CROSS, status) &&
           (!method->derivative || gradient_check(model, status));
}

/* One sentence --------------------------------------------------------------------------------- */

static void measure_shares(struct predictions *out)
{
    const int columns = out->sources + out->targets;
    for (int i = 0; i < out->rows; i++) {
        double sizes[2] = {0, 0};
        for (int j = 0; j < columns; j++)
            sizes[j >= out->sources] +=
                fabs((double)out->values[(size_t)i * (size_t)columns + (size_t)j]);
        out->shares[i] = sizes[0] + sizes[1] > 0 ? sizes[0] / (sizes[0] + sizes[1]) : NAN;
    }
}

/* After the device's work is stopped, results are meaningless. */
static bool finish(const struct prediction_work *work, bool ok, struct status *status)
{
    const int columns = work->out->sources + work->out->targets;
    struct status stop;
    if (!watch_ask(work->watch, &stop)) {
        *status = stop;
        ok = false;
    }
    for (size_t i = 0; ok && i < (size_t)work->out->rows * (size_t)columns; i++)
        if (!isfinite(work->out->values[i]))
            ok = status_fail(status, STATUS_INVALID, "%s: values that are not finite",
                             method_table[work->question->method].name);
    if (ok)
        measure_shares(work->out);
    else
        predictions_free(work->out);
    return ok;
}

bool predictions_run(const struct prediction_question *question, const struct state *state,
                     const struct sentence *source, const int *target, int count,
                     const struct watch *watch, struct predictions *out, struct status *status)
{
    const struct config *config = model_checkpoint(state->model)->config;
    struct prediction_work work = {.question = question,
                                   .state = state,
                                   .source = source,
                                   .target = target,
                                   .count = count,
                                   .watch = watch,
                                   .first = config->start.count - 1,
                                   .tokens = {source->count, config->start.count - 1 + count},
                                   .out = out};
    const size_t columns = (size_t)work.tokens[STACK_ENCODER] + (size_t)work.tokens[STACK_DECODER];
    *out = (struct predictions){.rows = count,
                                .sources = work.tokens[STACK_ENCODER],
                                .targets = work.tokens[STACK_DECODER]};
    bool ok = prediction_check(question, state->model, status) &&
              (out->values = memory_new((size_t)count * columns, sizeof *out->values, status)) &&
              (out->shares = memory_new((size_t)count, sizeof *out->shares, status)) &&
              functions[question->method](&work, status);
    return finish(&work, ok, status);
}

void predictions_free(struct predictions *predictions)
{
    free(predictions->values);
    free(predictions->shares);
    free(predictions->totals);
    free(predictions->absorbed);
    *predictions = (struct predictions){.rows = 0};
}

double predictions_share(const struct predictions *predictions)
{
    double sum = 0;
    int count = 0;
    for (int i = 0; i < predictions->rows; i++)
        if (!isnan(predictions->shares[i])) {
            sum += predictions->shares[i];
            count++;
        }
    return count ? sum / count : NAN;
}

double predictions_error(const struct predictions *predictions)
{
    const int columns = predictions->sources + predictions->targets;
    double off = 0, size = 0;
    for (int i = 0; predictions->totals && i < predictions->rows; i++) {
        double sum = 0;
        for (int j = 0; j < columns; j++)
            sum += (double)predictions->values[(size_t)i * (size_t)columns + (size_t)j];
        off += fabs(sum - predictions->totals[i]);
        size += fabs(predictions->totals[i]);
    }
    return size > 0 ? off / size : NAN;
}

/* Contrasts ------------------------------------------------------------------------------------ */

static bool fill_foils(int id, int count, int **foils, struct status *status)
{
    *foils = memory_new((size_t)count, sizeof **foils, status);
    for (int t = 0; *foils && t < count; t++)
        (*foils)[t] = id;
    return *foils != NULL;
}

bool foils_of_text(const struct checkpoint *checkpoint, const char *text, int count, int **foils,
                   struct status *status)
{
    const int unknown = checkpoint->config->special[SPECIAL_UNK][SIDE_TARGET];
    const int piece = vocabulary_find(checkpoint->vocabulary[SIDE_TARGET], text);
    const int prefix = checkpoint->config->target_prefix.count;
    int *ids, given = given_encode(checkpoint, text, &ids, status), missing = 0;
    *foils = NULL;
    if (given < 0)
        return false;
    for (int t = 0; t + 1 < given; t++)
        missing += ids[t] == unknown;
    const bool one = given == prefix + 2; // before end-of-sentence
    const int id = one && !missing ? ids[prefix] : piece;
    if (given == count && !one && !missing) {
        *foils = ids;
        return true;
    }
    free(ids);
    if (id >= 0)
        return fill_foils(id, count, foils, status);
    if (missing)
        return status_fail(status, STATUS_INVALID,
                           "against: \"%s\" is not in the target vocabulary", QUOTED(text));
    return status_fail(status, STATUS_INVALID,
                       "against: \"%s\" is %d tokens, expected 1, or a translation of %d",
                       QUOTED(text), given - prefix - 1, count - prefix - 1);
}
