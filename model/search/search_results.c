#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/search/search_run.h"

double search_penalty(const struct search_options *options, int length)
{
    const double counted = (double)length + options->offset;
    switch (options->penalty) {
    case PENALTY_AVERAGE:
        return pow(counted, options->alpha);
    case PENALTY_WU:
        return pow((5 + counted) / 6, options->alpha);
    case PENALTY_NONE:
        break;
    }
    return 1;
}

/* Limits how much of the finished tokens is read at once, except for one sentence. */
static const size_t piece_bytes = (size_t)4 << 20;

/* Returns the tokens of a sentence's places: 2B hypotheses of T tokens. */
static size_t sentence_tokens(const struct run *run)
{
    return (size_t)2 * run->options->beam * run->model->buffers->state.positions;
}

static bool read_tokens(struct run *run, int first, int count)
{
    const struct search_state *state = &run->model->buffers->state;
    struct finished *finished = &run->finished;
    size_t each = sentence_tokens(run), size = each * count;
    if (finished->room < size) {
        free(finished->tokens);
        free(finished->lps);
        finished->tokens = memory_new(size, sizeof *finished->tokens, run->status);
        finished->lps = memory_new(size, sizeof *finished->lps, run->status);
        finished->room = finished->tokens && finished->lps ? size : 0;
    }
    if (!finished->room)
        return false;
    size_t offset = each * first * 4;
    run->model->backend->get(run->model->device, finished->tokens,
                             tensor_at(state->finished_token, offset), size * 4);
    run->model->backend->get(run->model->device, finished->lps,
                             tensor_at(state->finished_lp, offset), size * 4);
    finished->first = first;
    finished->count = count;
    return run->model->backend->check(run->model->device, run->status);
}

/* If reading waits for the device, one read brings as many finished sentences as possible. */
static bool ensure_tokens(struct run *run, int sentence)
{
    const struct finished *finished = &run->finished;
    if (sentence >= finished->first && sentence < finished->first + finished->count)
        return true;
    if (!run->model->backend->records)
        return read_tokens(run, sentence, 1);
    int count = 1;
    for (int s = sentence + 1; s < run->sentences; s++)
        if (run->is_gone[s] && (size_t)(s + 1 - sentence) * sentence_tokens(run) * 4 <= piece_bytes)
            count = s + 1 - sentence;
    return read_tokens(run, sentence, count);
}

static bool take_hypothesis(const struct run *run, size_t row, float logprob, int length,
                            struct hypothesis *out)
{
    const struct finished *finished = &run->finished;
    const struct search_state *state = &run->model->buffers->state;
    size_t skipped = (size_t)finished->first * 2 * run->options->beam;
    size_t at = (row - skipped) * state->positions;
    out->ids = memory_new(length, sizeof *out->ids, run->status);
    out->logprobs = memory_new(length, sizeof *out->logprobs, run->status);
    if (!out->ids || !out->logprobs)
        return false;
    memcpy(out->ids, finished->tokens + at, (size_t)length * sizeof *out->ids);
    memcpy(out->logprobs, finished->lps + at, (size_t)length * sizeof *out->logprobs);
    out->count = length;
    out->logprob = logprob;
    out->score = logprob / search_penalty(run->options, length);
    return true;
}

/* An insertion sort keeps the order of finishing among equal scores; qsort would not. */
static void sort_hypotheses(struct hypothesis *hypotheses, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && hypotheses[j - 1].score < hypotheses[j].score; j--) {
            struct hypothesis swapped = hypotheses[j];
            hypotheses[j] = hypotheses[j - 1];
            hypotheses[j - 1] = swapped;
        }
}

/* Returns the host's copy of an element from a tensor that was read with the counts. */
static const void *counted_at(const struct run *run, struct tensor tensor, size_t index)
{
    const struct buffers *b = run->model->buffers;
    return run->finished.counts + (tensor.offset - b->finished.offset) + index * 4;
}

bool read_finished(struct run *run)
{
    const struct buffers *b = run->model->buffers;
    struct finished *finished = &run->finished;
    finished->count = 0;
    if (!finished->counts)
        finished->counts = memory_new(b->finished_bytes, 1, run->status);
    if (!finished->counts)
        return false;
    run->model->backend->get(run->model->device, finished->counts, b->finished, b->finished_bytes);
    return run->model->backend->check(run->model->device, run->status); // lengths are used as sizes
}

void finished_free(struct finished *finished)
{
    free(finished->counts);
    free(finished->tokens);
    free(finished->lps);
    *finished = (struct finished){0};
}

static void drop_hypotheses(struct translation *translation, int most)
{
    for (; translation->count > most; translation->count--) {
        free(translation->hypotheses[translation->count - 1].ids);
        free(translation->hypotheses[translation->count - 1].logprobs);
    }
}

bool read_result(struct run *run, int sentence, struct translation *result)
{
    const struct search_state *state = &run->model->buffers->state;
    size_t first = (size_t)sentence * 2 * run->options->beam;
    const int32_t count = *(const int32_t *)counted_at(run, state->count, sentence);
    const int32_t *lengths = counted_at(run, state->finished_length, first);
    const float *scores = counted_at(run, state->finished_score, first);
    if (count == 0)
        return status_fail(run->status, STATUS_INVALID,
                           "no translation: the model's log-probabilities are not finite");
    struct translation all = {memory_new(count, sizeof *all.hypotheses, run->status), 0};
    bool ok = all.hypotheses && ensure_tokens(run, sentence);
    for (; ok && all.count < count; all.count++)
        ok = take_hypothesis(run, first + all.count, scores[all.count], lengths[all.count],
                             &all.hypotheses[all.count]);
    if (!ok) {
        translation_free(&all);
        return false;
    }
    sort_hypotheses(all.hypotheses, all.count);
    drop_hypotheses(&all, run->options->beam);
    *result = all;
    return true;
}

void translation_free(struct translation *translation)
{
    for (int i = 0; i < translation->count; i++) {
        free(translation->hypotheses[i].ids);
        free(translation->hypotheses[i].logprobs);
    }
    free(translation->hypotheses);
    *translation = (struct translation){0};
}

void search_numbers(const struct search_options *options, double numbers[SEARCH_NUMBERS])
{
    const double all[SEARCH_NUMBERS] = {
        options->beam, options->penalty,    options->offset,   options->alpha,   options->factor,
        options->plus, options->min_length, options->at_limit, options->endings, options->most};
    memcpy(numbers, all, sizeof all);
}

bool search_equal(const struct search_options *a, const struct search_options *b)
{
    double first[SEARCH_NUMBERS], second[SEARCH_NUMBERS];
    search_numbers(a, first);
    search_numbers(b, second);
    for (int i = 0; i < SEARCH_NUMBERS; i++)
        if (first[i] != second[i])
            return false;
    return language_pair_equal(&a->languages, &b->languages);
}
