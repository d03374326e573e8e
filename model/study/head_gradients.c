#include "model/study/head_gradients.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/net/backward/gradient.h"
#include "model/study/walk.h"

/* What the sentences share. For central differences: settings with one gain changed, down and up
 * for each head, and a sentence's scores under them. */
struct work {
    const struct state *state;
    struct head_gradients *out;
    bool differences;
    struct head_settings **settings; // (2 * count), for differences
    struct score_job *jobs;          // likewise
    double *sums, *sizes;            // (count): of derivatives, of their absolute values
};

static struct head_settings *with_gain(const struct work *work, const struct head_gradient *head,
                                       float step, struct status *status)
{
    struct head_settings *settings = head_settings_copy(work->state->head_settings, status);
    if (settings)
        *head_settings_gain(settings, head->module, head->layer, head->head) += step;
    return settings;
}

static bool open_differences(struct work *work, struct status *status)
{
    size_t count = (size_t)work->out->count;
    work->settings = memory_new(2 * count, sizeof *work->settings, status);
    work->jobs = memory_new(2 * count, sizeof *work->jobs, status);
    bool ok = work->settings && work->jobs;
    for (size_t i = 0; ok && i < 2 * count; i++) {
        float step = i % 2 ? GRADIENT_STEP : -GRADIENT_STEP;
        work->settings[i] = with_gain(work, &work->out->heads[i / 2], step, status);
        ok = work->settings[i] != NULL;
    }
    return ok;
}

static bool work_open(struct work *work, struct status *status)
{
    size_t count = (size_t)work->out->count;
    work->differences = work->out->differences || model_is_integer(work->state->model);
    work->sums = memory_new(count, sizeof *work->sums, status);
    work->sizes = memory_new(count, sizeof *work->sizes, status);
    return work->sums && work->sizes && (!work->differences || open_differences(work, status));
}

static void work_close(struct work *work)
{
    for (int i = 0; work->settings && i < 2 * work->out->count; i++)
        head_settings_free(work->settings[i]);
    free(work->settings);
    free(work->jobs);
    free(work->sums);
    free(work->sizes);
}

/* Sentences ------------------------------------------------------------------------------------ */

static double score_of(const struct score_job *job)
{
    double sum = 0;
    for (int t = 0; t < job->count; t++)
        sum += job->logprobs[t];
    return sum;
}

/* Scores a sentence under all settings. Those that change only late layers share the encoder layers
 * below. */
static bool measure_differences(struct work *work, const struct walk_sentence *sentence,
                                double *slopes, struct status *status)
{
    const int jobs = 2 * work->out->count, count = sentence->count;
    float *logprobs = memory_new((size_t)jobs * (size_t)count, sizeof *logprobs, status);
    for (int i = 0; logprobs && i < jobs; i++)
        work->jobs[i] = (struct score_job){.source = &sentence->source,
                                           .target = sentence->ids,
                                           .count = count,
                                           .head_settings = work->settings[i],
                                           .logprobs = logprobs + (size_t)i * (size_t)count};
    const bool ok = logprobs && score_run(work->state->model, work->jobs, jobs, jobs, status);
    for (int i = 0; ok && i < work->out->count; i++)
        slopes[i] =
            (score_of(&work->jobs[2 * i + 1]) - score_of(&work->jobs[2 * i])) / (2 * GRADIENT_STEP);
    free(logprobs);
    return ok;
}

static double slope_of(const struct gradients *gradients, const struct head_gradient *head)
{
    const double *gains = gradients->gains[head->module];
    return gains ? gains[head->layer * gradients->heads[head->module] + head->head] : 0;
}

static bool measure_backwards(struct work *work, const struct walk_sentence *sentence,
                              double *slopes, struct status *status)
{
    const int count = sentence->count;
    struct gradient_term *terms = memory_new((size_t)count, sizeof *terms, status);
    struct gradients gradients;
    for (int t = 0; terms && t < count; t++)
        terms[t] = (struct gradient_term){t, sentence->ids[t], 1};
    const struct gradient_request request = {.terms = terms, .count = count, .gains = true};
    const bool ok =
        terms && gradient_run(work->state->model, &sentence->source, sentence->ids, count,
                              work->state->head_settings, &request, &gradients, status);
    for (int i = 0; ok && i < work->out->count; i++)
        slopes[i] = slope_of(&gradients, &work->out->heads[i]);
    if (ok)
        gradients_free(&gradients);
    free(terms);
    return ok;
}

static bool measure(void *of, const struct walk_sentence *sentence, struct record *out,
                    struct status *status)
{
    struct work *work = of;
    double *slopes = memory_new((size_t)work->out->count, sizeof *slopes, status);
    bool ok = slopes && (work->differences ? measure_differences(work, sentence, slopes, status)
                                           : measure_backwards(work, sentence, slopes, status));
    struct status stop; // after a stop, results are meaningless and a failure is only the stop
    if (!watch_ask(sentence->watch, &stop)) {
        *status = stop;
        ok = false;
    }
    for (int i = 0; ok && i < work->out->count; i++)
        ok = record_put(out, slopes[i], status);
    free(slopes);
    return ok;
}

static void identify(const void *of, struct identity *identity)
{
    const struct head_gradients *gradients = ((const struct work *)of)->out;
    identity_text(identity, ((const struct work *)of)->differences ? "differences" : "backwards");
    for (int i = 0; i < gradients->count; i++) {
        identity_number(identity, gradients->heads[i].module);
        identity_number(identity, gradients->heads[i].layer);
        identity_number(identity, gradients->heads[i].head);
    }
}

/* Declares the slope of each head. */
static bool declare(const void *of, const struct walk_sentence *sentence,
                    struct record_shape *shape, struct status *status)
{
    const struct work *work = of;
    (void)sentence;
    return record_shape_add(
        shape,
        (struct record_field){
            .rows = RECORD_ONE, .width = work->out->count, .least = -1e30, .most = 1e30},
        status);
}

static bool add(void *of, const struct walk_sentence *sentence, const struct record_shape *shape,
                const struct record *record, struct status *status)
{
    struct work *work = of;
    int rows;
    const double *slopes = record_numbers(shape, record, 0, &rows);
    (void)sentence;
    (void)status;
    for (int i = 0; i < work->out->count; i++) {
        work->sums[i] += slopes[i];
        work->sizes[i] += fabs(slopes[i]);
    }
    return true;
}

/* Results -------------------------------------------------------------------------------------- */

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

bool head_gradients_run(const struct study_context *context, const char *path,
                        const struct lines *sources, const struct lines *targets,
                        struct head_gradients *gradients, struct status *status)
{
    static const struct study functions = {identify, declare, measure, add};
    struct work work = {.state = &context->state, .out = gradients};
    struct study_walk walk = {.path = path,
                              .read = {sources, targets},
                              .kind = "computing gradients",
                              .done = "done",
                              .study = &functions,
                              .of = &work};
    const bool ok = work_open(&work, status) && study_walk(context, &walk, status);
    gradients->lines = sources->count;
    gradients->sentences = walk.sentences;
    gradients->taken = walk.taken;
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
