#include <math.h>
#include <stdlib.h>

#include "model/net/search_run.h"

static double penalty(const struct search_options *options, int length)
{
    switch (options->penalty) {
    case PENALTY_AVERAGE:
        return pow(length, options->alpha);
    case PENALTY_WU:
        return pow((5 + length) / 6.0, options->alpha);
    case PENALTY_NONE:
        break;
    }
    return 1;
}

static bool read_hypothesis(const struct run *run, int sentence, int which, float logprob,
                            int length, struct hypothesis *out)
{
    const struct search_state *state = &run->model->buffers->state;
    size_t row = (size_t)sentence * 2 * run->options->beam + which;
    out->ids = memory_new(length, sizeof *out->ids, run->status);
    out->logprobs = memory_new(length, sizeof *out->logprobs, run->status);
    if (!out->ids || !out->logprobs)
        return false;
    size_t offset = row * state->positions * 4;
    run->model->backend->get(run->model->device, out->ids, tensor_at(state->finished_token, offset),
                             (size_t)length * 4);
    run->model->backend->get(run->model->device, out->logprobs,
                             tensor_at(state->finished_lp, offset), (size_t)length * 4);
    out->count = length;
    out->logprob = logprob;
    out->score = logprob / penalty(run->options, length);
    return true;
}

/* Insertion keeps the order of finishing among equal scores, which qsort would not. */
static void sort_hypotheses(struct hypothesis *hypotheses, int count)
{
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0 && hypotheses[j - 1].score < hypotheses[j].score; j--) {
            struct hypothesis swapped = hypotheses[j];
            hypotheses[j] = hypotheses[j - 1];
            hypotheses[j - 1] = swapped;
        }
}

bool read_result(const struct run *run, int sentence, struct translation *result)
{
    const struct model *model = run->model;
    const struct search_state *state = &model->buffers->state;
    int most = 2 * run->options->beam;
    int32_t count = 0;
    int32_t *lengths = memory_new(most, sizeof *lengths, run->status);
    float *scores = memory_new(most, sizeof *scores, run->status);
    struct translation all = {memory_new(most, sizeof *all.hypotheses, run->status), 0};
    bool ok = lengths && scores && all.hypotheses;
    if (ok) {
        size_t offset = (size_t)sentence * most * 4;
        model->backend->get(model->device, &count, tensor_at(state->count, (size_t)sentence * 4),
                            4);
        model->backend->get(model->device, lengths, tensor_at(state->finished_length, offset),
                            (size_t)count * 4);
        model->backend->get(model->device, scores, tensor_at(state->finished_score, offset),
                            (size_t)count * 4);
    }
    for (; ok && all.count < count; all.count++)
        ok = read_hypothesis(run, sentence, all.count, scores[all.count], lengths[all.count],
                             &all.hypotheses[all.count]);
    free(lengths);
    free(scores);
    if (!ok) {
        all.count += all.count < count;
        translation_free(&all);
        return false;
    }
    if (all.count == 0) {
        translation_free(&all);
        return status_fail(run->status, STATUS_INVALID,
                           "no translation: the model's log-probabilities are not finite");
    }
    sort_hypotheses(all.hypotheses, all.count);
    for (; all.count > run->options->beam; all.count--) {
        free(all.hypotheses[all.count - 1].ids);
        free(all.hypotheses[all.count - 1].logprobs);
    }
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
