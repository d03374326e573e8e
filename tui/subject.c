#include "tui/subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/quote.h"
#include "tui/arguments.h"
#include "tui/interrupt.h"
#include "tui/progress.h"

double search_penalty(const struct search_options *search, int length)
{
    if (search->penalty == PENALTY_AVERAGE)
        return pow(length, search->alpha);
    if (search->penalty == PENALTY_WU)
        return pow((5.0 + length) / 6.0, search->alpha);
    return 1;
}

bool source_encode(const struct checkpoint *checkpoint, const char *text, struct sentence *sentence,
                   struct status *status)
{
    int most = checkpoint->config->max_positions;
    if (!check_utf8(text, status) || !sentence_encode(checkpoint, text, sentence, status))
        return false;
    if (sentence->count <= most)
        return true;
    status_fail(status, STATUS_INVALID, "the source has %d tokens, at most %d (max_positions)",
                sentence->count, most);
    sentence_free(sentence);
    return false;
}

static bool check_target(const struct checkpoint *checkpoint, int count, struct status *status)
{
    int most = checkpoint->config->max_positions - checkpoint->config->start.count + 1;
    return count <= most ||
           status_fail(status, STATUS_INVALID,
                       "the target has %d tokens, at most %d (max_positions)", count, most);
}

int given_encode(const struct checkpoint *checkpoint, const char *text, int **ids,
                 struct status *status)
{
    *ids = NULL;
    if (!check_utf8(text, status))
        return -1;
    int count = target_encode(checkpoint, text, ids, status);
    if (check_target(checkpoint, count, status))
        return count;
    free(*ids);
    *ids = NULL;
    return -1;
}

static void inputs_free(struct inputs *inputs)
{
    free(inputs->texts);
    free(inputs->ids);
    free(inputs->words);
}

/* What the decoder reads: the start tokens, then a translation without its last token. */
static bool fill_inputs(const struct checkpoint *checkpoint, const struct hypothesis *hypothesis,
                        struct inputs *inputs, struct status *status)
{
    const struct id_list *start = &checkpoint->config->start;
    int count = start->count + hypothesis->count - 1;
    inputs->count = count;
    inputs->texts = memory_new(count, sizeof *inputs->texts, status);
    inputs->ids = memory_new(count, sizeof *inputs->ids, status);
    inputs->words = memory_new(count, sizeof *inputs->words, status);
    if (!inputs->texts || !inputs->ids || !inputs->words)
        return false;
    for (int i = 0; i < count; i++) {
        int id = i < start->count ? start->ids[i] : hypothesis->ids[i - start->count];
        inputs->ids[i] = id;
        inputs->texts[i] = vocabulary_piece(checkpoint->vocabulary[SIDE_TARGET], id);
    }
    number_target_words(checkpoint, inputs->ids, count, inputs->words);
    return true;
}

bool subject_choose(struct subject *subject, int index, struct status *status)
{
    const struct hypothesis *hypothesis = &subject->translation.hypotheses[index];
    struct inputs inputs = {0};
    if (!fill_inputs(subject->checkpoint, hypothesis, &inputs, status)) {
        inputs_free(&inputs);
        return false;
    }
    inputs_free(&subject->inputs);
    subject->inputs = inputs;
    subject->chosen = index;
    return true;
}

const struct hypothesis *subject_hypothesis(const struct subject *subject)
{
    return &subject->translation.hypotheses[subject->chosen];
}

const char *subject_target(const struct subject *subject)
{
    return subject->texts[subject->chosen];
}

static bool set_texts(const struct checkpoint *checkpoint, struct subject *subject,
                      struct status *status)
{
    const struct translation *translation = &subject->translation;
    subject->texts = memory_new(translation->count, sizeof *subject->texts, status);
    for (int i = 0; subject->texts && i < translation->count; i++) {
        const struct hypothesis *hypothesis = &translation->hypotheses[i];
        subject->texts[i] = target_text(checkpoint, hypothesis->ids, hypothesis->count, status);
        if (!subject->texts[i])
            return false;
    }
    return subject->texts != NULL;
}

