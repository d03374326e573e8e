#include "model/search/search.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "model/search/search_run.h"

/* Tokens per sentence that an encoder pass has room for, on average over backend->batch sentences.
 * A single longer sentence gets more. */
enum { ENCODER_TOKENS = 24 };

struct search_options search_defaults(const struct config *config)
{
    return (struct search_options){.beam = config->search.beam,
                                   .batch = 64,
                                   .penalty = config->search.penalty,
                                   .offset = config->search.offset,
                                   .alpha = config->search.alpha,
                                   .factor = config->search.factor,
                                   .plus = config->search.plus,
                                   .most = config->search.most,
                                   .min_length = config->search.min_length,
                                   .at_limit = config->search.at_limit,
                                   .endings = config->search.endings,
                                   .languages = language_pair_default(config)};
}

/* The batch */

/* Returns how many rows of logits are in memory, given the most `rows` of a step. */
static int logit_rows(const struct run *run, int rows)
{
    return run->model->backend->streams ? 0 : int_min(rows, ranked_rows(run));
}

/* Returns the longest source of the jobs order[first …]. */
static const struct sentence *longest_source(const struct run *run, int first)
{
    const struct sentence *longest = run->jobs[run->order[first]].source;
    for (int i = first + 1; i < run->count; i++)
        if (run->jobs[run->order[i]].source->count > longest->count)
            longest = run->jobs[run->order[i]].source;
    return longest;
}

/* Returns the shape of a batch for the jobs order[first …]: the longest source has the longest
 * target. */
static struct buffers_shape batch_shape(const struct run *run, int first, int sentences)
{
    const struct sentence *longest = longest_source(run, first);
    int beam = run->options->beam, starts = run->model->config->start.count;
    int decoder = sentences * int_max(beam, starts);
    int wave = ENCODER_TOKENS * run->model->backend->batch;
    int encoder = int_max(longest->count, wave);
    if ((long)sentences * longest->count < encoder)
        encoder = sentences * longest->count;
    return (struct buffers_shape){.sources = sentences,
                                  .source_positions = longest->count,
                                  .lanes = sentences * beam,
                                  .positions = maximum_length(run, longest) + starts - 1,
                                  .rows = int_max(decoder, encoder),
                                  .logit_rows = logit_rows(run, decoder),
                                  .ranked_rows = sentences * beam,
                                  .beam = beam,
                                  .variants = run->variants.count};
}

/* Makes end-of-sentence every row's target: a forced end needs its log-probability. */
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

/* Returns the end of the batch that begins with `first`: all jobs, unless long sentences made the
 * batch small; then sentences of half the length get a batch of their own. */
static int batch_end(const struct run *run, int first, bool whole)
{
    int length = run->jobs[run->order[first]].source->count;
    int end = first + 1;
    while (end < run->count && (whole || run->jobs[run->order[end]].source->count > length / 2))
        end++;
    return end;
}

/* Prepares the largest batch that fits. If results depend on its size, too little memory is a
 * failure rather than a reason for a smaller one. */
static bool prepare_batch(const struct run *run, int first, int wanted, struct buffers_shape *shape,
                          struct status *status)
{
    for (int sentences = wanted;; sentences = (sentences + 1) / 2) {
        *shape = batch_shape(run, first, sentences);
        if (sentences > 1 && !buffers_fit(run->model, shape))
            continue;
        if (buffers_prepare(run->model, shape, status))
            return true;
        if (status->code != STATUS_MEMORY || sentences == 1 || !run->model->backend->exact)
            return false;
    }
}

static bool ensure_positions(const struct run *run, int first, struct status *status)
{
    const struct buffers_shape shape = batch_shape(run, first, 1);
    return positions_ensure(run->model, STACK_ENCODER, shape.source_positions, status) &&
           positions_ensure(run->model, STACK_DECODER, shape.positions, status);
}

/* If they must, existing buffers serve one sentence. Tables of positions keep their size once they
 * have grown, so they come last: a sentence that is too long leaves no trace. */
static bool prepare_run(const struct run *run, int first, int wanted, struct buffers_shape *shape,
                        struct status *status)
{
    if (prepare_batch(run, first, wanted, shape, status) && ensure_positions(run, first, status))
        return true;
    if (status->code != STATUS_MEMORY)
        return false;
    buffers_drop(run->model);
    const int again = run->model->backend->exact ? 1 : wanted;
    if (prepare_batch(run, first, again, shape, status) && ensure_positions(run, first, status))
        return true;
    if (again > 1 && status->code == STATUS_MEMORY)
        return status_prefix(status,
                             "a batch of %d sources of up to %d tokens with beam %d (set a smaller "
                             "batch)",
                             shape->sources, longest_source(run, first)->count, run->options->beam);
    return status_prefix(status, "a source of %d tokens with beam %d",
                         longest_source(run, first)->count, run->options->beam);
}

/* Puts the length penalties, for a search that compares hypotheses by them on the device. */
static bool put_penalty(const struct run *run, struct status *status)
{
    const struct search_state *state = &run->model->buffers->state;
    const size_t bytes = ((size_t)state->positions + 1) * sizeof(float);
    if (!endings_compared(run->options->endings))
        return true;
    float *penalty = memory_new(state->positions + 1, sizeof *penalty, status);
    if (!penalty)
        return false;
    for (int length = 1; length <= state->positions; length++)
        penalty[length] = (float)search_penalty(run->options, length);
    run->model->backend->put(run->model->device, state->penalty, penalty, bytes);
    free(penalty);
    return true;
}

