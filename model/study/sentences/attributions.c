#include "model/study/sentences/attributions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Baselines, steps and the positions are part of it if the method has them. */
static void identify(const void *of, struct identity *identity)
{
    const struct prediction_question *question = &((const struct attribution_study *)of)->question;
    const struct method_info *method = &method_table[question->method];
    identity_text(identity, method->name);
    identity_number(identity, method->baseline ? question->options.baseline : -1);
    identity_number(identity, method->steps ? question->options.steps : -1);
    identity_number(identity, method->steps ? question->options.quadrature : -1);
}

/* Declares the shares of the rows that have one. */
static bool declare(const void *of, const struct walk_sentence *sentence,
                    struct record_shape *shape, struct status *status)
{
    (void)of;
    (void)sentence;
    record_shape_dimension(shape, 0, RECORD_ROWS_MOST);
    return record_shape_add(shape, (struct record_field){.width = 1, .most = 1}, status);
}

/* Adds the shares that are not NaN; returns how many there are. */
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

static bool measure(void *of, const struct walk_sentence *sentence, struct record *out,
                    struct status *status)
{
    const struct attribution_study *study = of;
    const struct watch quietly = watch_quietly(sentence->watch);
    struct predictions all;
    double sum = 0;
    if (!predictions_run(&study->question, sentence->state, &sentence->source, sentence->ids,
                         sentence->count, &quietly, &all, status))
        return false;
    bool ok = record_put(out, add_shares(all.shares, all.rows, &sum), status);
    for (int i = 0; ok && i < all.rows; i++)
        ok = isnan(all.shares[i]) || record_put(out, all.shares[i], status);
    predictions_free(&all);
    return ok;
}

static bool add(void *of, const struct walk_sentence *sentence, const struct record_shape *shape,
                const struct record *record, struct status *status)
{
    struct attribution_study *study = of;
    int rows;
    double sum = 0;
    const double *shares = record_numbers(shape, record, 0, &rows);
    if (!memory_grow((void **)&study->each, &study->capacity, (size_t)study->count + 1,
                     sizeof *study->each, status))
        return false;
    add_shares(shares, rows, &sum);
    struct attribution_sentence *one = &study->each[study->count];
    *one = (struct attribution_sentence){.line = sentence->line + 1,
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
    const struct attribution_sentence *a = first, *b = second;
    if (isnan(a->share) != isnan(b->share))
        return isnan(a->share) ? 1 : -1;
    if (a->share != b->share && !isnan(a->share))
        return a->share < b->share ? -1 : 1;
    return a->line < b->line ? -1 : 1;
}

bool attribution_study_run(const struct study_context *context, struct attribution_study *study,
                           struct status *status)
{
    static const struct study functions = {identify, declare, measure, add};
    study->walk.kind = "attributing";
    study->walk.done = "averaged";
    study->walk.study = &functions;
    study->walk.of = study;
    const bool ok = prediction_check(&study->question, context->state.model, status) &&
                    study_walk(context, &study->walk, status);
    if (study->count)
        qsort(study->each, (size_t)study->count, sizeof *study->each, by_share);
    return ok;
}

void attribution_study_free(struct attribution_study *study)
{
    for (int i = 0; i < study->count; i++) {
        free(study->each[i].source);
        free(study->each[i].target);
    }
    free(study->each);
}
