#include "model/study/sentences/head_pairs.h"

#include <math.h>
#include <stdlib.h>

/* For each row: the column of its greatest weight, or -1, that weight, and under dhicm the head's
 * importance. For each column: its weight over all rows, and its part of speech. */
enum { ROWS, COLUMNS };
enum { FIELD_PLACE, FIELD_WEIGHT, FIELD_IMPORTANCE, FIELD_ON, FIELD_POS };
static const double ROUNDING = 1e-3;

static int index_of(const struct head_pairs *study)
{
    return study->layer * module_heads(study->config, study->module) + study->head;
}

static bool has_importance(const struct head_pairs *study)
{
    return study->config->attention[study->module][study->layer].dhicm;
}

static bool declare(const void *of, const struct walk_sentence *sentence,
                    struct record_shape *shape, struct status *status)
{
    const struct head_pairs *study = of;
    const double most = 1 + ROUNDING, rows_most = RECORD_ROWS_MOST;
    record_shape_dimension(shape, 0, RECORD_ROWS_MOST);
    record_shape_dimension(shape, 0, RECORD_ROWS_MOST);
    const struct record_field fields[] = {
        {.rows = ROWS, .width = 1, .least = -1, .most = rows_most, .whole = true},
        {.rows = ROWS, .width = 1, .most = most},
        {.rows = ROWS, .width = has_importance(study), .most = most},
        {.rows = COLUMNS, .width = 1, .most = rows_most}};
    (void)sentence;
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (!record_shape_add(shape, fields[i], status))
            return false;
    return !study->walk.words_for || pos_declare(&study->walk.conllu, COLUMNS, shape, status);
}

static int greatest(const float *row, int columns)
{
    int best = -1;
    for (int j = 0; j < columns; j++)
        if (row[j] > (best < 0 ? 0 : row[best]))
            best = j;
    return best;
}

static bool put_weights(const struct head_pairs *study, const struct capture *capture, int rows,
                        int columns, struct record *out, struct status *status)
{
    const float *weights = capture->weights[study->module][index_of(study)];
    const float *importance = capture->importance[study->module][study->layer];
    const int heads = module_heads(study->config, study->module);
    bool ok = record_put(out, rows, status) && record_put(out, columns, status);
    for (int r = 0; ok && r < rows; r++)
        ok = record_put(out, greatest(weights + (size_t)r * (size_t)columns, columns), status);
    for (int r = 0; ok && r < rows; r++) {
        const float *row = weights + (size_t)r * (size_t)columns;
        const int best = greatest(row, columns);
        ok = record_put(out, best < 0 ? 0 : row[best], status);
    }
    for (int r = 0; ok && has_importance(study) && r < rows; r++)
        ok = record_put(out, importance[r * heads + study->head], status);
    for (int c = 0; ok && c < columns; c++) {
        double on = 0;
        for (int r = 0; r < rows; r++)
            on += weights[(size_t)r * (size_t)columns + (size_t)c];
        ok = record_put(out, on, status);
    }
    return ok;
}

static bool measure(void *of, const struct walk_sentence *sentence, struct record *out,
                    struct status *status)
{
    struct head_pairs *study = of;
    struct capture capture;
    const int all =
        module_layers(study->config, study->module) * module_heads(study->config, study->module);
    bool *wanted = memory_new((size_t)all, sizeof *wanted, status);
    struct capture_request request = {.importance = has_importance(study)};
    if (!wanted)
        return false;
    wanted[index_of(study)] = true;
    request.weights[study->module] = wanted;
    bool ok = walk_capture(sentence, &request, &capture, status);
    free(wanted);
    if (!ok)
        return false;
    const int sources = capture.source_count, targets = capture.target_rows;
    ok = put_weights(study, &capture, study->module == MODULE_ENCODER ? sources : targets,
                     study->module == MODULE_DECODER ? targets : sources, out, status);
    capture_free(&capture);
    return ok && (!study->walk.words_for || pos_put(&study->walk.conllu, sentence, out, status));
}

/* Pairs ---------------------------------------------------------------------------------------- */

static int compare_pairs(const void *a, const void *b)
{
    const struct head_pair *one = a, *other = b;
    return one->row != other->row ? (one->row > other->row) - (one->row < other->row)
                                  : (one->column > other->column) - (one->column < other->column);
}

/* Orders by weight, the heaviest first, then by ids. */
static int compare_weights(const void *a, const void *b)
{
    const struct head_pair *one = a, *other = b;
    return one->weight > other->weight ? -1 : one->weight < other->weight ? 1 : compare_pairs(a, b);
}

/* Joins pairs of the same tokens. */
static void join_pairs(struct head_pairs *study)
{
    int last = 0;
    if (!study->count)
        return;
    qsort(study->pairs, (size_t)study->count, sizeof *study->pairs, compare_pairs);
    for (int i = 1; i < study->count; i++) {
        struct head_pair *pair = &study->pairs[last];
        if (compare_pairs(pair, &study->pairs[i]) == 0) {
            pair->count += study->pairs[i].count;
            pair->weight += study->pairs[i].weight;
        } else {
            study->pairs[++last] = study->pairs[i];
        }
    }
    study->count = last + 1;
}