/* The parts that every subject begins with. */
static struct subject *subject_new(const struct state *state, const char *text,
                                   struct status *status)
{
    struct subject *subject = memory_new(1, sizeof *subject, status);
    if (!subject)
        return NULL;
    subject->checkpoint = model_checkpoint(state->model);
    subject->search = state->search;
    subject->text = strdup(text);
    subject->dials = dials_copy(state->dials, status);
    if (!subject->text)
        status_fail(status, STATUS_MEMORY, "out of memory");
    if (subject->text && subject->dials &&
        source_encode(model_checkpoint(state->model), text, &subject->source, status))
        return subject;
    subject_free(subject);
    return NULL;
}

/* Draws the sign of life; stops after Ctrl-C. */
static bool keep_on(void *context, int job)
{
    (void)job;
    progress_draw(context);
    return !interrupted();
}

static bool run_search(const struct state *state, struct subject *subject, struct status *status)
{
    struct search_job job = {.source = &subject->source, .dials = state->dials};
    struct progress progress;
    struct search_listener listener = {keep_on, &progress};
    progress_begin(&progress, "translating", "", 0);
    bool ok = search_run(state->model, &job, 1, &state->search, &listener, status);
    progress_end(&progress);
    subject->translation = job.result;
    return interrupt_check(status) && ok;
}

struct subject *subject_translate(const struct state *state, const char *text,
                                  struct status *status)
{
    const struct checkpoint *checkpoint = model_checkpoint(state->model);
    struct subject *subject = subject_new(state, text, status);
    if (subject && run_search(state, subject, status) && set_texts(checkpoint, subject, status) &&
        subject_choose(subject, 0, status))
        return subject;
    subject_free(subject);
    return NULL;
}

/* Fills in log-probabilities and score of the given translation. */
static bool run_force(const struct state *state, const struct subject *subject,
                      struct hypothesis *given, struct status *status)
{
    struct capture_request nothing = {0};
    struct capture capture;
    if (!force_run(state->model, &subject->source, given->ids, given->count, state->dials, &nothing,
                   &capture, status))
        return interrupt_check(status) && false;
    memcpy(given->logprobs, capture.token_logprobs, given->count * sizeof *given->logprobs);
    capture_free(&capture);
    for (int i = 0; i < given->count; i++)
        given->logprob += given->logprobs[i];
    given->score = given->logprob / search_penalty(&state->search, given->count);
    return interrupt_check(status);
}

/* A subject with one given hypothesis; ids (count) are taken, also on failure. */
static struct subject *force_ids(const struct state *state, const char *text, const char *target,
                                 int *ids, int count, struct status *status)
{
    struct subject *subject = subject_new(state, text, status);
    struct hypothesis *given = subject ? memory_new(1, sizeof *given, status) : NULL;
    if (!given) {
        free(ids);
        subject_free(subject);
        return NULL;
    }
    subject->forced = true;
    subject->translation = (struct translation){given, 1};
    given->ids = ids;
    given->count = count;
    given->logprobs = memory_new(count, sizeof *given->logprobs, status);
    subject->texts = memory_new(1, sizeof *subject->texts, status);
    if (subject->texts)
        subject->texts[0] = strdup(target);
    if (!subject->texts || !subject->texts[0])
        status_fail(status, STATUS_MEMORY, "out of memory");
    else if (given->logprobs && run_force(state, subject, given, status) &&
             subject_choose(subject, 0, status))
        return subject;
    subject_free(subject);
    return NULL;
}

struct subject *subject_force(const struct state *state, const char *text, const char *target,
                              struct status *status)
{
    int *ids, count = given_encode(model_checkpoint(state->model), target, &ids, status);
    return count < 0 ? NULL : force_ids(state, text, target, ids, count, status);
}

