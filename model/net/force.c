#include "model/net/force.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "model/net/group.h"
#include "model/net/observer.h"

/* Tokens of a group's targets, or sources, for every sentence that the device likes to have at
 * once. */
enum { SCORE_TOKENS = 32, SCORE_SLOTS = 1024 };

enum { LOGIT_ROWS = 256 }; // at once, unless the device likes more

bool group_check(const struct model *model, const struct sentence *source, int count,
                 struct status *status)
{
    int most = model->config->max_positions;
    if (source->count > most)
        return status_fail(status, STATUS_INVALID,
                           "source: %d tokens, expected at most %d (max_positions)", source->count,
                           most);
    /* Without end-of-sentence, which the decoder never reads. */
    if (decoder_inputs(model, count) > most)
        return status_fail(status, STATUS_INVALID,
                           "target: %d tokens with start tokens, expected at most %d "
                           "(max_positions)",
                           decoder_inputs(model, count), most);
    return true;
}

static void add_branch(struct job_group *group, int job)
{
    struct branch *branch = &group->branches[job];
    int positions = decoder_inputs(group->model, group->jobs[job].count);
    *branch = branch_find(group->jobs, group->first, job, group->model->config->start.count);
    branch->first_row = group->rows;
    group->rows += branch->rows;
    group->forks += branch->parent >= 0;
    if (positions > group->longest)
        group->longest = positions;
}

bool group_add(struct job_group *group, int job, struct status *status)
{
    const struct score_job *added = &group->jobs[job];
    int variant = variants_number(&group->variants, added->head_settings, status);
    if (variant < 0)
        return false;
    struct encoder_input *last = group->sources ? &group->inputs[group->sources - 1] : NULL;
    if (!last || last->sentence != added->source || last->variant != variant) {
        group->inputs[group->sources] =
            (struct encoder_input){added->source, group->sources, variant, added->head_settings};
        group->sources++;
        group->source_rows += added->source->count;
        if (added->source->count > group->source_longest)
            group->source_longest = added->source->count;
        group->first = job;
    }
    group->source[job] = group->sources - 1;
    group->variant[job] = variant;
    add_branch(group, job);
    return true;
}

static struct buffers_shape group_shape(const struct job_group *group, size_t captured)
{
    int rows = int_max(group->rows, group->source_rows);
    int likes = group->model->backend->logit_rows;
    int most = int_max(likes, LOGIT_ROWS);
    int logit_rows = int_min(rows, most);
    return (struct buffers_shape){.sources = group->sources,
                                  .source_positions = group->source_longest,
                                  .lanes = group->count,
                                  .positions = group->longest,
                                  .rows = rows,
                                  .logit_rows = logit_rows,
                                  .ranked_rows = logit_rows,
                                  .variants = group->variants.count,
                                  .captured = captured};
}

bool group_run(struct job_group *group, struct observer *observer, size_t captured,
               const struct answers *answers, struct status *status)
{
    struct model *model = group->model;
    struct buffers_shape shape = group_shape(group, captured);
    group->too_many = group->count > 1 && !buffers_fit(model, &shape);
    if (group->too_many)
        return status_fail(status, STATUS_MEMORY, "%d pairs are too many at once", group->count);
    if (!buffers_prepare(model, &shape, status) ||
        !buffers_put_head_settings(model, group->variants.head_settings, group->variants.count,
                                   status) ||
        !positions_ensure(model, STACK_ENCODER, group->source_longest, status) ||
        !positions_ensure(model, STACK_DECODER, group->longest, status) ||
        !encode(model, group->inputs, group->sources, group->source_rows, observer, status))
        return false;
    const struct capture *capture = observer ? observer->capture : NULL;
    if (capture && capture->encoder_output)
        model->backend->get(model->device, capture->encoder_output, model->buffers->normed,
                            (size_t)group->source_rows * model->config->d_model * sizeof(float));
    if (!decode_group(group, observer, answers, status))
        return false;
    return model->backend->check(model->device, status) && !(observer && observer->failed);
}

bool group_open(struct job_group *group, struct model *model, const struct score_job *jobs,
                int most, struct status *status)
{
    *group = (struct job_group){.model = model, .jobs = jobs};
    group->source = memory_new(most, sizeof *group->source, status);
    group->variant = memory_new(most, sizeof *group->variant, status);
    group->inputs = memory_new(most, sizeof *group->inputs, status);
    group->branches = memory_new(most, sizeof *group->branches, status);
    return group->source && group->variant && group->inputs && group->branches;
}