/* Memory grows only with the pairs that differ. */
static bool add_pair(struct head_pairs *study, struct head_pair pair, struct status *status)
{
    if ((size_t)study->count == study->capacity) {
        join_pairs(study);
        const size_t needed = 2 * (size_t)study->count;
        if (needed >= study->capacity &&
            !memory_grow((void **)&study->pairs, &study->capacity, needed + 1, sizeof pair, status))
            return false;
    }
    study->pairs[study->count++] = pair;
    return true;
}

/* Adding --------------------------------------------------------------------------------------- */

/* Returns the id of the token that the decoder reads, or predicts, in a row; -1: a start token. */
static int target_id(const struct walk_sentence *sentence, const struct config *config, int row,
                     bool predicted)
{
    const int at = row - config->start.count + predicted;
    return at < 0 ? -1 : sentence->ids[at];
}

/* Start tokens are columns but not rows. */
static struct head_pair pair_of(const struct head_pairs *study,
                                const struct walk_sentence *sentence, int row, int column)
{
    const struct config *config = study->config;
    const bool decoder = study->module == MODULE_DECODER;
    return (struct head_pair){
        .row = study->module == MODULE_ENCODER
                   ? sentence->source.ids[row]
                   : target_id(sentence, config, row, study->module == MODULE_CROSS),
        .column = !decoder                       ? sentence->source.ids[column]
                  : column < config->start.count ? start_token(config, column, &sentence->source)
                                                 : target_id(sentence, config, column, false),
        .count = 1};
}

static bool is_wanted(const struct head_pairs *study, const struct head_pair *pair)
{
    const int *eos = study->config->special[SPECIAL_EOS];
    const int row_side = study->module == MODULE_ENCODER ? SIDE_SOURCE : SIDE_TARGET;
    const int column_side = study->module == MODULE_DECODER ? SIDE_TARGET : SIDE_SOURCE;
    return pair->row >= 0 && pair->row != eos[row_side] && pair->column != eos[column_side];
}

static bool add(void *of, const struct walk_sentence *sentence, const struct record_shape *shape,
                const struct record *record, struct status *status)
{
    struct head_pairs *study = of;
    int rows, columns;
    const double *places = record_numbers(shape, record, FIELD_PLACE, &rows);
    const double *weights = record_numbers(shape, record, FIELD_WEIGHT, &rows);
    const double *importance = record_numbers(shape, record, FIELD_IMPORTANCE, &rows);
    const double *on = record_numbers(shape, record, FIELD_ON, &columns);
    for (int r = 0; r < rows; r++) {
        study->rows++;
        study->importance += has_importance(study) ? importance[r] : 0;
        if (places[r] < 0)
            continue;
        struct head_pair pair = pair_of(study, sentence, r, (int)places[r]);
        pair.weight = weights[r];
        if (is_wanted(study, &pair) && !add_pair(study, pair, status))
            return false;
    }
    const double *pos =
        study->walk.words_for ? record_numbers(shape, record, FIELD_POS, &columns) : NULL;
    for (int c = 0; c < columns; c++) {
        study->weight += on[c];
        if (pos && pos[c] >= 0 &&
            !pos_sums_add(&study->pos, &study->walk.conllu, (int)pos[c], 0, on[c], 1, status))
            return false;
    }
    return true;
}

static void finish(struct head_pairs *study)
{
    join_pairs(study);
    if (study->count)
        qsort(study->pairs, (size_t)study->count, sizeof *study->pairs, compare_weights);
}

bool head_pairs_run(const struct study_context *context, struct head_pairs *study,
                    struct status *status)
{
    static const struct study functions = {NULL, declare, measure, add};
    study->walk.kind = "collecting pairs";
    study->walk.done = "taken";
    study->walk.encoder = study->module == MODULE_ENCODER;
    study->walk.study = &functions;
    study->walk.of = study;
    study->pos.heads = 1;
    const bool ok = study_walk(context, &study->walk, status);
    finish(study);
    return ok;
}

bool head_pairs_add(struct head_pairs *study, const struct walk_sentence *sentence,
                    struct status *status)
{
    struct record_shape shape = {.count = 0};
    struct record record = {.count = 0};
    const bool ok =
        declare(study, sentence, &shape, status) && measure(study, sentence, &record, status) &&
        record_check(&shape, &record, status) && add(study, sentence, &shape, &record, status);
    record_shape_free(&shape);
    record_free(&record);
    finish(study);
    return ok;
}

double head_pairs_pos_share(const struct head_pairs *study, int place)
{
    return study->weight > 0 ? study->pos.sums[place].sum / study->weight : NAN;
}

void head_pairs_free(struct head_pairs *study)
{
    free(study->pairs);
    pos_sums_free(&study->pos);
    *study = (struct head_pairs){.count = 0};
}
