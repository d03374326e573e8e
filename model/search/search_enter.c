/* Lets sentences enter a running search: encodes them, reads their start tokens and, if steps are
 * not recorded, makes their first step. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/encoder.h"
#include "model/net/transformer.h"
#include "model/search/search_run.h"

/* Sentences that enter together. */
struct wave {
    struct encoder_input *inputs; // (count)
    int count, rows;
};

static bool fill_wave(struct run *run, struct wave *wave)
{
    int next = 0;
    while (run->entered < run->last && run->live + run->gone < run->sentences) {
        int job = run->order[run->entered];
        const struct search_job *given = &run->jobs[job];
        const struct sentence *source = given->source;
        if (wave->count && wave->rows + source->count > run->model->buffers->shape.rows)
            break;
        while (run->place[next] >= 0)
            next++;
        run->place[next] = job;
        run->since[next] = run->steps + 1;
        wave->inputs[wave->count++] =
            (struct encoder_input){source, next, run->variant[job], given->head_settings};
        wave->rows += source->count;
        run->live++;
        run->entered++;
    }
    return wave->count > 0;
}

/* What the device needs about a wave's sentences, in one piece (wave, beam B): the state in which
 * each begins, and its place. Lane 0 has read all start tokens but the last. */
struct entry {
    size_t records;       // (wave, B*LANE_FIELDS)
    size_t scores;        // (wave, B)
    size_t limits, zeros; // (wave)
    size_t paths;         // (wave*B, starts)
    size_t places, lanes; // (wave), (wave*B): sentences and lanes of the batch
    size_t size;
};

static struct entry entry_of(const struct run *run, int sentences)
{
    size_t count = sentences, lanes = count * run->options->beam, at = 0;
    struct entry entry;
    struct {
        size_t *offset, size;
    } parts[] = {{&entry.records, lanes * LANE_FIELDS},
                 {&entry.scores, lanes},
                 {&entry.limits, count},
                 {&entry.zeros, count},
                 {&entry.paths, lanes * run->model->config->start.count},
                 {&entry.places, count},
                 {&entry.lanes, lanes}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        *parts[i].offset = at;
        at += parts[i].size;
    }
    entry.size = at;
    return entry;
}

static void describe_sentence(const struct run *run, const struct entry *entry,
                              const struct encoder_input *input, int number, int32_t *values)
{
    const struct model *model = run->model;
    const struct buffers *b = model->buffers;
    int beam = run->options->beam, starts = model->config->start.count;
    int begin = input->source * b->shape.source_positions;
    const int32_t record[LANE_FIELDS] = {
        [LANE_TOKEN] = start_token(model->config, starts - 1, input->sentence),
        [LANE_POS] = starts - 1,
        [LANE_BEGIN] = begin,
        [LANE_END] = begin + input->sentence->count,
        [LANE_VARIANT] = input->variant};
    for (int i = 0; i < beam; i++) {
        size_t at = (size_t)number * beam + i;
        int lane = input->source * beam + i;
        const float score = i == 0 ? 0 : -INFINITY;
        memcpy(values + entry->records + at * LANE_FIELDS, record, sizeof record);
        memcpy(values + entry->scores + at, &score, sizeof score);
        /* A lane without a live hypothesis may be computed nevertheless, so it needs slots of its
         * own. */
        for (int p = 0; p < starts; p++)
            values[entry->paths + at * starts + p] = search_slot(&b->state, lane, p);
        values[entry->lanes + at] = lane;
    }
    values[entry->limits + number] = maximum_length(run, input->sentence);
    values[entry->places + number] = input->source;
}

/* Moves a part of the entry to the rows of the state that `index` names. */
static void scatter_part(const struct run *run, struct tensor to, int ld, size_t from, int columns,
                         size_t index, int rows)
{
    const struct buffers *b = run->model->buffers;
    struct move_args args = {.y = to,
                             .ldy = ld,
                             .x = tensor_at(b->entry, from * sizeof(int32_t)),
                             .ldx = columns,
                             .index = tensor_at(b->entry, index * sizeof(int32_t)),
                             .rows = rows,
                             .columns = columns};
    run->model->backend->scatter(run->model->device, &args);
}

