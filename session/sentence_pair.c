#include "session/sentence_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"
#include "terminal/interrupt.h"
#include "terminal/progress.h"

static void inputs_free(struct inputs *inputs)
{
    free(inputs->texts);
    free(inputs->ids);
    free(inputs->words);
}

/* Fills in the start tokens and a translation; the decoder reads all but its last token. */
static bool fill_inputs(const struct checkpoint *checkpoint, const struct sentence *source,
                        const struct hypothesis *hypothesis, struct inputs *inputs,
                        struct status *status)
{
    const struct config *config = checkpoint->config;
    int starts = config->start.count, count = starts + hypothesis->count;
    inputs->count = count - 1;
    inputs->texts = memory_new(count, sizeof *inputs->texts, status);
    inputs->ids = memory_new(count, sizeof *inputs->ids, status);
    inputs->words = memory_new(count, sizeof *inputs->words, status);
    if (!inputs->texts || !inputs->ids || !inputs->words)
        return false;
    for (int i = 0; i < count; i++) {
        int id = i < starts ? start_token(config, i, source) : hypothesis->ids[i - starts];
        inputs->ids[i] = id;
        inputs->texts[i] = vocabulary_piece(checkpoint->vocabulary[SIDE_TARGET], id);
    }
    number_target_words(checkpoint, inputs->ids, count, inputs->words);
    return true;
}

bool pair_choose(struct sentence_pair *pair, int index, struct status *status)
{
    const struct hypothesis *hypothesis = &pair->translation.hypotheses[index];
    struct inputs inputs = {0};
    if (!fill_inputs(pair->checkpoint, &pair->source, hypothesis, &inputs, status)) {
        inputs_free(&inputs);
        return false;
    }
    inputs_free(&pair->inputs);
    pair->inputs = inputs;
    pair->chosen = index;
    capture_free(pair->held);
    return true;
}

const struct hypothesis *pair_hypothesis(const struct sentence_pair *pair)
{
    return &pair->translation.hypotheses[pair->chosen];
}

const char *pair_target(const struct sentence_pair *pair)
{
    return pair->texts[pair->chosen];
}

static bool set_texts(const struct checkpoint *checkpoint, struct sentence_pair *pair,
                      struct status *status)
{
    const struct translation *translation = &pair->translation;
    pair->texts = memory_new(translation->count, sizeof *pair->texts, status);
    for (int i = 0; pair->texts && i < translation->count; i++) {
        const struct hypothesis *hypothesis = &translation->hypotheses[i];
        pair->texts[i] = target_text(checkpoint, hypothesis->ids, hypothesis->count, status);
        if (!pair->texts[i])
            return false;
    }
    return pair->texts != NULL;
}

/* Makes a pair with the parts that all pairs begin with. */
static struct sentence_pair *pair_new(const struct state *state, const char *text,
                                      struct status *status)
{
    struct sentence_pair *pair = memory_new(1, sizeof *pair, status);
    if (!pair)
        return NULL;
    pair->checkpoint = model_checkpoint(state->model);
    pair->search = state->search;
    pair->text = strdup(text);
    pair->head_settings = head_settings_copy(state->head_settings, status);
    pair->held = memory_new(1, sizeof *pair->held, status);
    if (!pair->text)
        status_no_memory(status);
    if (pair->text && pair->head_settings && pair->held &&
        source_encode(model_checkpoint(state->model), &state->search.languages, text, &pair->source,
                      status))
        return pair;
    pair_free(pair);
    return NULL;
}

/* Stops after Ctrl-C. The amount of work is unknown. */
static bool keep_on(void *progress, int job)
{
    (void)job;
    return progress_watch.proceed(NULL, progress);
}

static bool run_search(const struct state *state, struct sentence_pair *pair, struct status *status)
{
    struct search_job job = {.source = &pair->source, .head_settings = state->head_settings};
    struct work_progress progress = {.what = "translating", .total = INFINITY};
    struct search_listener listener = {keep_on, &progress};
    bool ok = search_run(state->model, &job, 1, &state->search, &listener, status);
    watch_fail(&progress_watch, progress.what, progress.total); // reports the end, also on success
    pair->translation = job.result;
    return interrupt_check(status) && ok;
}

struct sentence_pair *pair_translate(const struct state *state, const char *text,
                                     struct status *status)
{
    const struct checkpoint *checkpoint = model_checkpoint(state->model);
    struct sentence_pair *pair = pair_new(state, text, status);
    if (pair && run_search(state, pair, status) && set_texts(checkpoint, pair, status) &&
        pair_choose(pair, 0, status))
        return pair;
    pair_free(pair);
    return NULL;
}