/* A token of one model's target vocabulary in another's; -1: it has none that spells so. */
static int other_id(const struct checkpoint *from, int id, const struct checkpoint *to)
{
    if (from == to)
        return id;
    if (id == from->config->special[SPECIAL_EOS][SIDE_TARGET])
        return to->config->special[SPECIAL_EOS][SIDE_TARGET];
    return vocabulary_find(to->vocabulary[SIDE_TARGET],
                           vocabulary_piece(from->vocabulary[SIDE_TARGET], id));
}

struct subject *subject_force_like(const struct state *state, const struct subject *like,
                                   struct status *status)
{
    const struct checkpoint *checkpoint = model_checkpoint(state->model);
    const struct hypothesis *from = subject_hypothesis(like);
    if (!check_target(checkpoint, from->count, status))
        return NULL;
    int *ids = memory_new(from->count, sizeof *ids, status);
    for (int i = 0; ids && i < from->count; i++) {
        ids[i] = other_id(like->checkpoint, from->ids[i], checkpoint);
        if (ids[i] >= 0)
            continue;
        const char *piece =
            vocabulary_piece(like->checkpoint->vocabulary[SIDE_TARGET], from->ids[i]);
        status_fail(status, STATUS_INVALID, "\"%s\" is no token of %s", QUOTED(piece),
                    QUOTED(checkpoint->config->name));
        free(ids);
        return NULL;
    }
    return ids ? force_ids(state, like->text, subject_target(like), ids, from->count, status)
               : NULL;
}

struct subject *subject_again(const struct state *state, const struct subject *subject,
                              struct status *status)
{
    if (subject->forced)
        return subject_force(state, subject->text, subject->texts[0], status);
    return subject_translate(state, subject->text, status);
}

void subject_free(struct subject *subject)
{
    if (!subject)
        return;
    for (int i = 0; subject->texts && i < subject->translation.count; i++)
        free(subject->texts[i]);
    free(subject->texts);
    inputs_free(&subject->inputs);
    translation_free(&subject->translation);
    sentence_free(&subject->source);
    dials_free(subject->dials);
    free(subject->text);
    free(subject);
}

bool search_equal(const struct search_options *a, const struct search_options *b)
{
    return a->beam == b->beam && a->penalty == b->penalty && a->alpha == b->alpha &&
           a->factor == b->factor && a->plus == b->plus;
}

bool subject_holds(const struct subject *subject, const struct state *state)
{
    return subject->checkpoint == model_checkpoint(state->model) &&
           dials_equal(subject->dials, state->dials) &&
           search_equal(&subject->search, &state->search);
}

bool subject_capture(const struct state *state, const struct subject *subject,
                     const struct capture_request *request, struct capture *capture,
                     struct status *status)
{
    const struct hypothesis *chosen = subject_hypothesis(subject);
    if (!force_run(state->model, &subject->source, chosen->ids, chosen->count, state->dials,
                   request, capture, status))
        return interrupt_check(status) && false;
    if (interrupt_check(status))
        return true;
    capture_free(capture);
    return false;
}

static struct token_list source_tokens(const struct subject *subject)
{
    const struct sentence *source = &subject->source;
    return (struct token_list){SIDE_SOURCE, (const char *const *)source->pieces.text, source->ids,
                               source->words, source->count};
}

static struct token_list input_tokens(const struct subject *subject)
{
    return (struct token_list){SIDE_TARGET, subject->inputs.texts, subject->inputs.ids,
                               subject->inputs.words, subject->inputs.count};
}

struct token_list subject_rows(const struct subject *subject, enum module module)
{
    return module == MODULE_ENCODER ? source_tokens(subject) : input_tokens(subject);
}

struct token_list subject_columns(const struct subject *subject, enum module module)
{
    return module == MODULE_DECODER ? input_tokens(subject) : source_tokens(subject);
}
