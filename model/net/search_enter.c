/* How sentences enter a running search: they are encoded, their start tokens read, and the first
 * continuations ranked. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/search_run.h"

/* Sentences that enter together. */
struct wave {
    struct encoder_input *inputs; // (count)
    int count, rows;
};

static bool fill_wave(struct run *run, struct wave *wave)
{
    int next = 0;
    while (run->entered < run->last && run->live < run->sentences) {
        int job = run->order[run->entered];
        const struct sentence *source = run->jobs[job].source;
        if (wave->count && wave->rows + source->count > run->model->buffers->shape.rows)
            break;
        while (run->place[next] >= 0)
            next++;
        run->place[next] = job;
        wave->inputs[wave->count++] = (struct encoder_input){source, next, run->variant[job]};
        wave->rows += source->count;
        run->live++;
        run->entered++;
    }
    return wave->count > 0;
}

/* The state of a sentence that begins: lane 0 has read all start tokens but the last. */
static bool put_sentence(struct run *run, const struct encoder_input *input)
{
    const struct model *model = run->model;
    const struct buffers *b = model->buffers;
    int beam = run->options->beam, starts = model->config->start.count;
    int T = b->shape.positions, first = input->source * beam;
    int begin = input->source * b->shape.source_positions;
    size_t words = (size_t)beam * (LANE_FIELDS + 1 + starts);
    int32_t *lanes = memory_new(words, sizeof *lanes, run->status);
    if (!lanes)
        return false;
    float *scores = (float *)(lanes + beam * LANE_FIELDS);
    int32_t *path = lanes + beam * (LANE_FIELDS + 1);
    for (int lane = 0; lane < beam; lane++) {
        const int32_t record[LANE_FIELDS] = {[LANE_TOKEN] = model->config->start.ids[starts - 1],
                                             [LANE_POS] = starts - 1,
                                             [LANE_BEGIN] = begin,
                                             [LANE_END] = begin + input->sentence->count,
                                             [LANE_VARIANT] = input->variant};
        memcpy(lanes + lane * LANE_FIELDS, record, sizeof record);
        scores[lane] = lane == 0 ? 0 : -INFINITY;
        /* A lane in which nothing lives is computed all the same, so it needs slots of its own. */
        for (int p = 0; p < starts; p++)
            path[lane * starts + p] = (first + lane) * T + p;
        put_at(run, b->state.path, (size_t)(first + lane) * T, path + lane * starts, starts);
    }
    const int32_t zero = 0, limit = maximum_length(run, input->sentence);
    put_at(run, b->state.lane, (size_t)first * LANE_FIELDS, lanes, (size_t)beam * LANE_FIELDS);
    put_at(run, b->state.score, first, scores, beam);
    put_at(run, b->state.limit, input->source, &limit, 1);
    put_at(run, b->state.done, input->source, &zero, 1);
    put_at(run, b->state.count, input->source, &zero, 1);
    free(lanes);
    return true;
}

/* The start tokens of all sentences of a wave, as decoder rows. index: the row of each one's last. */
static bool put_start_rows(struct run *run, const struct wave *wave)
{
    const struct model *model = run->model;
    const struct buffers *b = model->buffers;
    int starts = model->config->start.count, rows = wave->count * starts;
    int32_t *all = memory_new((size_t)rows * (LANE_FIELDS + 3), sizeof *all, run->status);
    if (!all)
        return false;
    int32_t *lane = all + (size_t)rows * LANE_FIELDS, *slot = lane + rows, *index = slot + rows;
    for (int m = 0; m < rows; m++) {
        const struct encoder_input *input = &wave->inputs[m / starts];
        int begin = input->source * b->shape.source_positions;
        const int32_t values[LANE_FIELDS] = {[LANE_TOKEN] = model->config->start.ids[m % starts],
                                             [LANE_POS] = m % starts,
                                             [LANE_BEGIN] = begin,
                                             [LANE_END] = begin + input->sentence->count,
                                             [LANE_VARIANT] = input->variant};
        for (int f = 0; f < LANE_FIELDS; f++)
            all[f * rows + m] = values[f];
        lane[m] = input->source * run->options->beam;
        slot[m] = lane[m] * b->shape.positions + m % starts;
        index[m / starts] = m / starts * starts + starts - 1;
    }
    put_at(run, b->columns, 0, all, (size_t)rows * LANE_FIELDS);
    put_at(run, b->row_lane, 0, lane, rows);
    put_at(run, b->slot, 0, slot, rows);
    put_at(run, b->index, 0, index, wave->count);
    for (int s = 0; s < wave->count; s++)
        lane[s] = wave->inputs[s].source * run->options->beam;
    put_at(run, b->start_lane, 0, lane, wave->count);
    free(all);
    return true;
}

/* Encodes a wave, reads its start tokens and ranks the first continuations. */
static bool enter_wave(struct run *run, const struct wave *wave)
{
    struct model *model = run->model;
    struct buffers *b = model->buffers;
    if (!encode(model, wave->inputs, wave->count, wave->rows, NULL, run->status))
        return false;
    for (int s = 0; s < wave->count; s++)
        if (!put_sentence(run, &wave->inputs[s]))
            return false;
    if (!put_start_rows(run, wave))
        return false;
    decode(model, wave->count * model->config->start.count, NULL);
    struct move_args last = {.y = b->picked,
                             .ldy = model->config->d_model,
                             .x = b->normed,
                             .ldx = model->config->d_model,
                             .index = b->index,
                             .rows = wave->count,
                             .columns = model->config->d_model};
    model->backend->gather(model->device, &last);
    advance_rows(run, b->picked, b->start_lane, wave->count, 1);
    run->rows_changed = true;
    return true;
}

/* Entering costs an encoder pass and a decoding step of its own, so places are filled in groups. */
bool enter(struct run *run)
{
    int free_places = run->sentences - run->live;
    if (run->entered == run->last || (run->live && free_places < (run->sentences + 3) / 4))
        return true;
    struct wave wave = {.inputs = memory_new(run->sentences, sizeof *wave.inputs, run->status)};
    bool ok = wave.inputs != NULL;
    while (ok && fill_wave(run, &wave)) {
        ok = enter_wave(run, &wave);
        wave.count = wave.rows = 0;
    }
    free(wave.inputs);
    return ok;
}