void group_close(struct job_group *group)
{
    free(group->source);
    free(group->variant);
    free(group->inputs);
    free(group->branches);
    variants_free(&group->variants);
}

/* NaN anywhere in a model reaches its log-probabilities. */
static bool check_logprobs(const float *logprobs, int count, struct status *status)
{
    for (int t = 0; t < count; t++)
        if (!isfinite(logprobs[t]))
            return status_fail(status, STATUS_INVALID,
                               "no score: the model's log-probabilities are not finite");
    return true;
}

static bool keep_answers(const struct job_group *group, struct score_job *jobs,
                         const struct answers *answers, struct status *status)
{
    int starts = group->model->config->start.count;
    for (int job = 0; job < group->count; job++) {
        for (int t = 0; t < jobs[job].count; t++) {
            int branch = job, row = branch_row(group->branches, &branch, t, starts);
            jobs[job].logprobs[t] = row < 0 ? answers->forks[branch] : answers->rows[row];
        }
        if (!check_logprobs(jobs[job].logprobs, jobs[job].count, status))
            return false;
    }
    return true;
}

/* *divide: it failed, and fewer at once may succeed, with the same results or because these are
 * more than may be. */
static bool score_group(struct model *model, struct score_job *jobs, int count, bool *divide,
                        struct status *status)
{
    struct job_group group;
    struct answers answers = {NULL, NULL};
    bool ok = group_open(&group, model, jobs, count, status);
    for (int job = 0; ok && job < count; job++, group.count++)
        ok = group_add(&group, job, status);
    if (ok) {
        answers.rows = memory_new(group.rows, sizeof *answers.rows, status);
        answers.forks = memory_new(count, sizeof *answers.forks, status);
    }
    ok = answers.rows && answers.forks && group_run(&group, NULL, 0, &answers, status) &&
         keep_answers(&group, jobs, &answers, status);
    *divide = !ok && count > 1 && status->code == STATUS_MEMORY &&
              (model->backend->exact || group.too_many);
    free(answers.rows);
    free(answers.forks);
    group_close(&group);
    return ok;
}

/* The size of a group as it grows. Every lane, and every source's place, has the length of the
 * longest, so one long pair among many short ones ends a group as well. */
struct extent {
    int rows, longest; // of the decoder, or of all sources
    int count;         // lanes, or sources
};

static bool extend(struct extent *extent, int rows, int length, int batch)
{
    extent->rows += rows;
    extent->longest = int_max(length, extent->longest);
    extent->count++;
    return extent->rows <= SCORE_TOKENS * batch &&
           (int64_t)extent->count * extent->longest <= (int64_t)SCORE_SLOTS * batch;
}

/* Returns how many of the jobs go together: `batch`, fewer when they are long, at least one. */
static int group_count(const struct model *model, const struct score_job *jobs, int count,
                       int batch)
{
    struct extent targets = {0}, sources = {0};
    int likes = model->backend->batch, taken = 0, first = 0;
    for (; taken < count && taken < batch; taken++) {
        const struct score_job *job = &jobs[taken];
        bool known = taken > 0 && job->source == job[-1].source &&
                     job->head_settings == job[-1].head_settings;
        first = known ? first : taken;
        int rows = branch_find(jobs, first, taken, model->config->start.count).rows;
        bool fits = extend(&targets, rows, decoder_inputs(model, job->count), likes);
        fits = (known || extend(&sources, job->source->count, job->source->count, likes)) && fits;
        if (!fits && taken > 0)
            break;
    }
    return taken;
}

bool score_run(struct model *model, struct score_job *jobs, int count, int batch,
               struct status *status)
{
    for (int i = 0; i < count; i++)
        if (!group_check(model, jobs[i].source, jobs[i].count, status))
            return count > 1 ? status_prefix(status, "pair %d", i + 1) : false;
    for (int done = 0; done < count;) {
        int taken = group_count(model, jobs + done, count - done, batch);
        bool divide;
        while (!score_group(model, jobs + done, taken, &divide, status)) {
            if (!divide && taken > 1 && status->code == STATUS_MEMORY)
                return status_prefix(status, "%d pairs at once (set a smaller batch)", taken);
            if (!divide)
                return count > 1 && status->code == STATUS_MEMORY
                           ? status_prefix(status, "pair %d", done + 1)
                           : false;
            taken = (taken + 1) / 2;
        }
        done += taken;
    }
    return true;
}

