#include "model/attribution/faithfulness.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/attribution/prediction_work.h"

static const int percents[] = {1, 5, 10, 20, 50};
enum { SHARES = sizeof percents / sizeof *percents };

/* At most so many sets are kept; others are forced again. */
enum { SETS_MOST = 4096 };

struct ranked {
    float value;
    int token;
};

struct erasing {
    struct prediction_question question;
    struct prediction_work work;
    struct prediction_inputs inputs;
    float *changed;         // (source tokens, d)
    struct ranked *ranking; // (tokens of the text)
    int first, tokens;      // both of the text
    double *objectives;     // (count)
    /* Sets of erased tokens that have been forced, followed by the set being looked up. */
    unsigned char *erased; // (sets, source tokens)
    float *probabilities;  // (sets, count)
    int *rows;             // (sets): how many rows are known, from the first on
    int sets;
    size_t erased_capacity, probability_capacity, rows_capacity;
};

/* Sets ----------------------------------------------------------------------------------------- */

static size_t source_count(const struct erasing *erasing)
{
    return (size_t)erasing->work.source->count;
}

static unsigned char *set_at(const struct erasing *erasing, int set)
{
    return erasing->erased + (size_t)set * source_count(erasing);
}

static bool reserve_set(struct erasing *erasing, struct status *status)
{
    const size_t sets = (size_t)erasing->sets + 1;
    return memory_grow((void **)&erasing->erased, &erasing->erased_capacity,
                       sets * source_count(erasing), sizeof *erasing->erased, status) &&
           memory_grow((void **)&erasing->probabilities, &erasing->probability_capacity,
                       sets * (size_t)erasing->work.count, sizeof *erasing->probabilities,
                       status) &&
           memory_grow((void **)&erasing->rows, &erasing->rows_capacity, sets,
                       sizeof *erasing->rows, status);
}

/* Replaces a set's tokens with baselines. */
static void erase(const struct erasing *erasing, const unsigned char *set)
{
    const struct prediction_inputs *inputs = &erasing->inputs;
    const size_t d = inputs->d, count = source_count(erasing);
    memcpy(erasing->changed, inputs->capture.inputs[STACK_ENCODER], count * d * sizeof(float));
    for (size_t j = 0; j < count; j++)
        for (size_t k = 0; set[j] && k < d; k++)
            erasing->changed[j * d + k] += inputs->baseline[STACK_ENCODER][k] -
                                           inputs->capture.embeddings[STACK_ENCODER][j * d + k];
}

/* Looks for an earlier set equal to the last one, with this row known. NULL: none. */
static const float *find_set(const struct erasing *erasing, int row)
{
    const unsigned char *set = set_at(erasing, erasing->sets);
    for (int i = 0; i < erasing->sets; i++)
        if (erasing->rows[i] > row && memcmp(set_at(erasing, i), set, source_count(erasing)) == 0)
            return erasing->probabilities + (size_t)i * (size_t)erasing->work.count;
    return NULL;
}

/* Forces the last set, up to that row. NULL: failure. */
static const float *force_set(struct erasing *erasing, int row, struct status *status)
{
    struct prediction_work work = erasing->work;
    const float *const inputs[STACK_COUNT] = {[STACK_ENCODER] = erasing->changed};
    float *found = erasing->probabilities + (size_t)erasing->sets * (size_t)work.count;
    work.count = row + 1;
    erase(erasing, set_at(erasing, erasing->sets));
    if (!prediction_objectives(&work, inputs, erasing->objectives, status))
        return NULL;
    for (int t = 0; t < work.count; t++)
        found[t] = (float)fmin(exp(erasing->objectives[t]), 1);
    erasing->rows[erasing->sets] = work.count;
    erasing->sets += erasing->sets < SETS_MOST;
    return found;
}

/* Computes the probability of a row's token without its top tokens or, if `kept`, with only these.
 * Small sets recur in other rows, so all rows are computed at once. */
