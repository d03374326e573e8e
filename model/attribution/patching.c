#include "model/attribution/patching.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "model/net/backward/gradient.h"

/* Scores --------------------------------------------------------------------------------------- */

/* Returns the log-probability of the target, minus that of the foils if there are any. */
static double sum_of(const struct patching *patching, const struct capture *capture)
{
    const struct checkpoint *checkpoint = model_checkpoint(patching->state.model);
    const size_t vocabulary = (size_t)vocabulary_size(checkpoint->vocabulary[SIDE_TARGET]);
    const size_t first = (size_t)checkpoint->config->start.count - 1;
    double sum = 0;
    for (int t = 0; t < patching->count; t++) {
        sum += (double)capture->token_logprobs[t];
        if (patching->foils)
            sum -= (double)capture
                       ->logprobs[(first + (size_t)t) * vocabulary + (size_t)patching->foils[t]];
    }
    return sum;
}

static bool score(const struct patching *patching, const struct sentence *source,
                  struct capture_request request, struct capture *capture, double *logprob,
                  struct status *status)
{
    request.logprobs = patching->foils != NULL;
    if (!force_run(patching->state.model, source, patching->target, patching->count,
                   patching->state.head_settings, &request, capture, status))
        return false;
    *logprob = sum_of(patching, capture);
    return true;
}

/* Allocates requests for every layer of every module. */
static bool want_layers(const struct config *config, bool *wanted[MODULE_COUNT],
                        struct status *status)
{
    bool ok = true;
    for (int m = 0; ok && m < MODULE_COUNT; m++) {
        const size_t layers = (size_t)module_layers(config, m);
        wanted[m] = memory_new(layers, sizeof *wanted[m], status);
        ok = wanted[m] != NULL;
        if (ok)
            memset(wanted[m], true, layers);
    }
    return ok;
}

static void free_layers(bool *wanted[MODULE_COUNT])
{
    for (int m = 0; m < MODULE_COUNT; m++)
        free(wanted[m]);
}

