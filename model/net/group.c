/* Targets of a group: the decoder's rows, and the log-probabilities of the tokens that follow
 * them. */
#include "model/net/group.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/transformer.h"

/* The decoder rows of all jobs, with a lane for each job. Its path is straight, except for the part
 * that it shares with its parent. */
struct forced_rows {
    int32_t *columns;     // (LANE_FIELDS, rows)
    int32_t *lane, *slot; // (rows)
    int32_t *path;        // (lanes, T)
};

static void describe_job(const struct job_group *group, int job, struct forced_rows *rows)
{
    const struct config *config = group->model->config;
    const struct score_job *given = &group->jobs[job];
    const struct branch *branch = &group->branches[job];
    const struct buffers_shape *shape = &group->model->buffers->shape;
    int starts = config->start.count, begin = group->source[job] * shape->source_positions;
    int32_t *path = rows->path + (size_t)job * shape->positions;
    if (branch->own)
        memcpy(path, rows->path + (size_t)branch->parent * shape->positions,
               (size_t)branch->own * sizeof *path);
    for (int p = branch->own; p < branch->own + branch->rows; p++) {
        int m = branch->first_row + p - branch->own;
        const int32_t values[LANE_FIELDS] = {[LANE_TOKEN] =
                                                 p < starts ? start_token(config, p, given->source)
                                                            : given->target[p - starts],
                                             [LANE_POS] = p,
                                             [LANE_BEGIN] = begin,
                                             [LANE_END] = begin + given->source->count,
                                             [LANE_VARIANT] = group->variant[job]};
        for (int f = 0; f < LANE_FIELDS; f++)
            rows->columns[f * group->rows + m] = values[f];
        rows->lane[m] = job;
        path[p] = rows->slot[m] = job * shape->positions + p;
    }
}

static bool put_rows(const struct job_group *group, struct status *status)
{
    struct model *model = group->model;
    struct buffers *b = model->buffers;
    size_t rows = group->rows, slots = (size_t)group->count * b->shape.positions;
    int32_t *all = memory_new((LANE_FIELDS + 2) * rows + slots, sizeof *all, status);
    if (!all)
        return false;
    struct forced_rows described = {.columns = all,
                                    .lane = all + LANE_FIELDS * rows,
                                    .slot = all + (LANE_FIELDS + 1) * rows,
                                    .path = all + (LANE_FIELDS + 2) * rows};
    for (int job = 0; job < group->count; job++)
        describe_job(group, job, &described);
    const struct backend *backend = model->backend;
    backend->put(model->device, b->columns, described.columns, LANE_FIELDS * rows * sizeof *all);
    backend->put(model->device, b->row_lane, described.lane, rows * sizeof *all);
    backend->put(model->device, b->slot, described.slot, rows * sizeof *all);
    backend->put(model->device, b->state.path, described.path, slots * sizeof *all);
    free(all);
    return true;
}

/* Log-probabilities ---------------------------------------------------------------------------- */

/* A row that is followed by another token, besides that of its own branch. */
struct fork {
    int row, target, job;
};

/* The results requested for the rows. */
struct asked {
    int32_t *target;    // (rows) the token whose log-probability is wanted, -1: none
    struct fork *forks; // (count) scratch: targets of forks that are computed together
    int32_t *batch;     // (count) scratch: targets of forks that go together
    float *answers;     // (count) scratch: their answers
    int count;
};

static void ask_job(const struct job_group *group, int job, struct asked *asked)
{
    const struct score_job *given = &group->jobs[job];
    const struct branch *branch = &group->branches[job];
    int starts = group->model->config->start.count;
    for (int i = 0; i < branch->rows; i++) {
        int t = branch->own + i + 1 - starts;
        asked->target[branch->first_row + i] = t < 0 ? -1 : given->target[t];
    }
    int row = branch_fork(group->branches, group->jobs, job, starts);
    if (row >= 0)
        asked->forks[asked->count++] = (struct fork){row, given->target[branch->common], job};
}

static void asked_close(struct asked *asked)
{
    free(asked->target);
    free(asked->forks);
    free(asked->batch);
    free(asked->answers);
}

static bool asked_open(const struct job_group *group, struct asked *asked, struct status *status)
{
    *asked = (struct asked){.target = memory_new(group->rows, sizeof *asked->target, status),
                            .forks = memory_new(group->forks, sizeof *asked->forks, status),
                            .batch = memory_new(group->forks, sizeof *asked->batch, status),
                            .answers = memory_new(group->forks, sizeof *asked->answers, status)};
    if (!asked->target || !asked->forks || !asked->batch || !asked->answers) {
        asked_close(asked);
        return false;
    }
    for (int job = 0; job < group->count; job++)
        ask_job(group, job, asked);
    return true;
}

