#include "model/study/sentences/lens.h"

#include <stdlib.h>
#include <string.h>

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
            lens->layers = i + 1; // all but the last have a model
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

/* A record has the tokens of the target, then fields with one number per layer, in this order. */
enum { TOKENS, LOGPROBS, FIRST_COUNTS };
enum { DECIDED = FIRST_COUNTS, AGREED, DECODER_FIELDS };
enum { SAME = FIRST_COUNTS, BLEU, ENCODER_FIELDS };

static bool of_encoder(const struct lens_study *study)
{
    return study->lens->stack == STACK_ENCODER;
}

static void identify(const void *of, struct identity *identity)
{
    const struct lens_study *study = of;
    identity_number(identity, study->lens->stack);
    if (!of_encoder(study))
        return;
    identity_number(identity, study->bleu.tokenizer);
    identity_number(identity, study->bleu.lowercase);
}

static bool declare(const void *of, const struct walk_sentence *sentence,
                    struct record_shape *shape, struct status *status)
{
    const struct lens_study *study = of;
    const int layers = study->lens->layers;
    const double most = RECORD_ROWS_MOST;
    const struct record_field
        tokens = {.rows = RECORD_ONE, .width = 1, .least = 1, .most = most, .whole = true},
        logprobs = {.rows = RECORD_ONE,
                    .width = layers,
                    .least = -1e9,
                    .most = 1}, // allows for rounding
        counts = {.rows = RECORD_ONE, .width = layers, .most = most, .whole = true},
        flags = {.rows = RECORD_ONE, .width = layers, .most = 1, .whole = true},
        bleu = {.rows = RECORD_ONE, .width = layers * BLEU_COUNTS, .most = most, .whole = true};
    (void)sentence;
    return record_shape_add(shape, tokens, status) && record_shape_add(shape, logprobs, status) &&
           (of_encoder(study)
                ? record_shape_add(shape, flags, status) && record_shape_add(shape, bleu, status)
                : record_shape_add(shape, counts, status) &&
                      record_shape_add(shape, counts, status));
}

/* Measuring ------------------------------------------------------------------------------------ */

static bool put_logprobs(const struct lens_token *tokens, int layers, int count, struct record *out,
                         struct status *status)
{
    bool ok = true;
    for (int k = 0; ok && k < layers; k++) {
        double sum = 0;
        for (int t = 0; t < count; t++)
            sum += tokens[k * count + t].logprob;
        ok = record_put(out, sum, status);
    }
    return ok;
}

static bool put_predictions(const struct lens_token *tokens, int layers, int count,
                            struct record *out, struct status *status)
{
    bool ok = put_logprobs(tokens, layers, count, out, status);
    for (int k = 0; ok && k < layers; k++) {
        int decided = 0;
        for (int t = 0; t < count; t++)
            decided += lens_decided(tokens, layers, count, t) == k + 1;
        ok = record_put(out, decided, status);
    }
    for (int k = 0; ok && k < layers; k++) {
        int agreed = 0;
        for (int t = 0; t < count; t++)
            agreed += tokens[k * count + t].best == tokens[(layers - 1) * count + t].best;
        ok = record_put(out, agreed, status);
    }
    return ok;
}

static bool measure_decoder(const struct lens_study *study, const struct walk_sentence *sentence,
                            struct record *out, struct status *status)
{
    const int layers = study->lens->layers;
    struct lens_token *tokens =
        memory_new((size_t)layers * (size_t)sentence->count, sizeof *tokens, status);
    bool ok = tokens &&
              lens_predict(study->lens, &sentence->source, sentence->ids, sentence->count, tokens,
                           status) &&
              put_predictions(tokens, layers, sentence->count, out, status);
    free(tokens);
    return ok;
}

static bool put_scores(const struct lens_study *study, const struct walk_sentence *sentence,
                       struct record *out, struct status *status)
{
    const int layers = study->lens->layers;
    double *logprobs = memory_new((size_t)layers, sizeof *logprobs, status);
    bool ok = logprobs && lens_score(study->lens, &sentence->source, sentence->ids, sentence->count,
                                     logprobs, status);
    for (int k = 0; ok && k < layers; k++)
        ok = record_put(out, logprobs[k], status);
    free(logprobs);
    return ok;
}