/* Fills in the log-probabilities and score of the given translation. */
static bool run_force(const struct state *state, const struct sentence_pair *pair,
                      struct hypothesis *given, struct status *status)
{
    struct capture_request nothing = {0};
    struct capture capture;
    if (!force_run(state->model, &pair->source, given->ids, given->count, state->head_settings,
                   &nothing, &capture, status))
        return interrupt_check(status) && false;
    memcpy(given->logprobs, capture.token_logprobs, given->count * sizeof *given->logprobs);
    capture_free(&capture);
    for (int i = 0; i < given->count; i++)
        given->logprob += given->logprobs[i];
    given->score = given->logprob / search_penalty(&state->search, given->count);
    return interrupt_check(status);
}

/* Makes a pair with one given hypothesis. Takes ids (count), also on failure. */
static struct sentence_pair *force_ids(const struct state *state, const char *text,
                                       const char *target, int *ids, int count,
                                       struct status *status)
{
    struct sentence_pair *pair = pair_new(state, text, status);
    struct hypothesis *given = pair ? memory_new(1, sizeof *given, status) : NULL;
    if (!given) {
        free(ids);
        pair_free(pair);
        return NULL;
    }
    pair->forced = true;
    pair->translation = (struct translation){given, 1};
    given->ids = ids;
    given->count = count;
    given->logprobs = memory_new(count, sizeof *given->logprobs, status);
    pair->texts = memory_new(1, sizeof *pair->texts, status);
    if (pair->texts)
        pair->texts[0] = strdup(target);
    if (!pair->texts || !pair->texts[0])
        status_no_memory(status);
    else if (given->logprobs && run_force(state, pair, given, status) &&
             pair_choose(pair, 0, status))
        return pair;
    pair_free(pair);
    return NULL;
}

struct sentence_pair *pair_force(const struct state *state, const char *text, const char *target,
                                 struct status *status)
{
    int *ids, count = given_encode(model_checkpoint(state->model), target, &ids, status);
    return count < 0 ? NULL : force_ids(state, text, target, ids, count, status);
}

/* Returns the token of another model's target vocabulary with the same spelling; -1: none. */
static int other_id(const struct checkpoint *from, int id, const struct checkpoint *to)
{
    if (from == to)
        return id;
    if (id == from->config->special[SPECIAL_EOS][SIDE_TARGET])
        return to->config->special[SPECIAL_EOS][SIDE_TARGET];
    return vocabulary_find(to->vocabulary[SIDE_TARGET],
                           vocabulary_piece(from->vocabulary[SIDE_TARGET], id));
}

struct sentence_pair *pair_force_like(const struct state *state, const struct sentence_pair *like,
                                      struct status *status)
{
    const struct checkpoint *checkpoint = model_checkpoint(state->model);
    const struct hypothesis *from = pair_hypothesis(like);
    if (!target_check(checkpoint, from->count, status))
        return NULL;
    int *ids = memory_new(from->count, sizeof *ids, status);
    for (int i = 0; ids && i < from->count; i++) {
        ids[i] = other_id(like->checkpoint, from->ids[i], checkpoint);
        if (ids[i] >= 0)
            continue;
        const char *piece =
            vocabulary_piece(like->checkpoint->vocabulary[SIDE_TARGET], from->ids[i]);
        status_fail(status, STATUS_INVALID, "\"%s\" is not a token of %s", QUOTED(piece),
                    QUOTED(checkpoint->config->name));
        free(ids);
        return NULL;
    }
    return ids ? force_ids(state, like->text, pair_target(like), ids, from->count, status) : NULL;
}

struct sentence_pair *pair_again(const struct state *state, const struct sentence_pair *pair,
                                 struct status *status)
{
    if (pair->forced)
        return pair_force(state, pair->text, pair->texts[0], status);
    return pair_translate(state, pair->text, status);
}

struct sentence_pair *pair_hold(struct sentence_pair *pair)
{
    if (pair)
        atomic_fetch_add(&pair->others, 1);
    return pair;
}

void pair_free(struct sentence_pair *pair)
{
    if (!pair || atomic_fetch_sub(&pair->others, 1) > 0)
        return;
    for (int i = 0; pair->texts && i < pair->translation.count; i++)
        free(pair->texts[i]);
    free(pair->texts);
    inputs_free(&pair->inputs);
    translation_free(&pair->translation);
    sentence_free(&pair->source);
    head_settings_free(pair->head_settings);
    if (pair->held)
        capture_free(pair->held);
    free(pair->held);
    free(pair->text);
    free(pair);
}

bool pair_holds(const struct sentence_pair *pair, const struct state *state)
{
    return pair->checkpoint == model_checkpoint(state->model) &&
           head_settings_equal(pair->head_settings, state->head_settings) &&
           search_equal(&pair->search, &state->search);
}

