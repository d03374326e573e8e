/* Beam search on the host's side: which sentences are in the batch. What a step does is on the device
 * (gpu/backend.h: select, advance). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/search_run.h"

enum {
    ENCODER_ROWS = 1536, // rows of one encoder wave at most, unless one sentence has more
};

/* Memory for caches and buffers of one run; a longer sentence than fits gets it all the same, alone. */
static const size_t run_bytes = (size_t)2 << 30;

struct search_options search_defaults(const struct config *config)
{
    return (struct search_options){.beam = config->search.beam,
                                   .batch = 64,
                                   .penalty = config->search.penalty,
                                   .alpha = config->search.alpha,
                                   .factor = config->search.factor,
                                   .plus = config->search.plus};
}

static int maximum_length(const struct run *run, const struct sentence *source)
{
    const struct config *config = run->model->config;
    double wanted = floor(run->options->factor * source->count) + run->options->plus;
    double most = (double)config->max_positions - config->start.count + 1;
    double length = wanted < most ? wanted : most;
    return length >= 1 ? (int)length : 1;
}

/* The batch */

/* The shape of a batch for the jobs order[first …]; the first has the longest source and so the longest
 * target. */
static struct buffers_shape batch_shape(const struct run *run, int first, int sentences)
{
    const struct sentence *longest = run->jobs[run->order[first]].source;
    int beam = run->options->beam, starts = run->model->config->start.count;
    int decoder = sentences * (beam > starts ? beam : starts);
    int encoder = longest->count > ENCODER_ROWS ? longest->count : ENCODER_ROWS;
    if ((long)sentences * longest->count < encoder)
        encoder = sentences * longest->count;
    return (struct buffers_shape){.sources = sentences,
                                  .source_positions = longest->count,
                                  .lanes = sentences * beam,
                                  .positions = maximum_length(run, longest) + starts - 1,
                                  .rows = decoder > encoder ? decoder : encoder,
                                  .logit_rows = sentences * beam,
                                  .beam = beam,
                                  .variants = run->variants.count};
}

/* Every row's target is end-of-sentence: a forced end needs its log-probability. */
static bool put_ends(const struct run *run, int rows)
{
    const struct buffers *b = run->model->buffers;
    int32_t *ends = memory_new(rows, sizeof *ends, run->status);
    for (int i = 0; ends && i < rows; i++)
        ends[i] = b->state.eos;
    if (ends)
        run->model->backend->put(run->model->device, b->eos, ends, rows * sizeof *ends);
    free(ends);
    return ends != NULL;
}

/* Where the batch that begins with `first` ends: all jobs, unless long sentences made it small; then
 * sentences of half the length get a batch of their own. */
static int batch_end(const struct run *run, int first, bool whole)
{
    int longest = run->jobs[run->order[first]].source->count;
    int end = first + 1;
    while (end < run->count && (whole || run->jobs[run->order[end]].source->count > longest / 2))
        end++;
    return end;
}

/* The largest batch that fits into run_bytes and that the device has memory for. */
static bool prepare_batch(const struct run *run, int first, int wanted, struct buffers_shape *shape,
                          struct status *status)
{
    size_t bytes;
    for (int sentences = wanted;; sentences = (sentences + 1) / 2) {
        *shape = batch_shape(run, first, sentences);
        if (!buffers_size(run->model, shape, &bytes, status))
            return false;
        if (bytes > run_bytes && sentences > 1)
            continue;
        if (buffers_prepare(run->model, shape, status))
            return true;
        if (status->code != STATUS_MEMORY || sentences == 1)
            return false;
    }
}

static bool open_batch(struct run *run, struct status *status)
{
    int first = run->entered, left = run->count - first;
    int wanted = run->options->batch < left ? run->options->batch : left;
    struct buffers_shape shape;
    if (!prepare_batch(run, first, wanted, &shape, status))
        return false;
    run->sentences = shape.sources;
    run->last = batch_end(run, first, run->sentences == wanted);
    for (int s = 0; s < run->sentences; s++)
        run->place[s] = -1;
    return positions_ensure(run->model, STACK_ENCODER, shape.source_positions, status) &&
           positions_ensure(run->model, STACK_DECODER, shape.positions, status) &&
           buffers_put_dials(run->model, run->variants.dials, run->variants.count, status) &&
           put_ends(run, shape.logit_rows);
}

/* Entering */

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

static void put_at(const struct run *run, struct tensor tensor, size_t index, const void *values,
                   size_t count)
{
    run->model->backend->put(run->model->device, tensor_at(tensor, index * 4), values, count * 4);
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

/* Ranks the continuations of `rows` rows of x, `width` a sentence, and moves on. */
static void advance_rows(const struct run *run, struct tensor x, struct tensor row_lane, int rows,
                         int width)
{
    struct model *model = run->model;
    struct buffers *b = model->buffers;
    project_logits(model, x, rows);
    struct logprob_args best = {.logits = b->logits,
                                .excluded = model->excluded,
                                .top_id = b->top_id,
                                .top_lp = b->top_lp,
                                .target = b->eos,
                                .target_lp = b->target_lp,
                                .rows = rows,
                                .vocabulary =
                                    vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]),
                                .tops = 2 * run->options->beam};
    model->backend->logprob(model->device, &best);
    struct advance_args next = {.state = &b->state,
                                .row_lane = row_lane,
                                .top_id = b->top_id,
                                .top_lp = b->top_lp,
                                .eos_lp = b->target_lp,
                                .rows = rows,
                                .width = width,
                                .tops = 2 * run->options->beam};
    model->backend->advance(model->device, &next);
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
static bool enter(struct run *run)
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

