/* One sentence's record in `:faithful`: the values of every method, and how good they are. */
#include <stdlib.h>
#include <string.h>

#include "model/attribution/faithfulness.h"
#include "model/study/sentences/faithful.h"

/* Values --------------------------------------------------------------------------------------- */

/* Computes the mean of cross-attention over all heads that the model has: (decoder rows,
 * source). */
static bool mean_weights(const struct walk_sentence *sentence, const bool *wanted, float *values,
                         struct status *status)
{
    const struct config *config = model_checkpoint(sentence->state->model)->config;
    const int layers = module_layers(config, MODULE_CROSS);
    struct capture_request request = {.weights[MODULE_CROSS] = wanted};
    struct capture capture;
    if (!walk_capture(sentence, &request, &capture, status))
        return false;
    const size_t cells = (size_t)capture.target_rows * (size_t)capture.source_count;
    float *layer = memory_new(cells, sizeof *layer, status);
    memset(values, 0, cells * sizeof *values);
    for (int l = 0; layer && l < layers; l++) {
        capture_weights(&capture, MODULE_CROSS, l, HEADS_MEAN, layer);
        for (size_t i = 0; i < cells; i++)
            values[i] += layer[i] / (float)layers;
    }
    free(layer);
    capture_free(&capture);
    return layer != NULL;
}

static bool weights_values(const struct walk_sentence *sentence, float *values,
                           struct status *status)
{
    const struct config *config = model_checkpoint(sentence->state->model)->config;
    const size_t heads =
        (size_t)module_layers(config, MODULE_CROSS) * (size_t)module_heads(config, MODULE_CROSS);
    bool *wanted = memory_new(heads, sizeof *wanted, status);
    if (!wanted)
        return false;
    memset(wanted, true, heads);
    const bool ok = mean_weights(sentence, wanted, values, status);
    free(wanted);
    return ok;
}

/* The same sentence gets the same numbers wherever it is, in any file. */
static unsigned long random_seed(const struct faithful_study *study,
                                 const struct walk_sentence *sentence)
{
    uint32_t hash = 2166136261U; // FNV-1a
    for (int i = 0; i < sentence->source.count; i++)
        hash = (hash ^ (uint32_t)sentence->source.ids[i]) * 16777619U;
    for (int i = 0; i < sentence->count; i++)
        hash = (hash ^ (uint32_t)sentence->ids[i]) * 16777619U;
    return hash ^ (unsigned long)study->settings.seed;
}

/* values: (decoder rows, source tokens), for the rows that predict. */
static bool predicted_values(const struct faithful_study *study,
                             const struct faithful_method *method,
                             const struct walk_sentence *sentence, float *values,
                             struct status *status)
{
    const struct prediction_question question = faithful_question(study, method);
    const struct watch quietly = watch_quietly(sentence->watch);
    struct predictions all;
    if (!predictions_run(&question, sentence->state, &sentence->source, sentence->ids,
                         sentence->count, &quietly, &all, status))
        return false;
    const size_t sources = (size_t)all.sources, columns = sources + (size_t)all.targets;
    float *first = values + (size_t)(all.targets - all.rows) * sources;
    for (size_t i = 0; i < (size_t)all.rows; i++)
        memcpy(first + i * sources, all.values + i * columns, sources * sizeof *values);
    predictions_free(&all);
    return true;
}

/* Measuring ------------------------------------------------------------------------------------ */

/* A sentence whose methods are being measured. */
struct measuring {
    const struct faithful_study *study;
    const struct walk_sentence *sentence;
    struct erasing *erasing;
    struct align_sentence words; // only with gold
    int rows, first;             // predicted tokens; decoder rows before them
    float *values;               // (decoder rows, source tokens), for one method
    double *measured;            // (methods, 2, rows)
    int16_t *links;              // (methods, target words)
    double *sums;                // (source words): scratch
};

static bool measure_method(struct measuring *of, int m, struct status *status)
{
    const struct faithful_study *study = of->study;
    const struct faithful_method *method = &study->methods[m];
    const size_t sources = (size_t)of->sentence->source.count, rows = (size_t)of->rows;
    const size_t cells = ((size_t)of->first + rows) * sources;
    double *measured = of->measured + 2 * (size_t)m * rows;
    const bool ok =
        method->random ? random_ranking(random_seed(study, of->sentence), of->values, cells, status)
        : method->method == METHOD_WEIGHTS
            ? weights_values(of->sentence, of->values, status)
            : predicted_values(study, method, of->sentence, of->values, status);
    if (!ok || !erasing_measure(of->erasing, of->values + (size_t)of->first * sources, sources,
                                of->sentence->watch, measured, measured + rows, status))
        return false;
    if (faithful_has_gold(study))
        align_sentence_links(&of->words, of->values, false, of->sums,
                             of->links + (size_t)m * (size_t)of->words.words[SIDE_TARGET].count);
    return true;
}

static bool measuring_open(struct measuring *of, struct status *status)
{
    const struct walk_sentence *sentence = of->sentence;
    const struct faithful_study *study = of->study;
    const size_t methods = (size_t)study->method_count, rows = (size_t)sentence->count;
    const char *const texts[] = {sentence->text, sentence->target};
    of->rows = sentence->count;
    of->first = model_checkpoint(sentence->state->model)->config->start.count - 1;
    of->erasing = erasing_open(sentence->state, &sentence->source, sentence->ids, sentence->count,
                               study->options.baseline, status);
    of->values = memory_new(((size_t)of->first + rows) * (size_t)sentence->source.count,
                            sizeof *of->values, status);
    of->measured = memory_new(2 * methods * rows, sizeof *of->measured, status);
    if (!of->erasing || !of->values || !of->measured)
        return false;
    if (!faithful_has_gold(study))
        return true;
    if (!align_sentence_open(sentence->state, texts, study->gold.unspaced, &of->words, status))
        return false;
    of->sums = memory_new((size_t)of->words.words[SIDE_SOURCE].count, sizeof *of->sums, status);
    of->links =
        memory_new(methods * (size_t)of->words.words[SIDE_TARGET].count, sizeof *of->links, status);
    return of->sums && of->links;
}

static void measuring_close(struct measuring *of)
{
    erasing_close(of->erasing);
    align_sentence_close(&of->words);
    free(of->values);
    free(of->measured);
    free(of->links);
    free(of->sums);
}

/* Records -------------------------------------------------------------------------------------- */

/* Puts both measures of each method, row by row. */
static bool put(const struct measuring *of, struct record *out, struct status *status)
{
    const int methods = of->study->method_count, words = of->words.words[SIDE_TARGET].count;
    bool ok = record_put(out, of->rows, status) &&
              (!faithful_has_gold(of->study) || record_put(out, words, status));
    for (int row = 0; row < of->rows; row++)
        for (int i = 0; ok && i < 2 * methods; i++)
            ok = record_put(out, of->measured[(size_t)i * (size_t)of->rows + (size_t)row], status);
    for (int i = 0; faithful_has_gold(of->study) && ok && i < words * methods; i++)
        ok = record_put(out, of->links[i], status);
    return ok;
}

bool faithful_measure(const struct faithful_study *study, const struct walk_sentence *sentence,
                      struct record *out, struct status *status)
{
    struct measuring of = {.study = study, .sentence = sentence};
    bool ok = measuring_open(&of, status);
    for (int m = 0; ok && m < of.study->method_count; m++)
        ok = measure_method(&of, m, status);
    ok = ok && put(&of, out, status);
    measuring_close(&of);
    return ok;
}
