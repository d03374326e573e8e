#include "model/attribution/patching.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"

static double sum_of(const struct capture *capture, int count)
{
    double sum = 0;
    for (int t = 0; t < count; t++)
        sum += capture->token_logprobs[t];
    return sum;
}

static bool score(const struct patching *patching, const struct sentence *source,
                  const struct capture_request *request, struct capture *capture, double *logprob,
                  struct status *status)
{
    if (!force_run(patching->state.model, source, patching->target, patching->count,
                   patching->state.head_settings, request, capture, status))
        return false;
    *logprob = sum_of(capture, patching->count);
    return true;
}

/* The outputs of all heads for the other sentence. */
static bool capture_from(struct patching *patching, const struct sentence *from,
                         struct status *status)
{
    const struct config *config = model_checkpoint(patching->state.model)->config;
    struct capture_request request = {.patch = NULL};
    bool *wanted[MODULE_COUNT] = {NULL}, ok = true;
    for (int m = 0; ok && m < MODULE_COUNT; m++) {
        int layers = module_layers(config, m);
        request.head_outputs[m] = wanted[m] = memory_new((size_t)layers, sizeof *wanted[m], status);
        ok = wanted[m] != NULL;
        for (int l = 0; ok && l < layers; l++)
            wanted[m][l] = true;
    }
    ok = ok && score(patching, from, &request, &patching->from, &patching->from_logprob, status);
    for (int m = 0; m < MODULE_COUNT; m++)
        free(wanted[m]);
    return ok;
}

static bool check_pairs(const struct patching *patching, const struct sentence *from,
                        struct status *status)
{
    for (int i = 0; i < patching->pair_count; i++) {
        const struct token_pair *pair = &patching->pairs[i];
        if (pair->from < 0 || pair->from >= from->count || pair->to < 0 ||
            pair->to >= patching->source->count)
            return status_fail(status, STATUS_INVALID,
                               "%d-%d: expected tokens 1 to %d of the other sentence and 1 to %d "
                               "of the current one",
                               pair->from + 1, pair->to + 1, from->count, patching->source->count);
        for (int k = 0; k < i; k++)
            if (patching->pairs[k].to == pair->to)
                return status_fail(status, STATUS_INVALID, "%d-%d: token %d is given twice",
                                   pair->from + 1, pair->to + 1, pair->to + 1);
    }
    return true;
}

bool patching_open(const struct state *state, const struct sentence *source,
                   const struct sentence *from, const int *target, int count,
                   const struct token_pair *pairs, int pair_count, struct patching *out,
                   struct status *status)
{
    const struct config *config = model_checkpoint(state->model)->config;
    const struct capture_request nothing = {.patch = NULL};
    struct capture own = {0};
    *out = (struct patching){.state = *state,
                             .source = source,
                             .target = target,
                             .count = count,
                             .pairs = pairs,
                             .pair_count = pair_count};
    bool ok = check_pairs(out, from, status) &&
              score(out, source, &nothing, &own, &out->logprob, status) &&
              capture_from(out, from, status);
    size_t rows = (size_t)int_max(pair_count, out->from.target_rows);
    size_t widest = (size_t)int_max(module_head_dim(config, MODULE_ENCODER),
                                    module_head_dim(config, MODULE_CROSS));
    if (ok) {
        out->rows = memory_new(rows, sizeof *out->rows, status);
        out->outputs = memory_new(rows * widest, sizeof *out->outputs, status);
        ok = out->rows && out->outputs;
    }
    capture_free(&own);
    if (!ok)
        patching_close(out);
    return ok;
}

void patching_close(struct patching *patching)
{
    capture_free(&patching->from);
    free(patching->rows);
    free(patching->outputs);
    patching->rows = NULL;
    patching->outputs = NULL;
}

/* The head's rows in the other run, and where each goes. Returns how many there are. */
static int gather_rows(struct patching *patching, enum module module, int layer, int head)
{
    const struct config *config = model_checkpoint(patching->state.model)->config;
    size_t head_dim = (size_t)module_head_dim(config, module),
           heads = (size_t)module_heads(config, module);
    const float *all = patching->from.head_outputs[module][layer];
    bool encoder = module == MODULE_ENCODER;
    int count = encoder ? patching->pair_count : patching->from.target_rows;
    for (int i = 0; i < count; i++) {
        int from = encoder ? patching->pairs[i].from : i;
        patching->rows[i] = encoder ? patching->pairs[i].to : i;
        memcpy(patching->outputs + (size_t)i * head_dim,
               all + ((size_t)from * heads + (size_t)head) * head_dim, head_dim * sizeof *all);
    }
    return count;
}

bool patching_effect(struct patching *patching, enum module module, int layer, int head,
                     double *effect, struct status *status)
{
    struct capture capture;
    double logprob;
    const struct head_patch patch = {.module = module,
                                     .layer = layer,
                                     .head = head,
                                     .outputs = patching->outputs,
                                     .rows = patching->rows,
                                     .count = gather_rows(patching, module, layer, head)};
    const struct capture_request request = {.patch = &patch};
    if (!score(patching, patching->source, &request, &capture, &logprob, status))
        return false;
    capture_free(&capture);
    *effect = logprob - patching->logprob;
    return true;
}