/* Held captures -------------------------------------------------------------------------------- */

static bool is_short(const struct sentence_pair *pair)
{
    const size_t most = 4 << 20; // floats
    size_t floats = 0;
    for (int m = 0; m < MODULE_COUNT; m++)
        floats += (size_t)pair_rows(pair, m).count * pair_columns(pair, m).count *
                  module_layers(pair->checkpoint->config, m) *
                  module_heads(pair->checkpoint->config, m);
    return floats <= most;
}

bool pair_holds_weights(const struct sentence_pair *pair)
{
    return pair->held->token_logprobs != NULL;
}

static bool run_pass(const struct state *state, const struct sentence_pair *pair,
                     const struct capture_request *request, struct capture *capture,
                     struct status *status)
{
    const struct hypothesis *chosen = pair_hypothesis(pair);
    if (!force_run(state->model, &pair->source, chosen->ids, chosen->count, state->head_settings,
                   request, capture, status))
        return interrupt_check(status) && false;
    if (interrupt_check(status))
        return true;
    capture_free(capture);
    return false;
}

/* Captures everything unmodified, so that other heads need no further pass. */
static bool hold(const struct state *state, const struct sentence_pair *pair, struct status *status)
{
    const struct config *config = pair->checkpoint->config;
    struct capture_request all = {.importance = true, .gates = true};
    bool *wanted[MODULE_COUNT], ok = true;
    for (int m = 0; m < MODULE_COUNT; m++) {
        size_t heads = (size_t)module_layers(config, m) * module_heads(config, m);
        all.weights[m] = wanted[m] = memory_new(heads, sizeof **wanted, status);
        if (wanted[m])
            memset(wanted[m], true, heads * sizeof **wanted);
        ok = ok && wanted[m];
    }
    struct capture held; // kept apart until complete: others may look at the pair during the pass
    ok = ok && run_pass(state, pair, &all, &held, status);
    if (ok)
        *pair->held = held;
    for (int m = 0; m < MODULE_COUNT; m++)
        free(wanted[m]);
    return ok;
}

bool pair_capture(const struct state *state, const struct sentence_pair *pair,
                  const struct capture_request *request, struct capture *capture,
                  struct status *status)
{
    *capture = (struct capture){0};
    if (!pair_holds(pair, state) || !capture_is_plain(request, pair->checkpoint->config) ||
        !is_short(pair))
        return run_pass(state, pair, request, capture, status);
    if (!pair_holds_weights(pair) && !hold(state, pair, status))
        return false;
    *capture = *pair->held;
    capture->borrowed = true;
    return true;
}

static struct token_list source_tokens(const struct sentence_pair *pair)
{
    const struct sentence *source = &pair->source;
    return (struct token_list){
        SIDE_SOURCE, TOKENS_OF_TEXT, (const char *const *)source->pieces.text,
        source->ids, source->words,  source->count};
}

static struct token_list input_tokens(const struct sentence_pair *pair)
{
    const struct inputs *inputs = &pair->inputs;
    return (struct token_list){SIDE_TARGET, TOKENS_READ,   inputs->texts,
                               inputs->ids, inputs->words, inputs->count};
}

struct token_list pair_predicted(const struct sentence_pair *pair)
{
    const struct inputs *inputs = &pair->inputs;
    return (struct token_list){SIDE_TARGET,     TOKENS_PREDICTED,  inputs->texts + 1,
                               inputs->ids + 1, inputs->words + 1, inputs->count};
}

struct token_list pair_translated(const struct sentence_pair *pair)
{
    const struct inputs *inputs = &pair->inputs;
    const int count = pair_hypothesis(pair)->count, starts = inputs->count + 1 - count;
    return (struct token_list){SIDE_TARGET,          TOKENS_PREDICTED,       inputs->texts + starts,
                               inputs->ids + starts, inputs->words + starts, count};
}

int pair_tokens_alike(const struct sentence_pair *a, const struct sentence_pair *b)
{
    const struct token_list of_a = pair_translated(a), of_b = pair_translated(b);
    int count = 0;
    while (count < of_a.count && count < of_b.count &&
           strcmp(of_a.texts[count], of_b.texts[count]) == 0)
        count++;
    return count;
}

struct token_list pair_rows(const struct sentence_pair *pair, enum module module)
{
    return module == MODULE_ENCODER ? source_tokens(pair) : input_tokens(pair);
}

struct token_list pair_columns(const struct sentence_pair *pair, enum module module)
{
    return module == MODULE_DECODER ? input_tokens(pair) : source_tokens(pair);
}
