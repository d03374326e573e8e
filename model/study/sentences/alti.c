#include "model/study/sentences/alti.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/attribution/attribute.h"

/* One sentence --------------------------------------------------------------------------------- */

void alti_joint_free(struct alti_joint *joint)
{
    free(joint->values);
    free(joint->shares);
}

/* From all rows of the decoder: joint (m, n + m). */
static bool take_rows(const struct config *config, const double *all, struct alti_joint *joint,
                      struct status *status)
{
    const int first = config->start.count - 1, columns = joint->sources + joint->targets;
    joint->rows = joint->targets - first;
    joint->values = memory_new((size_t)joint->rows * (size_t)columns, sizeof(float), status);
    joint->shares = memory_new((size_t)joint->rows, sizeof(double), status);
    for (int i = 0; joint->values && joint->shares && i < joint->rows; i++) {
        const double *row = all + (size_t)(first + i) * (size_t)columns;
        double source = 0, sum = 0;
        for (int j = 0; j < columns; j++) {
            joint->values[(size_t)i * (size_t)columns + (size_t)j] = (float)row[j];
            sum += row[j];
            source += j < joint->sources ? row[j] : 0;
        }
        joint->shares[i] = sum > 0 ? source / sum : NAN;
    }
    return joint->values && joint->shares;
}

bool alti_joint_compute(const struct walk_sentence *sentence, struct alti_joint *out,
                        struct status *status)
{
    const struct config *config = model_checkpoint(sentence->state->model)->config;
    const int last = module_layers(config, MODULE_CROSS) - 1;
    struct attribution_request request = {
        .method = METHOD_ALTI, .module = MODULE_CROSS, .first = last, .last = last};
    struct capture capture;
    *out = (struct alti_joint){.rows = 0};
    if (!method_check(METHOD_ALTI, config, MODULE_CROSS, status) ||
        !attribution_request(&request, config, status))
        return false;
    bool ok = walk_capture(sentence, &request.capture, &capture, status);
    attribution_free(&request);
    if (!ok)
        return false;
    const struct captured captured = {config, sentence->state->head_settings, &capture};
    out->sources = capture.source_count;
    out->targets = capture.target_rows;
    const size_t cells = (size_t)out->targets * (size_t)(out->sources + out->targets);
    double *all = memory_new(cells, sizeof *all, status);
    ok = all && attribution_joint(&captured, METHOD_ALTI, last, sentence->watch, all, status) &&
         take_rows(config, all, out, status);
    free(all);
    capture_free(&capture);
    if (!ok)
        alti_joint_free(out);
    return ok;
}

/* Adds the shares (rows) that are not NaN. */
static int add_shares(const double *shares, int rows, double *sum)
{
    int count = 0;
    for (int i = 0; i < rows; i++)
        if (!isnan(shares[i])) {
            *sum += shares[i];
            count++;
        }
    return count;
}

double alti_joint_mean(const struct alti_joint *joint)
{
    double sum = 0;
    const int count = add_shares(joint->shares, joint->rows, &sum);
    return count ? sum / count : NAN;
}

/* A file --------------------------------------------------------------------------------------- */

/* The shares of rows that have one. */
static bool declare(const void *of, const struct walk_sentence *sentence,
                    struct record_shape *shape, struct status *status)
{
    (void)of;
    (void)sentence;
    record_shape_dimension(shape, 0, RECORD_ROWS_MOST);
    return record_shape_add(shape, (struct record_field){.width = 1, .most = 1}, status);
}

static bool measure(void *of, const struct walk_sentence *sentence, struct record *out,
                    struct status *status)
{
    struct alti_joint joint;
    double sum = 0;
    (void)of;
    if (!alti_joint_compute(sentence, &joint, status))
        return false;
    bool ok = record_put(out, add_shares(joint.shares, joint.rows, &sum), status);
    for (int i = 0; ok && i < joint.rows; i++)
        ok = isnan(joint.shares[i]) || record_put(out, joint.shares[i], status);
    alti_joint_free(&joint);
    return ok;
}

static bool add(void *of, const struct walk_sentence *sentence, const struct record_shape *shape,
                const struct record *record, struct status *status)
{
    struct alti_study *study = of;
    int rows;
    double sum = 0;
    const double *shares = record_numbers(shape, record, 0, &rows);
    if (!memory_grow((void **)&study->each, &study->capacity, (size_t)study->count + 1,
                     sizeof *study->each, status))
        return false;
    add_shares(shares, rows, &sum);
    struct alti_sentence *one = &study->each[study->count];
    *one = (struct alti_sentence){.line = sentence->line + 1,
                                  .rows = rows,
                                  .share = rows ? sum / rows : NAN,
                                  .source = strdup(sentence->text),
                                  .target = strdup(sentence->target)};
    study->count++;
    study->rows += rows;
    study->sum += sum;
    return (one->source && one->target) || status_no_memory(status);
}

static int by_share(const void *first, const void *second)
{
    const struct alti_sentence *a = first, *b = second;
    if (isnan(a->share) != isnan(b->share))
        return isnan(a->share) ? 1 : -1;
    if (a->share != b->share && !isnan(a->share))
        return a->share < b->share ? -1 : 1;
    return a->line < b->line ? -1 : 1;
}

bool alti_run(const struct study_context *context, struct alti_study *study, struct status *status)
{
    static const struct study functions = {NULL, declare, measure, add};
    const struct config *config = model_checkpoint(context->state.model)->config;
    study->walk.kind = "attributing";
    study->walk.done = "averaged";
    study->walk.study = &functions;
    study->walk.of = study;
    const bool ok = method_check(METHOD_ALTI, config, MODULE_CROSS, status) &&
                    study_walk(context, &study->walk, status);
    if (study->count)
        qsort(study->each, (size_t)study->count, sizeof *study->each, by_share);
    return ok;
}

void alti_free(struct alti_study *study)
{
    for (int i = 0; i < study->count; i++) {
        free(study->each[i].source);
        free(study->each[i].target);
    }
    free(study->each);
}