/* A step */

static bool put_live_rows(struct run *run)
{
    int beam = run->options->beam;
    int32_t *lanes = memory_new((size_t)run->live * beam, sizeof *lanes, run->status);
    if (!lanes)
        return false;
    run->rows = 0;
    for (int s = 0; s < run->sentences; s++)
        for (int lane = 0; run->place[s] >= 0 && lane < beam; lane++)
            lanes[run->rows++] = s * beam + lane;
    put_at(run, run->model->buffers->row_lane, 0, lanes, run->rows);
    free(lanes);
    run->rows_changed = false;
    return true;
}

static void run_step(void *context)
{
    const struct run *run = context;
    struct model *model = run->model;
    struct buffers *b = model->buffers;
    struct select_args rows = {.state = &b->state,
                               .row_lane = b->row_lane,
                               .columns = b->columns,
                               .slot = b->slot,
                               .rows = run->rows};
    model->backend->select(model->device, &rows);
    decode(model, run->rows, NULL);
    advance_rows(run, b->normed, b->row_lane, run->rows, run->options->beam);
}

/* Leaving */

static bool tell(const struct run *run, int job)
{
    if (!run->listener || run->listener->finished(run->listener->context, job))
        return true;
    return status_fail(run->status, STATUS_CANCELLED, "stopped");
}

/* Reads the results of all sentences that are done and frees their places. */
static bool leave(struct run *run)
{
    struct model *model = run->model;
    model->backend->get(model->device, run->done, model->buffers->state.done,
                        (size_t)run->sentences * sizeof *run->done);
    if (!model->backend->check(model->device, run->status) || !tell(run, -1))
        return false;
    for (int s = 0; s < run->sentences; s++) {
        int job = run->place[s];
        if (job < 0 || !run->done[s])
            continue;
        if (!read_result(run, s, &run->jobs[job].result))
            return false;
        run->place[s] = -1;
        run->live--;
        run->rows_changed = true;
        if (!tell(run, job))
            return false;
    }
    return true;
}

/* Runs the jobs that the batch was made for. */
static bool run_batch(struct run *run)
{
    while (run->live || run->entered < run->last) {
        int before = run->entered;
        if (!enter(run) || (run->entered > before && !leave(run)))
            return false;
        if (!run->live)
            continue;
        if (run->rows_changed && !put_live_rows(run))
            return false;
        run->model->backend->scope(run->model->device, 0, run_step, run);
        if (!leave(run))
            return false;
    }
    return true;
}

/* The whole */

struct ranked {
    int job, length;
};

/* Longest first: what runs beside one another is then alike, and the first of a batch sizes it. */
static int by_length(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->length != right->length)
        return left->length < right->length ? 1 : -1;
    return left->job < right->job ? -1 : left->job > right->job;
}

static bool order_jobs(struct run *run, struct status *status)
{
    struct ranked *ranked = memory_new(run->count, sizeof *ranked, status);
    if (!ranked)
        return false;
    for (int i = 0; i < run->count; i++)
        ranked[i] = (struct ranked){i, run->jobs[i].source->count};
    qsort(ranked, run->count, sizeof *ranked, by_length);
    for (int i = 0; i < run->count; i++)
        run->order[i] = ranked[i].job;
    free(ranked);
    return true;
}

static bool check_jobs(struct run *run, struct status *status)
{
    int most = run->model->config->max_positions;
    for (int i = 0; i < run->count; i++) {
        int length = run->jobs[i].source->count;
        if (length > most) {
            status_fail(status, STATUS_INVALID,
                        "source: %d tokens, expected at most %d (max_positions)", length, most);
            return run->count > 1 ? status_prefix(status, "sentence %d", i + 1) : false;
        }
        run->variant[i] = variants_number(&run->variants, run->jobs[i].dials, status);
        if (run->variant[i] < 0)
            return false;
    }
    return true;
}

static bool run_jobs(struct run *run, struct status *status)
{
    if (!check_jobs(run, status) || !order_jobs(run, status))
        return false;
    while (run->entered < run->count)
        if (!open_batch(run, status) || !run_batch(run))
            return false;
    return true;
}

bool search_run(struct model *model, struct search_job *jobs, int count,
                const struct search_options *options, const struct search_listener *listener,
                struct status *status)
{
    struct run run = {.model = model,
                      .jobs = jobs,
                      .count = count,
                      .options = options,
                      .listener = listener,
                      .status = status};
    for (int i = 0; i < count; i++)
        jobs[i].result = (struct translation){0};
    run.order = memory_new(count, sizeof *run.order, status);
    run.variant = memory_new(count, sizeof *run.variant, status);
    run.place = memory_new(options->batch, sizeof *run.place, status);
    run.done = memory_new(options->batch, sizeof *run.done, status);
    bool ok = run.order && run.variant && run.place && run.done && run_jobs(&run, status);
    free(run.order);
    free(run.variant);
    free(run.place);
    free(run.done);
    variants_free(&run.variants);
    return ok;
}