static bool put_sentences(struct run *run, const struct wave *wave)
{
    const struct model *model = run->model;
    const struct search_state *state = &model->buffers->state;
    int beam = run->options->beam, starts = model->config->start.count, count = wave->count;
    struct entry entry = entry_of(run, count);
    int32_t *values = memory_new(entry.size, sizeof *values, run->status);
    if (!values)
        return false;
    for (int s = 0; s < count; s++)
        describe_sentence(run, &entry, &wave->inputs[s], s, values);
    put_at(run, model->buffers->entry, 0, values, entry.size);
    free(values);
    scatter_part(run, state->lane, beam * LANE_FIELDS, entry.records, beam * LANE_FIELDS,
                 entry.places, count);
    scatter_part(run, state->score, beam, entry.scores, beam, entry.places, count);
    scatter_part(run, state->limit, 1, entry.limits, 1, entry.places, count);
    scatter_part(run, state->done, 1, entry.zeros, 1, entry.places, count);
    scatter_part(run, state->count, 1, entry.zeros, 1, entry.places, count);
    scatter_part(run, state->path, state->positions, entry.paths, starts, entry.lanes,
                 count * beam);
    return true;
}

/* Puts the start tokens of the wave's sentences, except each one's last, as decoder rows. */
static bool put_start_rows(struct run *run, const struct wave *wave)
{
    const struct model *model = run->model;
    const struct buffers *b = model->buffers;
    int starts = model->config->start.count - 1, rows = wave->count * starts;
    int32_t *all = memory_new((size_t)rows * (LANE_FIELDS + 2), sizeof *all, run->status);
    if (!all)
        return false;
    int32_t *lane = all + (size_t)rows * LANE_FIELDS, *slot = lane + rows;
    for (int m = 0; m < rows; m++) {
        const struct encoder_input *input = &wave->inputs[m / starts];
        int begin = input->source * b->shape.source_positions;
        const int32_t values[LANE_FIELDS] = {
            [LANE_TOKEN] = start_token(model->config, m % starts, input->sentence),
            [LANE_POS] = m % starts,
            [LANE_BEGIN] = begin,
            [LANE_END] = begin + input->sentence->count,
            [LANE_VARIANT] = input->variant};
        for (int f = 0; f < LANE_FIELDS; f++)
            all[f * rows + m] = values[f];
        lane[m] = input->source * run->options->beam;
        slot[m] = search_slot(&b->state, lane[m], m % starts);
    }
    put_at(run, b->columns, 0, all, (size_t)rows * LANE_FIELDS);
    put_at(run, b->row_lane, 0, lane, rows);
    put_at(run, b->slot, 0, slot, rows);
    free(all);
    return true;
}

/* Makes the wave's first step, with one row per sentence: each lives only in its first lane. A
 * sentence finished by it also takes part in the next step, as nothing is read before. */
static bool first_step(struct run *run, const struct wave *wave)
{
    int32_t *lanes = memory_new(wave->count, sizeof *lanes, run->status);
    if (!lanes)
        return false;
    for (int s = 0; s < wave->count; s++)
        lanes[s] = wave->inputs[s].source * run->options->beam;
    put_at(run, run->model->buffers->row_lane, 0, lanes, wave->count);
    free(lanes);
    run->rows = wave->count;
    run->width = 1;
    decoding_step(run);
    // The next step depends on the tokens chosen by this one.
    return run->model->backend->check(run->model->device, run->status);
}

/* Encodes a wave and reads its start tokens. If steps are recorded, the next step reads the last of
 * them and ranks the first continuations, so it is the same for old and new sentences. */
static bool enter_wave(struct run *run, const struct wave *wave)
{
    struct model *model = run->model;
    int starts = model->config->start.count - 1;
    if (!encode(model, wave->inputs, wave->count, wave->rows, NULL, run->status) ||
        !put_sentences(run, wave))
        return false;
    if (starts > 0) {
        if (!put_start_rows(run, wave))
            return false;
        decode(model, wave->count * starts, NULL);
    }
    run->rows_changed = true;
    return model->backend->records || first_step(run, wave);
}

/* Entering costs an encoder pass, so places are filled in groups. */
bool enter(struct run *run)
{
    int free_places = run->sentences - run->live - run->gone;
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