static bool put_bleu(const struct lens_study *study, const char *text, const char *target,
                     struct record *out, struct status *status)
{
    int64_t counts[BLEU_COUNTS];
    bool ok = bleu_count(&study->bleu, text, &target, 1, counts, NULL, status);
    for (int i = 0; ok && i < BLEU_COUNTS; i++)
        ok = record_put(out, (double)counts[i], status);
    return ok;
}

static bool put_texts(const struct lens_study *study, const struct walk_sentence *sentence,
                      char *const *texts, struct record *out, struct status *status)
{
    const int layers = study->lens->layers;
    bool ok = true;
    for (int k = 0; ok && k < layers; k++)
        ok = record_put(out, strcmp(texts[k], texts[layers - 1]) == 0, status);
    for (int k = 0; ok && k < layers; k++)
        ok = put_bleu(study, texts[k], sentence->target, out, status);
    return ok;
}

/* texts: (layers); the caller frees each, also on failure. */
static bool translate(const struct lens_study *study, const struct walk_sentence *sentence,
                      struct translation *translations, char **texts, struct status *status)
{
    const struct checkpoint *checkpoint = model_checkpoint(sentence->state->model);
    if (!lens_translate(study->lens, &sentence->source, translations, status))
        return false;
    bool ok = true;
    for (int k = 0; k < study->lens->layers; k++) {
        const struct hypothesis *best = &translations[k].hypotheses[0];
        texts[k] = ok ? target_text(checkpoint, best->ids, best->count, status) : NULL;
        ok = texts[k] != NULL;
        translation_free(&translations[k]);
    }
    return ok;
}

static bool measure_encoder(const struct lens_study *study, const struct walk_sentence *sentence,
                            struct record *out, struct status *status)
{
    const size_t layers = (size_t)study->lens->layers;
    struct translation *translations = memory_new(layers, sizeof *translations, status);
    char **texts = memory_new(layers, sizeof *texts, status);
    bool ok = translations && texts && put_scores(study, sentence, out, status) &&
              translate(study, sentence, translations, texts, status) &&
              put_texts(study, sentence, texts, out, status);
    for (size_t k = 0; texts && k < layers; k++)
        free(texts[k]);
    free(texts);
    free(translations);
    return ok;
}

static bool measure(void *of, const struct walk_sentence *sentence, struct record *out,
                    struct status *status)
{
    const struct lens_study *study = of;
    const bool ok =
        record_put(out, sentence->count, status) &&
        (of_encoder(study) ? measure_encoder : measure_decoder)(study, sentence, out, status);
    return watch_ask(sentence->watch, status) && ok;
}

/* Adding --------------------------------------------------------------------------------------- */

static bool add(void *of, const struct walk_sentence *sentence, const struct record_shape *shape,
                const struct record *record, struct status *status)
{
    struct lens_study *study = of;
    int rows;
    (void)sentence;
    (void)status;
    study->tokens += (int64_t)record_numbers(shape, record, TOKENS, &rows)[0];
    for (int k = 0; k < study->lens->layers; k++) {
        struct lens_layer *layer = &study->layers[k];
        layer->logprob += record_numbers(shape, record, LOGPROBS, &rows)[k];
        if (!of_encoder(study)) {
            layer->decided += (int64_t)record_numbers(shape, record, DECIDED, &rows)[k];
            layer->agreed += (int64_t)record_numbers(shape, record, AGREED, &rows)[k];
            continue;
        }
        layer->same += (int64_t)record_numbers(shape, record, SAME, &rows)[k];
        for (int i = 0; i < BLEU_COUNTS; i++)
            layer->bleu[i] +=
                (int64_t)record_numbers(shape, record, BLEU, &rows)[k * BLEU_COUNTS + i];
    }
    return true;
}

bool lens_study_run(const struct study_context *context, struct lens_study *study,
                    struct status *status)
{
    static const struct study functions = {identify, declare, measure, add};
    study->walk.kind = "measuring layers";
    study->walk.done = "measured";
    study->walk.study = &functions;
    study->walk.of = study;
    study->layers = memory_new((size_t)study->lens->layers, sizeof *study->layers, status);
    return study->layers && study_walk(context, &study->walk, status);
}

void lens_study_free(struct lens_study *study)
{
    free(study->layers);
    study->layers = NULL;
}