static struct logprob_args logprob_of(const struct model *model, int row, int place, int rows)
{
    const struct buffers *b = model->buffers;
    size_t vocabulary = vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]);
    return (struct logprob_args){
        .logits = tensor_at(b->logits, (size_t)row * vocabulary * sizeof(float)),
        .target = tensor_at(b->target, (size_t)place * sizeof(int32_t)),
        .target_lp = tensor_at(b->target_lp, (size_t)place * sizeof(float)),
        .rows = rows,
        .vocabulary = (int)vocabulary};
}

/* Answers the forks among rows first … first+rows-1, whose logits are computed; as many at a time
 * as fit into the memory for targets. */
static void answer_forks(struct model *model, const struct asked *asked, int first, int rows,
                         float *out)
{
    const struct backend *backend = model->backend;
    struct buffers *b = model->buffers;
    int room = b->shape.ranked_rows;
    for (int next = 0; next < asked->count;) {
        int count = 0, begin = next;
        for (; next < asked->count && count < room; next++)
            if (asked->forks[next].row >= first && asked->forks[next].row < first + rows)
                asked->batch[count++] = asked->forks[next].target;
        if (count == 0)
            return;
        backend->put(model->device, b->target, asked->batch, count * sizeof *asked->batch);
        int place = 0;
        for (int f = begin; f < next; f++) {
            int row = asked->forks[f].row - first;
            if (row < 0 || row >= rows)
                continue;
            struct logprob_args args = logprob_of(model, row, place++, 1);
            backend->logprob(model->device, &args);
        }
        backend->get(model->device, asked->answers, b->target_lp, count * sizeof *asked->answers);
        for (int f = begin, i = 0; f < next; f++)
            if (asked->forks[f].row >= first && asked->forks[f].row < first + rows)
                out[asked->forks[f].job] = asked->answers[i++];
    }
}

static void fetch_rows(struct model *model, float *out, int row, int rows)
{
    size_t vocabulary = vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]);
    if (out)
        model->backend->get(model->device, out + row * vocabulary, model->buffers->logits,
                            rows * vocabulary * sizeof *out);
}

/* Computes the log-probabilities of the rows' own targets, and everything that needs their logits.
 * For that the logits are computed first, because they are not stored otherwise. */
static void answer_rows(const struct job_group *group, const struct asked *asked, int row, int rows,
                        const struct answers *answers, const struct capture *capture)
{
    struct model *model = group->model;
    struct buffers *b = model->buffers;
    size_t at = (size_t)row * (size_t)model->config->d_model * sizeof(float);
    const struct linear_args product = logits_product(model, tensor_at(b->normed, at), rows);
    struct logprob_args args = logprob_of(model, 0, 0, rows);
    if (asked->count || (capture && capture->logits)) {
        model->backend->linear(model->device, &product, 1);
        fetch_rows(model, capture ? capture->logits : NULL, row, rows);
        answer_forks(model, asked, row, rows, answers->forks);
    } else {
        args.product = product;
    }
    if (capture && capture->logprobs)
        args.all = b->logits;
    model->backend->put(model->device, b->target, asked->target + row,
                        (size_t)rows * sizeof *asked->target);
    model->backend->logprob(model->device, &args);
    model->backend->get(model->device, answers->rows + row, b->target_lp,
                        (size_t)rows * sizeof *answers->rows);
    fetch_rows(model, capture ? capture->logprobs : NULL, row, rows);
}

static void finish_rows(const struct job_group *group, const struct asked *asked,
                        const struct answers *answers, const struct capture *capture)
{
    int chunk = group->model->buffers->shape.logit_rows;
    for (int row = 0; row < group->rows; row += chunk) {
        int rows = group->rows - row < chunk ? group->rows - row : chunk;
        answer_rows(group, asked, row, rows, answers, capture);
    }
}

bool decode_group(const struct job_group *group, struct observer *observer,
                  const struct answers *answers, struct status *status)
{
    struct asked asked;
    if (!put_rows(group, status))
        return false;
    if (!answers) {
        decode(group->model, group->rows, observer);
        return true;
    }
    if (!asked_open(group, &asked, status))
        return false;
    decode(group->model, group->rows, observer);
    finish_rows(group, &asked, answers, observer ? observer->capture : NULL);
    asked_close(&asked);
    return true;
}