/* Floats of the module with most to keep at once: its wanted heads of one layer. */
static size_t captured_floats(const struct model *model, const struct capture_request *request,
                              size_t n, size_t m)
{
    size_t most = 0;
    for (int module = 0; module < MODULE_COUNT; module++) {
        int heads = module_heads(model->config, module);
        size_t size = module == MODULE_ENCODER ? n * n : module == MODULE_DECODER ? m * m : m * n;
        for (int layer = 0;
             request->weights[module] && layer < module_layers(model->config, module); layer++) {
            size_t wanted = 0;
            for (int h = 0; h < heads; h++)
                wanted += request->weights[module][layer * heads + h];
            if (wanted * size > most)
                most = wanted * size;
        }
    }
    return most;
}

static bool capture_open(const struct model *model, const struct capture_request *request,
                         struct capture *capture, struct status *status)
{
    size_t d = model->config->d_model, m = capture->target_rows, n = capture->source_count;
    size_t vocabulary = vocabulary_size(model->checkpoint->vocabulary[SIDE_TARGET]);
    bool ok = true;
    for (int module = 0; ok && module < MODULE_COUNT; module++) {
        int layers = capture->layers[module] = module_layers(model->config, module);
        capture->heads[module] = module_heads(model->config, module);
        size_t heads = (size_t)layers * capture->heads[module];
        capture->weights[module] = memory_new(heads, sizeof(float *), status);
        capture->layer_weights[module] = memory_new(layers, sizeof(float *), status);
        capture->importance[module] = memory_new(layers, sizeof(float *), status);
        capture->gates[module][SIDE_Q] = memory_new(layers, sizeof(float *), status);
        capture->gates[module][SIDE_K] = memory_new(layers, sizeof(float *), status);
        capture->sublayers[module] = memory_new(layers, sizeof(struct sublayer), status);
        capture->head_outputs[module] = memory_new(layers, sizeof(float *), status);
        ok = capture->weights[module] && capture->layer_weights[module] &&
             capture->importance[module] && capture->head_outputs[module] &&
             capture->sublayers[module] && capture->gates[module][SIDE_Q] &&
             capture->gates[module][SIDE_K];
    }
    for (int stack = 0; ok && stack < STACK_COUNT; stack++) {
        capture->stack_layers[stack] = model->config->stacks[stack].layers;
        capture->states[stack] = memory_new(capture->stack_layers[stack], sizeof(float *), status);
        ok = capture->states[stack] != NULL;
    }
    if (ok && request->encoder_output)
        ok = (capture->encoder_output = memory_new(n * d, sizeof(float), status)) != NULL;
    if (ok && request->logits)
        ok = (capture->logits = memory_new(m * vocabulary, sizeof(float), status)) != NULL;
    if (ok && request->logprobs)
        ok = (capture->logprobs = memory_new(m * vocabulary, sizeof(float), status)) != NULL;
    return ok && (capture->token_logprobs = memory_new(m, sizeof(float), status)) != NULL;
}

static void free_all(float **matrices, size_t count)
{
    for (size_t i = 0; matrices && i < count; i++)
        free(matrices[i]);
    free(matrices);
}

static void free_sublayers(struct sublayer *sublayers, size_t count)
{
    for (size_t i = 0; sublayers && i < count; i++) {
        free(sublayers[i].residual);
        free(sublayers[i].output);
        free(sublayers[i].parts);
        free(sublayers[i].plain);
        free(sublayers[i].output_gamma);
        free(sublayers[i].gamma);
        free(sublayers[i].beta);
    }
    free(sublayers);
}

/* True if some layer is marked. */
static bool any(const bool *layers, int count)
{
    for (int i = 0; layers && i < count; i++)
        if (layers[i])
            return true;
    return false;
}

bool capture_is_plain(const struct capture_request *request, const struct config *config)
{
    bool plain = !request->patch && !request->zeroed && !request->embeddings &&
                 !request->encoder_output && !request->logits && !request->logprobs;
    for (int m = 0; m < MODULE_COUNT; m++)
        plain = plain && !any(request->sublayers[m], module_layers(config, m)) &&
                !any(request->head_outputs[m], module_layers(config, m));
    for (int s = 0; s < STACK_COUNT; s++)
        plain = plain && !request->inputs[s] && !any(request->states[s], config->stacks[s].layers);
    return plain;
}