/* Captures the outputs of all heads for a sentence. */
static bool capture_outputs(const struct patching *patching, const struct sentence *source,
                            struct capture *capture, double *logprob, struct status *status)
{
    struct capture_request request = {.patch = NULL};
    bool *wanted[MODULE_COUNT] = {NULL};
    bool ok = want_layers(model_checkpoint(patching->state.model)->config, wanted, status);
    for (int m = 0; m < MODULE_COUNT; m++)
        request.head_outputs[m] = wanted[m];
    ok = ok && score(patching, source, request, capture, logprob, status);
    free_layers(wanted);
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
                   const struct sentence *from, const int *target, const int *foils, int count,
                   const struct token_pair *pairs, int pair_count, struct patching *out,
                   struct status *status)
{
    const struct config *config = model_checkpoint(state->model)->config;
    const struct capture_request nothing = {.patch = NULL};
    struct capture own = {0};
    *out = (struct patching){.state = *state,
                             .source = source,
                             .target = target,
                             .foils = foils,
                             .count = count,
                             .pairs = pairs,
                             .pair_count = pair_count};
    bool ok = check_pairs(out, from, status) &&
              score(out, source, nothing, &own, &out->logprob, status) &&
              capture_outputs(out, from, &out->from, &out->from_logprob, status);
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

/* Effects -------------------------------------------------------------------------------------- */

int patching_positions(const struct patching *patching, enum module module)
{
    return module == MODULE_ENCODER ? patching->pair_count : patching->from.target_rows;
}

/* Returns a position's row in the other run and in this one. */
static struct token_pair rows_of(const struct patching *patching, enum module module, int position)
{
    return module == MODULE_ENCODER ? patching->pairs[position]
                                    : (struct token_pair){position, position};
}

/* Returns the outputs of a head in one row. */
static const float *head_row(const struct capture *capture, const struct config *config,
                             enum module module, int layer, int head, int row)
{
    const size_t head_dim = (size_t)module_head_dim(config, module),
                 heads = (size_t)module_heads(config, module);
    return capture->head_outputs[module][layer] + ((size_t)row * heads + (size_t)head) * head_dim;
}

/* Collects the head's rows from the other run, from position `first` on, and where each goes. */
static void gather_rows(struct patching *patching, enum module module, int layer, int head,
                        int first, int count)
{
    const struct config *config = model_checkpoint(patching->state.model)->config;
    const size_t head_dim = (size_t)module_head_dim(config, module);
    for (int i = 0; i < count; i++) {
        const struct token_pair rows = rows_of(patching, module, first + i);
        patching->rows[i] = rows.to;
        memcpy(patching->outputs + (size_t)i * head_dim,
               head_row(&patching->from, config, module, layer, head, rows.from),
               head_dim * sizeof *patching->outputs);
    }
}

bool patching_effect(struct patching *patching, enum module module, int layer, int head,
                     int position, double *effect, struct status *status)
{
    const bool all = position == PATCH_ALL;
    struct capture capture;
    double logprob;
    const struct head_patch patch = {.module = module,
                                     .layer = layer,
                                     .head = head,
                                     .outputs = patching->outputs,
                                     .rows = patching->rows,
                                     .count = all ? patching_positions(patching, module) : 1};
    const struct capture_request request = {.patch = &patch};
    gather_rows(patching, module, layer, head, all ? 0 : position, patch.count);
    if (!score(patching, patching->source, request, &capture, &logprob, status))
        return false;
    capture_free(&capture);
    *effect = logprob - patching->logprob;
    return true;
}

/* Estimates ------------------------------------------------------------------------------------ */

/* Writes L as terms: with foils, two for each token, but none if the foil equals the token. */
static int fill_terms(const struct patching *patching, struct gradient_term *terms)
{
    int count = 0;
    for (int t = 0; t < patching->count; t++) {
        if (patching->foils && patching->foils[t] == patching->target[t])
            continue;
        terms[count++] = (struct gradient_term){t, patching->target[t], 1};
        if (patching->foils)
            terms[count++] = (struct gradient_term){t, patching->foils[t], -1};
    }
    return count;
}

static bool find_slopes(const struct patching *patching, struct gradients *slopes,
                        struct status *status)
{
    const struct state *state = &patching->state;
    struct gradient_term *terms = memory_new(2 * (size_t)patching->count, sizeof *terms, status);
    struct gradient_request request = {.terms = terms};
    bool *wanted[MODULE_COUNT] = {NULL};
    bool ok = terms && want_layers(model_checkpoint(state->model)->config, wanted, status);
    for (int m = 0; m < MODULE_COUNT; m++)
        request.head_outputs[m] = wanted[m];
    if (ok) {
        request.count = fill_terms(patching, terms);
        ok = gradient_run(state->model, patching->source, patching->target, patching->count,
                          state->head_settings, &request, slopes, status);
    }
    free_layers(wanted);
    free(terms);
    return ok;
}

static float estimate(const struct patching *patching, const struct capture *own,
                      const struct gradients *slopes, enum module module, int layer, int head,
                      int position)
{
    const struct config *config = model_checkpoint(patching->state.model)->config;
    const size_t head_dim = (size_t)module_head_dim(config, module),
                 heads = (size_t)module_heads(config, module);
    const struct token_pair rows = rows_of(patching, module, position);
    const float *to = head_row(own, config, module, layer, head, rows.to);
    const float *from = head_row(&patching->from, config, module, layer, head, rows.from);
    const float *slope =
        slopes->head_outputs[module][layer] + ((size_t)rows.to * heads + (size_t)head) * head_dim;
    double sum = 0;
    for (size_t k = 0; k < head_dim; k++)
        sum += ((double)from[k] - (double)to[k]) * (double)slope[k];
    return (float)sum;
}

static bool estimate_module(const struct patching *patching, const struct capture *own,
                            const struct gradients *slopes, enum module module, float **out,
                            struct status *status)
{
    const struct config *config = model_checkpoint(patching->state.model)->config;
    const int layers = module_layers(config, module), heads = module_heads(config, module);
    const int positions = patching_positions(patching, module);
    float *at = *out =
        memory_new((size_t)layers * (size_t)heads * (size_t)positions, sizeof **out, status);
    for (int l = 0; at && l < layers; l++)
        for (int h = 0; h < heads; h++)
            for (int i = 0; i < positions; i++)
                *at++ = estimate(patching, own, slopes, module, l, h, i);
    return *out != NULL;
}

bool patching_estimate(struct patching *patching, float *estimates[MODULE_COUNT],
                       struct status *status)
{
    struct capture own = {0};
    struct gradients slopes = {0};
    double logprob;
    for (int m = 0; m < MODULE_COUNT; m++)
        estimates[m] = NULL;
    bool ok = capture_outputs(patching, patching->source, &own, &logprob, status) &&
              find_slopes(patching, &slopes, status);
    for (int m = 0; ok && m < MODULE_COUNT; m++)
        ok = estimate_module(patching, &own, &slopes, m, &estimates[m], status);
    capture_free(&own);
    gradients_free(&slopes);
    for (int m = 0; !ok && m < MODULE_COUNT; m++) {
        free(estimates[m]);
        estimates[m] = NULL;
    }
    return ok;
}

double patching_head_estimate(const struct patching *patching, float *const *estimates,
                              enum module module, int layer, int head)
{
    const struct config *config = model_checkpoint(patching->state.model)->config;
    const size_t positions = (size_t)patching_positions(patching, module);
    const size_t row = (size_t)layer * (size_t)module_heads(config, module) + (size_t)head;
    double sum = 0;
    for (size_t i = 0; i < positions; i++)
        sum += (double)estimates[module][row * positions + i];
    return sum;
}

/* Fills in the position with the greatest estimate. */
static void find_position(const struct patching *patching, const float *positions,
                          struct patch_estimate *out)
{
    for (int i = 0; i < patching_positions(patching, out->module); i++)
        if (i == 0 || fabs((double)positions[i]) > fabs(out->position_estimate)) {
            out->position = i;
            out->position_estimate = (double)positions[i];
        }
}

/* Inserts a head in order of size. If there are `most` already, the last one drops out. */
static int insert(struct patch_estimate *all, int count, int most, struct patch_estimate one)
{
    int at = count;
    while (at > 0 && fabs(all[at - 1].estimate) < fabs(one.estimate))
        at--;
    if (at == most)
        return count;
    count = int_min(count + 1, most);
    memmove(all + at + 1, all + at, (size_t)(count - at - 1) * sizeof *all);
    all[at] = one;
    return count;
}

static bool find_effects(struct patching *patching, struct patch_estimate *one,
                         struct status *status)
{
    return patching_effect(patching, one->module, one->layer, one->head, PATCH_ALL, &one->effect,
                           status) &&
           patching_effect(patching, one->module, one->layer, one->head, one->position,
                           &one->position_effect, status);
}

int patching_strongest(struct patching *patching, float *const *estimates,
                       const bool *const wanted[MODULE_COUNT], int most, const struct watch *watch,
                       struct patch_estimate *out, struct status *status)
{
    const struct config *config = model_checkpoint(patching->state.model)->config;
    int count = 0;
    for (enum module m = 0; m < MODULE_COUNT; m++) {
        const int heads = module_heads(config, m), positions = patching_positions(patching, m);
        for (int i = 0; positions && i < module_layers(config, m) * heads; i++) {
            struct patch_estimate one = {.module = m, .layer = i / heads, .head = i % heads};
            one.estimate = patching_head_estimate(patching, estimates, m, one.layer, one.head);
            find_position(patching, estimates[m] + (size_t)i * (size_t)positions, &one);
            if (wanted[m][i])
                count = insert(out, count, most, one);
        }
    }
    for (int i = 0; i < count; i++)
        if (!find_effects(patching, &out[i], status) ||
            !watch_proceed(watch, "patching", i + 1, count, status))
            return -1;
    return count;
}