/* Recorded steps follow the rules they were recorded with, so new rules need new recordings. */
static void put_rules(const struct run *run)
{
    struct buffers *b = run->model->buffers;
    const struct search_options *options = run->options;
    if (b->state.min_length == options->min_length && b->state.endings == options->endings &&
        b->state.at_limit == options->at_limit)
        return;
    b->state.at_limit = options->at_limit;
    b->state.min_length = options->min_length;
    b->state.endings = options->endings;
    buffers_renew(b);
}

static bool open_batch(struct run *run, struct status *status)
{
    int first = run->entered, left = run->count - first;
    int wanted = int_min(run->options->batch, left);
    struct buffers_shape shape;
    if (!prepare_run(run, first, wanted, &shape, status))
        return false;
    run->sentences = shape.sources;
    put_rules(run);
    if (!put_penalty(run, status))
        return false;
    finished_free(&run->finished); // another batch has another layout
    run->last = batch_end(run, first, run->sentences == wanted);
    run->live = run->gone = 0;
    for (int s = 0; s < run->sentences; s++) {
        run->place[s] = -1;
        run->is_gone[s] = false;
    }
    return buffers_put_head_settings(run->model, run->variants.head_settings, run->variants.count,
                                     status) &&
           put_ends(run, shape.ranked_rows);
}

/* Leaving */

static bool tell(const struct run *run, int job)
{
    if (!run->listener || run->listener->finished(run->listener->context, job))
        return true;
    return status_fail(run->status, STATUS_CANCELLED, "stopped");
}

/* Reads the flags of the earliest step whose flags have not been read. */
static bool read_done(struct run *run)
{
    struct model *model = run->model;
    run->read++;
    return model->backend->answer(model->device, run->done,
                                  (size_t)run->sentences * sizeof *run->done) ||
           (model->backend->check(model->device, run->status) &&
            status_fail(run->status, STATUS_DEVICE, "a step of the search went wrong"));
}

/* True if the sentence in a place was finished when step `read` ended. The device may be ahead
 * and already report the next step. A report about a place whose sentence entered later does not
 * count. */
static bool is_finished(const struct run *run, int s)
{
    const int64_t first = run->model->backend->records ? 0 : 1; // the step made when it entered
    const int64_t taken = run->read - run->since[s] + 1;
    return taken > 0 && run->done[s] > 0 && run->done[s] <= taken + first;
}

/* Finished sentences take no part in what follows. */
static void take_out(struct run *run)
{
    for (int s = 0; s < run->sentences; s++) {
        if (run->place[s] < 0 || run->is_gone[s] || !is_finished(run, s))
            continue;
        run->is_gone[s] = true;
        run->gone++;
        run->live--;
        run->rows_changed = true;
    }
}

/* Reads the results of all finished sentences and frees their places. */
static bool read_results(struct run *run)
{
    if (run->gone && !read_finished(run))
        return false;
    for (int s = 0; s < run->sentences; s++) {
        int job = run->place[s];
        if (!run->is_gone[s])
            continue;
        if (!read_result(run, s, &run->jobs[job].result))
            return false;
        run->is_gone[s] = false;
        run->place[s] = -1;
        run->gone--;
        if (!tell(run, job))
            return false;
    }
    return true;
}

/* If reading waits for all of the device's work, results are read for several sentences at once.
 * Until then their places stay empty, as they would until others enter. */
static bool leave(struct run *run)
{
    if (!read_done(run) || !tell(run, -1))
        return false;
    take_out(run);
    int together = run->model->backend->records ? (run->sentences + 3) / 4 : 1;
    return (run->live && run->gone < together) || read_results(run);
}

static bool begin_step(struct run *run)
{
    struct model *model = run->model;
    if (run->rows_changed && !put_live_rows(run))
        return false;
    decoding_step(run);
    model->backend->ask(model->device, model->buffers->state.done,
                        (size_t)run->sentences * sizeof *run->done);
    run->steps++;
    return true;
}

/* A device that works on its own gets the next step before the last one's flags are read, so that
 * it never waits for the host. A finished sentence takes part in one more step, which does not
 * change it. */
static bool run_steps(struct run *run)
{
    const int ahead = run->model->backend->records ? 1 : 0;
    while (run->live || run->entered < run->last) {
        if (!enter(run) || !begin_step(run))
            return false;
        if (run->steps - run->read > ahead && !leave(run))
            return false;
    }
    return true;
}

/* Runs the jobs that the batch was made for. */
static bool run_batch(struct run *run)
{
    bool ok = run_steps(run);
    struct status unused;
    for (; run->read < run->steps; run->read++) // of steps that are no longer needed
        run->model->backend->answer(run->model->device, run->done,
                                    (size_t)run->sentences * sizeof *run->done);
    return run->model->backend->check(run->model->device, ok ? run->status : &unused) && ok;
}

/* The whole */

struct ranked {
    int job, turn, length;
};

/* The longest come first within a turn, so that sentences computed side by side are alike. */
static int by_turn(const void *a, const void *b)
{
    const struct ranked *left = a, *right = b;
    if (left->turn != right->turn)
        return left->turn < right->turn ? -1 : 1;
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
        ranked[i] = (struct ranked){i, run->jobs[i].turn, run->jobs[i].source->count};
    qsort(ranked, run->count, sizeof *ranked, by_turn);
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
        run->variant[i] = variants_number(&run->variants, run->jobs[i].head_settings, status);
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
    run.is_gone = memory_new(options->batch, sizeof *run.is_gone, status);
    run.since = memory_new(options->batch, sizeof *run.since, status);
    run.done = memory_new(options->batch, sizeof *run.done, status);
    bool ok = run.order && run.variant && run.place && run.is_gone && run.since && run.done &&
              run_jobs(&run, status);
    free(run.order);
    free(run.variant);
    free(run.place);
    free(run.is_gone);
    free(run.since);
    free(run.done);
    finished_free(&run.finished);
    variants_free(&run.variants);
    return ok;
}