static void free_all_parts(struct capture *capture)
{
    for (int module = 0; module < MODULE_COUNT; module++) {
        size_t layers = capture->layers[module];
        free(capture->weights[module]);
        free_all(capture->layer_weights[module], layers);
        free_all(capture->importance[module], layers);
        free_all(capture->gates[module][SIDE_Q], layers);
        free_all(capture->gates[module][SIDE_K], layers);
        free_sublayers(capture->sublayers[module], layers);
        free_all(capture->head_outputs[module], layers);
    }
    for (int stack = 0; stack < STACK_COUNT; stack++) {
        free(capture->embeddings[stack]);
        free(capture->inputs[stack]);
        free_all(capture->states[stack], capture->stack_layers[stack]);
    }
    free(capture->encoder_output);
    free(capture->logits);
    free(capture->logprobs);
    free(capture->token_logprobs);
}

void capture_free(struct capture *capture)
{
    if (!capture->borrowed)
        free_all_parts(capture);
    *capture = (struct capture){0};
}

/* Σ_h G_h A_h: what the rows of a layer with DHICM read. importance: G (rows, count). */
static void weight_heads(float *const *heads, int count, const float *importance, size_t rows,
                         size_t columns, float *out)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double sum = 0;
            for (int h = 0; h < count; h++)
                sum +=
                    (double)importance[i * (size_t)count + (size_t)h] * heads[h][i * columns + j];
            out[i * columns + j] = (float)sum;
        }
}

static float merged_weight(float *const *heads, int count, bool greatest, size_t cell)
{
    float merged = heads[0][cell];
    for (int h = 1; h < count; h++) {
        float weight = heads[h][cell];
        if (greatest)
            merged = merged > weight ? merged : weight;
        else
            merged += weight;
    }
    return greatest ? merged : merged / (float)count;
}

void capture_weights(const struct capture *capture, enum module module, int layer, int head,
                     float *out)
{
    int count = capture->heads[module];
    float *const *heads = capture->weights[module] + (size_t)layer * (size_t)count;
    size_t n = (size_t)capture->source_count, m = (size_t)capture->target_rows;
    size_t rows = module == MODULE_ENCODER ? n : m, columns = module == MODULE_DECODER ? m : n;
    if (head >= 0)
        memcpy(out, heads[head], rows * columns * sizeof *out);
    else if (head == HEADS_WEIGHTED)
        weight_heads(heads, count, capture->importance[module][layer], rows, columns, out);
    else
        for (size_t i = 0; i < rows * columns; i++)
            out[i] = merged_weight(heads, count, head == HEADS_MAX, i);
}

static bool force_group(struct job_group *group, struct observer *observer, struct status *status)
{
    struct capture *out = observer->capture;
    size_t captured =
        captured_floats(group->model, observer->request, out->source_count, out->target_rows);
    struct answers answers = {.rows = memory_new(group->rows, sizeof *answers.rows, status)};
    bool ok = answers.rows && group_run(group, observer, captured, &answers, status) &&
              sublayers_finish(group->model, observer, status);
    int skipped = group->model->config->start.count - 1;
    if (ok) {
        memcpy(out->token_logprobs, answers.rows + skipped,
               group->jobs[0].count * sizeof *answers.rows);
        ok = check_logprobs(out->token_logprobs, group->jobs[0].count, status);
    }
    free(answers.rows);
    return ok;
}

bool force_run(struct model *model, const struct sentence *source, const int *target, int count,
               const struct head_settings *head_settings, const struct capture_request *request,
               struct capture *out, struct status *status)
{
    const struct score_job job = {
        .source = source, .target = target, .count = count, .head_settings = head_settings};
    struct observer observer = {.request = request, .capture = out, .status = status};
    struct job_group group;
    *out = (struct capture){0};
    if (!group_check(model, source, count, status))
        return false;
    out->source_count = source->count;
    out->target_rows = decoder_inputs(model, count);
    bool ok = group_open(&group, model, &job, 1, status) && group_add(&group, 0, status) &&
              capture_open(model, request, out, status);
    group.count = 1;
    ok = ok && force_group(&group, &observer, status);
    if (!ok)
        capture_free(out);
    group_close(&group);
    return ok;
}
