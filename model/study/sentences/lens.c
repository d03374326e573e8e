#include "model/study/sentences/lens.h"

#include <stdlib.h>

#include "model/net/first_layers.h"

bool lens_open(struct lens *lens, const struct state *state, enum stack stack,
               struct status *status)
{
    const struct config *config = model_checkpoint(state->model)->config;
    *lens = (struct lens){.stack = stack, .layers = config->stacks[stack].layers};
    lens->states = memory_new((size_t)lens->layers, sizeof *lens->states, status);
    if (!lens->states)
        return false;
    for (int i = 0; i < lens->layers; i++)
        lens->states[i] = *state;
    for (int i = 0; i + 1 < lens->layers; i++) {
        struct model *model = model_first_layers(state->model, stack, i + 1, status);
        if (!model) {
            lens->layers = i + 1; // whose models are there, but for the last
            lens_close(lens);
            return false;
        }
        lens->states[i].model = model;
    }
    return true;
}

void lens_close(struct lens *lens)
{
    for (int i = 0; lens->states && i + 1 < lens->layers; i++)
        model_close(lens->states[i].model);
    free(lens->states);
    *lens = (struct lens){0};
}

static int best_of(const float *logprobs, size_t size)
{
    size_t best = 0;
    for (size_t id = 1; id < size; id++)
        if (logprobs[id] > logprobs[best])
            best = id;
    return (int)best;
}

static bool predict(const struct state *state, const struct sentence *source, const int *target,
                    int count, struct lens_token *tokens, struct status *status)
{
    const struct checkpoint *checkpoint = model_checkpoint(state->model);
    const struct capture_request request = {.logprobs = true};
    size_t size = vocabulary_size(checkpoint->vocabulary[SIDE_TARGET]);
    struct capture capture;
    if (!force_run(state->model, source, target, count, state->head_settings, &request, &capture,
                   status))
        return false;
    for (int i = 0; i < count; i++) {
        const float *row =
            capture.logprobs + (size_t)(i + checkpoint->config->start.count - 1) * size;
        int best = best_of(row, size);
        tokens[i] = (struct lens_token){best, row[best], capture.token_logprobs[i]};
    }
    capture_free(&capture);
    return true;
}

bool lens_predict(const struct lens *lens, const struct sentence *source, const int *target,
                  int count, struct lens_token *tokens, struct status *status)
{
    bool ok = true;
    for (int i = 0; ok && i < lens->layers; i++)
        ok = predict(&lens->states[i], source, target, count, tokens + (size_t)i * (size_t)count,
                     status);
    return ok;
}

int lens_decided(const struct lens_token *tokens, int layers, int count, int token)
{
    int layer = layers;
    int last = tokens[(size_t)(layers - 1) * (size_t)count + (size_t)token].best;
    while (layer > 1 && tokens[(size_t)(layer - 2) * (size_t)count + (size_t)token].best == last)
        layer--;
    return layer;
}

bool lens_translate(const struct lens *lens, const struct sentence *source,
                    struct translation *translations, struct status *status)
{
    bool ok = true;
    for (int i = 0; i < lens->layers; i++)
        translations[i] = (struct translation){0};
    for (int i = 0; ok && i < lens->layers; i++) {
        const struct state *state = &lens->states[i];
        struct search_job job = {.source = source, .head_settings = state->head_settings};
        ok = search_run(state->model, &job, 1, &state->search, NULL, status);
        translations[i] = job.result;
    }
    for (int i = 0; !ok && i < lens->layers; i++)
        translation_free(&translations[i]);
    return ok;
}

bool lens_score(const struct lens *lens, const struct sentence *source, const int *target,
                int count, double *logprobs, struct status *status)
{
    const struct capture_request request = {0};
    for (int i = 0; i < lens->layers; i++) {
        const struct state *state = &lens->states[i];
        struct capture capture;
        if (!force_run(state->model, source, target, count, state->head_settings, &request,
                       &capture, status))
            return false;
        logprobs[i] = 0;
        for (int t = 0; t < count; t++)
            logprobs[i] += capture.token_logprobs[t];
        capture_free(&capture);
    }
    return true;
}
