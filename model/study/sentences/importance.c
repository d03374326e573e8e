#include "model/study/sentences/importance.h"

#include <math.h>
#include <stdlib.h>

double importance_bits(double share)
{
    return share > 0 ? -share * log2(share) : 0;
}

static bool has_layer(const struct importance_study *study, int module, int layer)
{
    return study->wanted[module] && study->wanted[module][layer];
}

static void identify(const void *of, struct identity *identity)
{
    const struct importance_study *study = of;
    identity_number(identity, study->by_pos);
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < module_layers(study->config, m); i++)
            identity_number(identity, has_layer(study, m, i));
}

/* Rows are tokens of the source, or those that the decoder reads. Shares are sums of float32. */
static bool declare(const void *of, const struct walk_sentence *sentence,
                    struct record_shape *shape, struct status *status)
{
    static const double most = 1 + 1e-4;
    const struct importance_study *study = of;
    record_shape_dimension(shape, sentence->source.count, sentence->source.count);
    record_shape_dimension(shape, 0, study->walk.encoder ? 0 : RECORD_ROWS_MOST);
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < module_layers(study->config, m); i++)
            if (has_layer(study, m, i) &&
                !record_shape_add(shape,
                                  (struct record_field){.rows = m != MODULE_ENCODER,
                                                        .width = module_heads(study->config, m),
                                                        .most = most},
                                  status))
                return false;
    return !study->by_pos || pos_declare(&study->walk.conllu, 0, shape, status);
}

static bool measure(void *of, const struct walk_sentence *sentence, struct record *out,
                    struct status *status)
{
    const struct importance_study *study = of;
    const struct capture_request request = {.importance = true};
    struct capture capture;
    if (!walk_capture(sentence, &request, &capture, status))
        return false;
    const int rows[] = {capture.source_count, study->walk.encoder ? 0 : capture.target_rows};
    bool ok = record_put(out, rows[0], status) && record_put(out, rows[1], status);
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; ok && i < module_layers(study->config, m); i++)
            if (has_layer(study, m, i))
                ok = record_put_floats(out, capture.importance[m][i],
                                       rows[m != MODULE_ENCODER] * module_heads(study->config, m),
                                       status);
    capture_free(&capture);
    return ok && (!study->by_pos || pos_put(&study->walk.conllu, sentence, out, status));
}

/* Among equally important heads, the first counts. */
static void add_token(struct importance_sums *sums, const double *importance, int heads)
{
    int first = 0;
    for (int h = 0; h < heads; h++) {
        sums->importance[h] += importance[h];
        sums->entropy += importance_bits(importance[h]);
        first = importance[h] > importance[first] ? h : first;
    }
    sums->first[first]++;
    sums->tokens++;
}

static bool add_pos(struct importance_study *study, struct pos_sums *sums, const double *importance,
                    const double *places, int rows, struct status *status)
{
    for (int row = 0; row < rows; row++)
        for (int h = 0; places[row] >= 0 && h < sums->heads; h++)
            if (!pos_sums_add(sums, &study->walk.conllu, (int)places[row], h,
                              importance[row * sums->heads + h], 1, status))
                return false;
    return true;
}

static bool add(void *of, const struct walk_sentence *sentence, const struct record_shape *shape,
                const struct record *record, struct status *status)
{
    struct importance_study *study = of;
    int field = 0, rows;
    const double *places =
        study->by_pos ? record_numbers(shape, record, shape->count - 1, &rows) : NULL;
    (void)sentence;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < module_layers(study->config, m); i++) {
            const int heads = module_heads(study->config, m);
            if (!has_layer(study, m, i))
                continue;
            const double *tokens = record_numbers(shape, record, field++, &rows);
            for (int row = 0; row < rows; row++)
                add_token(&study->layers[m][i], tokens + (size_t)row * (size_t)heads, heads);
            if (places && !add_pos(study, &study->pos[i], tokens, places, rows, status))
                return false;
        }
    return true;
}

static bool open_sums(struct importance_study *study, struct status *status)
{
    for (int m = 0; m < MODULE_COUNT; m++) {
        const size_t layers = (size_t)module_layers(study->config, m);
        const size_t heads = (size_t)module_heads(study->config, m);
        study->layers[m] = memory_new(layers, sizeof *study->layers[m], status);
        for (size_t i = 0; study->layers[m] && i < layers; i++) {
            struct importance_sums *sums = &study->layers[m][i];
            sums->importance = memory_new(heads, sizeof *sums->importance, status);
            sums->first = memory_new(heads, sizeof *sums->first, status);
            if (!sums->importance || !sums->first)
                return false;
        }
        if (!study->layers[m])
            return false;
    }
    const int layers = module_layers(study->config, MODULE_ENCODER);
    study->pos = memory_new((size_t)layers, sizeof *study->pos, status);
    for (int i = 0; study->pos && i < layers; i++)
        study->pos[i].heads = module_heads(study->config, MODULE_ENCODER);
    return study->pos != NULL;
}

bool importance_run(const struct study_context *context, struct importance_study *study,
                    struct status *status)
{
    static const struct study functions = {identify, declare, measure, add};
    study->walk.kind = "averaging importance";
    study->walk.done = "averaged";
    study->walk.words_for = study->by_pos ? "by pos" : NULL;
    study->walk.encoder = true;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int i = 0; i < module_layers(study->config, m); i++)
            study->walk.encoder &= m == MODULE_ENCODER || !has_layer(study, m, i);
    study->walk.study = &functions;
    study->walk.of = study;
    return open_sums(study, status) && study_walk(context, &study->walk, status);
}

void importance_free(struct importance_study *study)
{
    for (int m = 0; m < MODULE_COUNT; m++) {
        for (int i = 0; study->layers[m] && i < module_layers(study->config, m); i++) {
            free(study->layers[m][i].importance);
            free(study->layers[m][i].first);
        }
        free(study->layers[m]);
    }
    for (int i = 0; study->pos && i < module_layers(study->config, MODULE_ENCODER); i++)
        pos_sums_free(&study->pos[i]);
    free(study->pos);
}
