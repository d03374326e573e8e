#include "model/study/sentences/head_stats_pos.h"

#include <stdlib.h>

/* How much rounding can raise a share, or lower the entropy of a row with all its weight in one
 * place. */
static const double ROUNDING = 1e-3;

static int count_all(const struct head_stats_pos *study)
{
    return module_layers(study->config, MODULE_ENCODER) *
           module_heads(study->config, MODULE_ENCODER);
}

static void identify(const void *of, struct identity *identity)
{
    const struct head_stats_pos *study = of;
    identity_number(identity, study->measure);
    for (int i = 0; i < count_all(study); i++)
        identity_number(identity, study->wanted[i]);
}

/* For each part of speech in the sentence: its place; how many rows of each head have weight; the
 * means over them. */
enum { FIELD_PLACE, FIELD_ROWS, FIELD_MEANS };

/* Returns the greatest value of a measure: 1 for shares, fewer bits than tokens, or tokens. */
static double measure_most(enum head_measure measure, int tokens)
{
    const bool shares = measure != MEASURE_ENTROPY && measure != MEASURE_DISTANCE;
    return (shares ? 1 : tokens) + ROUNDING;
}

static bool declare(const void *of, const struct walk_sentence *sentence,
                    struct record_shape *shape, struct status *status)
{
    const struct head_stats_pos *study = of;
    const int heads = study->sums.heads;
    record_shape_dimension(shape, 0, sentence->source.count);
    return pos_declare(&study->walk.conllu, 0, shape, status) &&
           record_shape_add(
               shape,
               (struct record_field){.width = heads, .most = sentence->source.count, .whole = true},
               status) &&
           record_shape_add(
               shape,
               (struct record_field){.width = heads,
                                     .least = -ROUNDING,
                                     .most = measure_most(study->measure, sentence->source.count)},
               status);
}

/* The measures of the rows of each part of speech, before they go into the record. */
struct measured {
    double *places, *rows, *means; // (count), (count, heads)
    int count;
};

/* Measures, for every head, the chosen rows of the sentence and the means over them. */
static bool measure_rows(const struct head_stats_pos *study, const struct attended *attended,
                         double *rows, double *means, struct status *status)
{
    const bool *const wanted[MODULE_COUNT] = {[MODULE_ENCODER] = study->wanted};
    struct head_stats stats;
    if (!head_stats_open(study->config, wanted, &stats, status))
        return false;
    const bool ok = head_stats_add(&stats, attended, status);
    for (int k = 0; ok && k < study->sums.heads; k++) {
        rows[k] = (double)head_rows(&stats, MODULE_ENCODER, k);
        means[k] = rows[k] > 0 ? head_mean(&stats, MODULE_ENCODER, k, study->measure) : 0;
    }
    head_stats_free(&stats);
    return ok;
}

static bool measure_each(const struct head_stats_pos *study, struct attended *attended,
                         const int *places, struct measured *out, struct status *status)
{
    const int tokens = attended->source.count;
    const size_t heads = (size_t)study->sums.heads;
    bool *chosen = memory_new((size_t)tokens, sizeof *chosen, status), ok = chosen != NULL;
    attended->rows = chosen;
    for (int place = 0; ok && place < pos_most(&study->walk.conllu); place++) {
        bool any = false;
        for (int i = 0; i < tokens; i++)
            any |= chosen[i] = places[i] == place;
        if (!any)
            continue;
        const size_t at = (size_t)out->count++ * heads;
        out->places[out->count - 1] = place;
        ok = measure_rows(study, attended, out->rows + at, out->means + at, status);
    }
    free(chosen);
    return ok;
}

static bool put_numbers(const double *numbers, int count, struct record *out, struct status *status)
{
    bool ok = true;
    for (int i = 0; ok && i < count; i++)
        ok = record_put(out, numbers[i], status);
    return ok;
}

static bool put_measured(const struct head_stats_pos *study, struct attended *attended,
                         const int *places, struct record *out, struct status *status)
{
    const int heads = study->sums.heads;
    const size_t most = (size_t)attended->source.count;
    struct measured measured = {.places = memory_new(most, sizeof(double), status),
                                .rows = memory_new(most * (size_t)heads, sizeof(double), status),
                                .means = memory_new(most * (size_t)heads, sizeof(double), status)};
    const bool ok = measured.places && measured.rows && measured.means &&
                    measure_each(study, attended, places, &measured, status) &&
                    record_put(out, measured.count, status) &&
                    put_numbers(measured.places, measured.count, out, status) &&
                    put_numbers(measured.rows, measured.count * heads, out, status) &&
                    put_numbers(measured.means, measured.count * heads, out, status);
    free(measured.places);
    free(measured.rows);
    free(measured.means);
    return ok;
}

static bool measure(void *of, const struct walk_sentence *sentence, struct record *out,
                    struct status *status)
{
    struct head_stats_pos *study = of;
    const struct capture_request request = {.weights = {[MODULE_ENCODER] = study->wanted}};
    const struct forced_sentence forced = {
        .source = &sentence->source, .target = sentence->ids, .count = sentence->count};
    struct attended attended;
    struct capture capture;
    int *places = memory_new((size_t)sentence->source.count, sizeof *places, status);
    const bool captured = places && walk_capture(sentence, &request, &capture, status);
    bool ok = captured &&
              attended_fill(model_checkpoint(sentence->state->model), &forced, &study->tokens,
                            &attended, status) &&
              pos_find(&study->walk.conllu, sentence, places, status);
    if (ok) {
        attended.capture = &capture;
        ok = put_measured(study, &attended, places, out, status);
    }
    if (captured)
        capture_free(&capture);
    free(places);
    return ok;
}

static bool add(void *of, const struct walk_sentence *sentence, const struct record_shape *shape,
                const struct record *record, struct status *status)
{
    struct head_stats_pos *study = of;
    int count;
    const double *places = record_numbers(shape, record, FIELD_PLACE, &count);
    const double *rows = record_numbers(shape, record, FIELD_ROWS, &count);
    const double *means = record_numbers(shape, record, FIELD_MEANS, &count);
    (void)sentence;
    for (int i = 0; i < count; i++)
        for (int k = 0; places[i] >= 0 && k < study->sums.heads; k++) {
            const int at = i * study->sums.heads + k;
            if (!pos_sums_add(&study->sums, &study->walk.conllu, (int)places[i], k,
                              rows[at] * means[at], (int64_t)rows[at], status))
                return false;
        }
    return true;
}

bool head_stats_pos_run(const struct study_context *context, struct head_stats_pos *study,
                        struct status *status)
{
    static const struct study functions = {identify, declare, measure, add};
    study->walk.kind = "averaging attention";
    study->walk.done = "averaged";
    study->walk.words_for = "by pos";
    study->walk.encoder = true;
    study->walk.study = &functions;
    study->walk.of = study;
    for (int i = 0; i < count_all(study); i++)
        study->sums.heads += study->wanted[i];
    return study_walk(context, &study->walk, status);
}

void head_stats_pos_free(struct head_stats_pos *study)
{
    attended_free(&study->tokens);
    pos_sums_free(&study->sums);
}
