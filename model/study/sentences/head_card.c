#include "model/study/sentences/head_card.h"

#include <stdlib.h>
#include <string.h>

#include "model/study/heads/attended_sentence.h"
#include "model/study/sentence_stream.h"

bool head_examples_read(const char *source, const char *target, const struct watch *watch,
                        const struct head_example *examples, int count, char *(*texts)[2],
                        struct status *status)
{
    struct sentence_stream stream;
    bool end = false;
    bool ok = sentence_stream_open(&stream, source, target, watch, status);
    while (ok && !end && stream.sentences > 0) {
        ok = sentence_stream_next(&stream, &end, status);
        for (int i = 0; ok && !end && i < count; i++)
            for (int side = 0; examples[i].sentence == stream.number && side < stream.count; side++)
                if (!texts[i][side]) {
                    texts[i][side] = strdup(stream.texts[side]);
                    ok = texts[i][side] || status_no_memory(status);
                }
    }
    sentence_stream_close(&stream);
    return ok;
}

/* Wants every head of the module, to find those that are near. */
static bool *want_module(const struct config *config, enum module module, struct status *status)
{
    const size_t all = (size_t)module_layers(config, module) * (size_t)module_heads(config, module);
    bool *wanted = memory_new(all, sizeof *wanted, status);
    for (size_t i = 0; wanted && i < all; i++)
        wanted[i] = true;
    return wanted;
}

/* Finds the head among those of the result, which has at least all of its module. */
static void take_result(struct head_card *card, const struct config *config,
                        const struct head_stats_result *result)
{
    const struct module_stats *module = &result->stats.modules[card->module];
    const int wanted = card->layer * module_heads(config, card->module) + card->head;
    while (module->of[card->index] != wanted)
        card->index++;
    card->result = result;
    card->measure = head_kinds[head_kind(&result->stats, card->module, card->index)].measure;
}

static void open_pairs(struct head_card *card, const struct config *config)
{
    card->pairs = (struct head_pairs){
        .config = config, .module = card->module, .layer = card->layer, .head = card->head};
}

/* A file --------------------------------------------------------------------------------------- */

static bool run_stats(const struct study_context *context, struct head_card *card,
                      struct status *status)
{
    const struct config *config = model_checkpoint(context->state.model)->config;
    struct head_stats_request request = {card->source, card->target, {NULL}};
    const struct head_stats_result *result = NULL;
    bool *wanted = want_module(config, card->module, status);
    request.wanted[card->module] = wanted;
    const bool ok = wanted && head_stats_run(context, &request, true, &result, status);
    free(wanted);
    if (result)
        take_result(card, config, result);
    return ok;
}

/* Reads the sources of the sentences that show the head most. */
static bool read_most(const struct study_context *context, const struct head_card *card,
                      struct lines *lines, struct status *status)
{
    const struct head_examples *of =
        head_examples(&card->result->stats, card->module, card->index, card->measure);
    char *texts[EXAMPLES_MOST][2] = {{NULL}};
    bool ok =
        head_examples_read(card->source, NULL, context->watch, of->most, of->count, texts, status);
    for (int i = 0; i < of->count; i++) {
        ok = ok && (!texts[i][0] || lines_add(lines, texts[i][0], of->most[i].sentence, status));
        free(texts[i][0]);
    }
    return ok;
}

/* Finds the pairs in the sentences that show the head most, if there are any. */
static bool run_most(const struct study_context *context, struct head_card *card,
                     struct status *status)
{
    struct lines most = {.count = 0};
    bool ok = read_most(context, card, &most, status);
    card->pairs_most = true;
    card->pairs.walk.read[0] = &most;
    if (ok && most.count)
        ok = head_pairs_run(context, &card->pairs, status);
    lines_free(&most);
    return ok;
}

static bool run_all(const struct study_context *context, struct head_card *card,
                    struct status *status)
{
    bool is_conllu;
    if (!conllu_recognise(card->source, context->watch, &is_conllu, status))
        return false;
    card->pairs.walk.targets = card->target;
    if (is_conllu && card->module != MODULE_DECODER)
        card->pairs.walk.words_for = "parts of speech";
    return head_pairs_run(context, &card->pairs, status);
}

static bool run_pairs(const struct study_context *context, struct head_card *card,
                      struct status *status)
{
    open_pairs(card, model_checkpoint(context->state.model)->config);
    card->pairs.walk.path = card->source;
    const bool ok = card->module == MODULE_ENCODER || card->target
                        ? run_all(context, card, status)
                        : run_most(context, card, status);
    card->paired = card->pairs.walk.taken > 0;
    return ok;
}

bool head_card_run(const struct study_context *context, struct head_card *card,
                   struct status *status)
{
    return run_stats(context, card, status) &&
           (!head_rows(&card->result->stats, card->module, card->index) ||
            run_pairs(context, card, status));
}

/* A sentence ----------------------------------------------------------------------------------- */

static bool add_stats(const struct walk_sentence *sentence, struct head_card *card,
                      struct status *status)
{
    const struct checkpoint *checkpoint = model_checkpoint(sentence->state->model);
    const struct forced_sentence forced = {
        .source = &sentence->source, .target = sentence->ids, .count = sentence->count};
    const bool *wanted[MODULE_COUNT] = {NULL};
    struct capture_request request = {.importance = false};
    struct attended_sentence tokens = {0};
    struct attended attended;
    struct capture capture;
    bool **own = card->own.wanted;
    own[card->module] = want_module(checkpoint->config, card->module, status);
    request.weights[card->module] = wanted[card->module] = own[card->module];
    if (!own[card->module] || !walk_capture(sentence, &request, &capture, status))
        return false;
    bool ok = head_stats_open(checkpoint->config, wanted, &card->own.stats, status) &&
              attended_fill(checkpoint, &forced, &tokens, &attended, status);
    if (ok) {
        attended.capture = &capture;
        ok = head_stats_add(&card->own.stats, &attended, status);
    }
    attended_free(&tokens);
    capture_free(&capture);
    return ok;
}

bool head_card_add(const struct walk_sentence *sentence, struct head_card *card,
                   struct status *status)
{
    const struct config *config = model_checkpoint(sentence->state->model)->config;
    if (!add_stats(sentence, card, status))
        return false;
    card->own.done = card->own.lines = 1;
    take_result(card, config, &card->own);
    open_pairs(card, config);
    card->paired = head_pairs_add(&card->pairs, sentence, status);
    return card->paired;
}

void head_card_free(struct head_card *card)
{
    head_pairs_free(&card->pairs);
    head_stats_result_free(&card->own);
    *card = (struct head_card){.index = 0};
}