static bool probability(struct erasing *erasing, int row, int top, bool kept, double *out,
                        struct status *status)
{
    if (!reserve_set(erasing, status))
        return false;
    unsigned char *set = set_at(erasing, erasing->sets);
    memset(set, 0, source_count(erasing));
    for (int i = 0; i < erasing->tokens; i++)
        set[erasing->ranking[i].token] = (i < top) != kept;
    const float *found = find_set(erasing, row);
    if (!found)
        found = force_set(erasing, top > 1 ? row : erasing->work.count - 1, status);
    if (found)
        *out = (double)found[row];
    return found != NULL;
}

/* Rows ----------------------------------------------------------------------------------------- */

static int by_value(const void *first, const void *second)
{
    const struct ranked *a = first, *b = second;
    return a->value != b->value ? (a->value < b->value) - (a->value > b->value)
                                : a->token - b->token;
}

static void rank(struct erasing *erasing, const float *values)
{
    for (int i = 0; i < erasing->tokens; i++)
        erasing->ranking[i] = (struct ranked){values[erasing->first + i], erasing->first + i};
    if (erasing->tokens)
        qsort(erasing->ranking, (size_t)erasing->tokens, sizeof *erasing->ranking, by_value);
}

static bool measure_row(struct erasing *erasing, int row, double *comprehensiveness,
                        double *sufficiency, struct status *status)
{
    double whole = 0, without = 0, alone = 0, sums[2] = {0, 0};
    bool ok = probability(erasing, row, 0, false, &whole, status);
    for (int i = 0; ok && i < SHARES; i++) {
        const int top = (percents[i] * erasing->tokens + 99) / 100;
        ok = probability(erasing, row, top, false, &without, status) &&
             probability(erasing, row, top, true, &alone, status);
        sums[0] += whole - without;
        sums[1] += whole - alone;
    }
    *comprehensiveness = sums[0] / SHARES;
    *sufficiency = sums[1] / SHARES;
    return ok;
}

bool erasing_measure(struct erasing *erasing, const float *values, size_t stride,
                     const struct watch *watch, double *comprehensiveness, double *sufficiency,
                     struct status *status)
{
    for (int row = 0; row < erasing->work.count; row++) {
        rank(erasing, values + (size_t)row * stride);
        const bool ok =
            measure_row(erasing, row, &comprehensiveness[row], &sufficiency[row], status);
        if (!watch_ask(watch, status) || !ok) // after a stop, a failure is only the stop
            return false;
    }
    return true;
}

bool random_ranking(unsigned long seed, float *values, size_t count, struct status *status)
{
    gsl_set_error_handler_off(); // the default handler would end the program
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    if (!random)
        return status_no_memory(status);
    gsl_rng_set(random, seed);
    for (size_t i = 0; i < count; i++)
        values[i] = (float)gsl_rng_uniform(random);
    gsl_rng_free(random);
    return true;
}

/* Opening -------------------------------------------------------------------------------------- */

struct erasing *erasing_open(const struct state *state, const struct sentence *source,
                             const int *target, int count, int baseline, struct status *status)
{
    const int start = model_checkpoint(state->model)->config->start.count;
    struct erasing *erasing = memory_new(1, sizeof *erasing, status);
    if (!erasing)
        return NULL;
    erasing->question.options.baseline = baseline;
    erasing->work = (struct prediction_work){.question = &erasing->question,
                                             .state = state,
                                             .source = source,
                                             .target = target,
                                             .count = count,
                                             .first = start - 1,
                                             .tokens = {source->count, start - 1 + count}};
    erasing->first = source->before;
    erasing->tokens = source->count - source->before - source->behind;
    erasing->ranking = memory_new((size_t)erasing->tokens, sizeof *erasing->ranking, status);
    erasing->objectives = memory_new((size_t)count, sizeof *erasing->objectives, status);
    if (erasing->ranking && erasing->objectives &&
        prediction_inputs_open(&erasing->work, &erasing->inputs, status) &&
        (erasing->changed = memory_new(source_count(erasing) * erasing->inputs.d,
                                       sizeof *erasing->changed, status)))
        return erasing;
    erasing_close(erasing);
    return NULL;
}

void erasing_close(struct erasing *erasing)
{
    if (!erasing)
        return;
    prediction_inputs_close(&erasing->inputs);
    free(erasing->changed);
    free(erasing->ranking);
    free(erasing->objectives);
    free(erasing->erased);
    free(erasing->probabilities);
    free(erasing->rows);
    free(erasing);
}
