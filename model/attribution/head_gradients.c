#include "model/attribution/head_gradients.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/force.h"
#include "model/text/quote.h"

/* The data that the sentences share: settings with one gain changed, down and up for each head,
 * and the scores of a sentence under them. */
struct work {
    const struct state *state;
    struct head_gradients *out;
    struct head_settings **settings;      // (2 * count)
    struct score_job *jobs;               // likewise
    double *sums, *sizes;                 // (count): of derivatives, of their sizes
    double *slopes;                       // (count): derivatives of a sentence
    const struct gradient_memory *memory; // NULL: none
};

static struct head_settings *with_gain(const struct work *work, const struct head_gradient *head,
                                       float step, struct status *status)
{
    struct head_settings *settings = head_settings_copy(work->state->head_settings, status);
    if (settings)
        *head_settings_gain(settings, head->module, head->layer, head->head) += step;
    return settings;
}

static bool work_open(struct work *work, struct status *status)
{
    size_t count = (size_t)work->out->count;
    work->settings = memory_new(2 * count, sizeof *work->settings, status);
    work->jobs = memory_new(2 * count, sizeof *work->jobs, status);
    work->sums = memory_new(count, sizeof *work->sums, status);
    work->sizes = memory_new(count, sizeof *work->sizes, status);
    work->slopes = memory_new(count, sizeof *work->slopes, status);
    bool ok = work->settings && work->jobs && work->sums && work->sizes && work->slopes;
    for (size_t i = 0; ok && i < 2 * count; i++) {
        float step = i % 2 ? GRADIENT_STEP : -GRADIENT_STEP;
        work->settings[i] = with_gain(work, &work->out->heads[i / 2], step, status);
        ok = work->settings[i] != NULL;
    }
    return ok;
}

static void work_close(struct work *work)
{
    for (int i = 0; work->settings && i < 2 * work->out->count; i++)
        head_settings_free(work->settings[i]);
    free(work->settings);
    free(work->jobs);
    free(work->sums);
    free(work->sizes);
    free(work->slopes);
}

/* Sentences ---------------------------------------------------------------------------------------- */

static double score_of(const struct score_job *job)
{
    double sum = 0;
    for (int t = 0; t < job->count; t++)
        sum += job->logprobs[t];
    return sum;
}

/* Scores one pair under all settings: those that change late layers alone share the encoder layers below. */
static bool score_pair(struct work *work, const struct sentence *source, const int *target,
                       int count, const struct watch *watch, struct status *status)
{
    int jobs = 2 * work->out->count;
    float *logprobs = memory_new((size_t)jobs * (size_t)count, sizeof *logprobs, status);
    for (int i = 0; logprobs && i < jobs; i++)
        work->jobs[i] = (struct score_job){.source = source,
                                           .target = target,
                                           .count = count,
                                           .head_settings = work->settings[i],
                                           .logprobs = logprobs + (size_t)i * (size_t)count};
    bool ok = logprobs && score_run(work->state->model, work->jobs, jobs, jobs, status);
    struct status stop; // results after a stop mean nothing, and a failure is the stop's
    if (!watch_ask(watch, &stop)) {
        *status = stop;
        ok = false;
    }
    for (int i = 0; ok && i < work->out->count; i++)
        work->slopes[i] =
            (score_of(&work->jobs[2 * i + 1]) - score_of(&work->jobs[2 * i])) / (2 * GRADIENT_STEP);
    free(logprobs);
    return ok;
}

static bool compute_line(struct work *work, const char *source, const char *target,
                         const struct watch *watch, struct status *status)
{
    const struct checkpoint *checkpoint = model_checkpoint(work->state->model);
    struct sentence sentence = {.count = 0};
    int *ids;
    if (!source_encode(checkpoint, &work->state->search.languages, source, &sentence, status))
        return false;
    int count = given_encode(checkpoint, target, &ids, status);
    bool ok = count >= 0 && score_pair(work, &sentence, ids, count, watch, status);
    if (count >= 0)
        free(ids);
    sentence_free(&sentence);
    return ok;
}

static bool take_line(struct work *work, int line, const char *source, const char *target,
                      const struct watch *watch, struct status *status)
{
    const struct gradient_memory *memory = work->memory;
    const int count = work->out->count;
    if (line_blank(source))
        return true;
    bool found = memory && memory->find && memory->find(memory->context, line, work->slopes, count);
    if (!found && (!compute_line(work, source, target, watch, status) ||
                   (memory && memory->keep &&
                    !memory->keep(memory->context, line, work->slopes, count, status))))
        return false;
    for (int i = 0; i < count; i++) {
        work->sums[i] += work->slopes[i];
        work->sizes[i] += fabs(work->slopes[i]);
    }
    work->out->taken++;
    return true;
}

static bool take_lines(struct work *work, const char *path, const struct lines *sources,
                       const struct lines *targets, const struct watch *watch,
                       struct status *status)
{
    struct head_gradients *out = work->out;
    struct work_progress progress = {
        .what = "computing gradients", .total = sources->count, .unit = "sentences"};
    const int first = work->memory ? work->memory->first : 0;
    const int end = work->memory ? work->memory->end : sources->count;
    bool ok = true;
    while (ok && first + out->sentences < end) {
        int line = first + out->sentences;
        ok = take_line(work, line, sources->text[line], targets->text[line], watch, status);
        if (!ok && status->code != STATUS_CANCELLED)
            status_prefix(status, "%s:%d", QUOTED_PATH(path), lines_number(sources, line));
        progress.done = (double)(progress.count = out->sentences += ok);
        ok = ok && watch_report(watch, &progress, status);
    }
    watch_fail(watch, progress.what, progress.total); // the end, in either case
    return ok && (out->taken > 0 || end - first < sources->count ||
                  status_fail(status, STATUS_INVALID, "%s: blank lines alone, expected a sentence",
                              QUOTED_PATH(path)));
}

/* Results ------------------------------------------------------------------------------------------ */

static void normalize(struct head_gradients *out)
{
    for (int i = 0; i < out->count; i++) {
        struct head_gradient *one = &out->heads[i];
        double square = 0;
        for (int k = 0; k < out->count; k++)
            if (out->heads[k].module == one->module && out->heads[k].layer == one->layer)
                square += out->heads[k].importance * out->heads[k].importance;
        one->normalized = square > 0 ? one->importance / sqrt(square) : 0;
    }
}

static void finish(const struct work *work)
{
    struct head_gradients *out = work->out;
    for (int i = 0; out->taken && i < out->count; i++) {
        out->heads[i].importance = work->sizes[i] / out->taken;
        out->heads[i].mean = work->sums[i] / out->taken;
    }
    normalize(out);
}

bool head_gradients_run(const struct state *state, const char *path, const struct lines *sources,
                        const struct lines *targets, const struct gradient_memory *memory,
                        const struct watch *watch, struct head_gradients *gradients,
                        struct status *status)
{
    struct work work = {.state = state, .out = gradients, .memory = memory};
    gradients->lines = sources->count;
    gradients->sentences = gradients->taken = 0;
    bool ok = work_open(&work, status) && take_lines(&work, path, sources, targets, watch, status);
    if (work.sizes)
        finish(&work);
    work_close(&work);
    return ok;
}

void head_gradients_free(struct head_gradients *gradients)
{
    free(gradients->heads);
    *gradients = (struct head_gradients){.count = 0};
}
