/* A decoding step of the batch. The device updates the hypotheses (gpu/backend.h: select,
 * advance). */
#include <stdlib.h>

#include "base/minmax.h"
#include "model/net/transformer.h"
#include "model/search/search_run.h"

/* Ranks the best tokens of `count` rows from `first` on. */
static void rank_rows(const struct run *run, int first, int count)
{
    struct model *model = run->model;
    struct buffers *b = model->buffers;
    size_t tops = 2 * (size_t)run->options->beam, d = model->config->d_model;
    struct tensor x = tensor_at(b->normed, first * d * sizeof(float));
    struct logprob_args best = {.product = logits_product(model, x, count),
                                .logits = b->logits,
                                .excluded = model->excluded,
                                .top_id = tensor_at(b->top_id, first * tops * sizeof(int32_t)),
                                .top_lp = tensor_at(b->top_lp, first * tops * sizeof(float)),
                                .target = tensor_at(b->eos, first * sizeof(int32_t)),
                                .target_lp = tensor_at(b->target_lp, first * sizeof(float)),
                                .search = b->state.renormalize ? &b->state : NULL,
                                .row_lane = tensor_at(b->row_lane, first * sizeof(int32_t)),
                                .rows = count,
                                .vocabulary =
                                    vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]),
                                .tops = (int)tops};
    if (model->backend->streams)
        best.logits = best.product.y = (struct tensor){0};
    model->backend->logprob(model->device, &best);
}

/* Ranks the continuations of all rows and advances. */
static void advance_rows(const struct run *run)
{
    struct model *model = run->model;
    struct buffers *b = model->buffers;
    for (int first = 0; first < run->rows; first += ranked_rows(run))
        rank_rows(run, first, int_min(ranked_rows(run), run->rows - first));
    struct advance_args next = {.state = &b->state,
                                .row_lane = b->row_lane,
                                .top_id = b->top_id,
                                .top_lp = b->top_lp,
                                .eos_lp = b->target_lp,
                                .rows = run->rows,
                                .width = run->width,
                                .tops = 2 * run->options->beam};
    model->backend->advance(model->device, &next);
}

/* Returns how many sentences a step computes for `live` ones. If steps are recorded: 1, 2, 3, 4, 6,
 * 8, 12, 16, 24, …, so that a batch that empties needs few recordings. */
static int step_sentences(const struct run *run, int live)
{
    if (!run->model->backend->records)
        return live;
    int whole = 1;
    while (whole < live)
        whole *= 2;
    int padded = whole > 2 && live <= whole / 4 * 3 ? whole / 4 * 3 : whole;
    return int_min(padded, run->sentences);
}

bool put_live_rows(struct run *run)
{
    int beam = run->options->beam, row = 0;
    run->rows = step_sentences(run, run->live) * beam;
    run->width = beam;
    int32_t *lanes = memory_new(run->rows, sizeof *lanes, run->status);
    if (!lanes)
        return false;
    for (int s = 0; s < run->sentences; s++)
        for (int lane = 0; run->place[s] >= 0 && !run->is_gone[s] && lane < beam; lane++)
            lanes[row++] = s * beam + lane;
    while (row < run->rows)
        lanes[row++] = -1;
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
    advance_rows(run);
}

/* The number of the buffers' recording and the rows determine a recorded step's calls. */
static uint64_t step_key(const struct run *run)
{
    if (!run->model->backend->records)
        return 0;
    return run->model->buffers->recording << 24 | (uint64_t)run->rows;
}

void decoding_step(struct run *run)
{
    const struct scope_args step = {.key = step_key(run),
                                    .rows = run->rows,
                                    .width = run->width,
                                    .body = run_step,
                                    .context = run};
    run->model->backend->scope(run->model->device, &step);
}
