#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "gpu/cpu/patterns.h"
#include "model/study/heads/attention_rows.h"
#include "model/study/heads/head_sums.h"

/* One module of a sentence. Heads are padded to whole vectors; padding heads have no weight. */
struct module_rows {
    const struct row_arithmetic *arithmetic;
    const struct module_stats *stats;
    enum module module;
    const struct attended *sentence;
    struct attended_tokens rows, columns;
    int heads;       // padded
    int first;       // first row that counts, after those of start tokens
    int span;        // of offsets: no two positions are further apart
    float *weights;  // (columns, heads) of one row
    float *factors;  // (columns, ROW_FACTORS) of one row
    float *negative; // (heads): minus the entropy of one row
    float *most;     // (heads): its greatest weight
    int32_t *place;  // (heads): the column of `most`
    int32_t *zeros;  // (heads): columns without weight
    float *present;  // (heads): 1 if the head has weight in the row
    /* The sums over all rows. */
    float *distances; // (heads, heads), each at distance_place
    int *shared;      // (heads, heads): rows in which both have weight, but not all heads do
    int full;         // rows in which all heads have weight
    float *weighed;   // (ROW_FACTORS, heads): the first sums
    double *sums;     // (SUM_NEAR, heads): the others before nearness
    int *counts;      // (heads): rows with weight
    int *offsets;     // (heads, 2 * span + 1)
    int *bounds;      // (heads, 2): the least and the greatest offset, or 0
    struct {
        float *pattern; // (columns) of one row
        int32_t *keys;  // (columns): 0, 1, 2 …
        float *totals;  // (heads): weights of one row
        float *sums;    // (NEAR_PATTERNS, heads)
    } near;
    /* For sentences with syntax, (rows, selected heads): the column of the greatest weight other
     * than end-of-sentence; -1: none. */
    int32_t *looks;
    void *memory; // holds all arrays
};

/* Memory --------------------------------------------------------------------------------------- */

static void rows_free(struct module_rows *rows)
{
    free(rows->memory);
    *rows = (struct module_rows){.heads = 0};
}

/* All arrays share one allocation. */
static bool rows_allocate(struct module_rows *rows, struct status *status)
{
    enum { ALIGNMENT = 64 };
    const size_t heads = (size_t)rows->heads, columns = (size_t)rows->columns.count;
    const size_t looks = rows->sentence->syntax ? (size_t)rows->rows.count : 0;
    const struct {
        void *place; // of the pointer
        size_t size;
    } parts[] = {{&rows->weights, columns * heads * sizeof *rows->weights},
                 {&rows->factors, columns * ROW_FACTORS * sizeof *rows->factors},
                 {&rows->negative, heads * sizeof *rows->negative},
                 {&rows->most, heads * sizeof *rows->most},
                 {&rows->place, heads * sizeof *rows->place},
                 {&rows->zeros, heads * sizeof *rows->zeros},
                 {&rows->present, heads * sizeof *rows->present},
                 {&rows->distances, heads * heads * sizeof *rows->distances},
                 {&rows->shared, heads * heads * sizeof *rows->shared},
                 {&rows->weighed, heads * ROW_FACTORS * sizeof *rows->weighed},
                 {&rows->sums, heads * SUM_NEAR * sizeof *rows->sums},
                 {&rows->counts, heads * sizeof *rows->counts},
                 {&rows->offsets, heads * (2 * (size_t)rows->span + 1) * sizeof *rows->offsets},
                 {&rows->bounds, heads * 2 * sizeof *rows->bounds},
                 {&rows->near.pattern, columns * sizeof *rows->near.pattern},
                 {&rows->near.keys, columns * sizeof *rows->near.keys},
                 {&rows->near.totals, heads * sizeof *rows->near.totals},
                 {&rows->near.sums, heads * NEAR_PATTERNS * sizeof *rows->near.sums},
                 {&rows->looks, looks * heads * sizeof *rows->looks}};
    const int count = sizeof parts / sizeof *parts;
    size_t size = 0;
    for (int i = 0; i < count; i++)
        size += (parts[i].size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    char *memory = rows->memory = memory_new(size, 1, status);
    for (int i = 0; memory && i < count; i++) {
        memcpy(parts[i].place, &memory, sizeof memory);
        memory += (parts[i].size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    }
    return rows->memory != NULL;
}

static bool rows_open(struct module_rows *rows, struct head_stats *stats, enum module module,
                      const struct attended *sentence, struct status *status)
{
    const bool of_decoder = module != MODULE_ENCODER;
    const int predicting = int_max(sentence->starts - 1, 0); // the first token of the target
    *rows = (struct module_rows){
        .arithmetic = row_arithmetic(),
        .stats = &stats->modules[module],
        .module = module,
        .sentence = sentence,
        .rows = of_decoder ? sentence->inputs : sentence->source,
        .columns = module == MODULE_DECODER ? sentence->inputs : sentence->source,
        .heads = (stats->modules[module].count + ROW_LANES - 1) / ROW_LANES * ROW_LANES,
        .first = module == MODULE_CROSS ? predicting
                 : of_decoder           ? sentence->starts
                                        : 0};
    rows->span = rows->rows.count > rows->columns.count ? rows->rows.count : rows->columns.count;
    if (!rows_allocate(rows, status))
        return false;
    for (int j = 0; j < rows->columns.count; j++)
        rows->near.keys[j] = j;
    return true;
}

/* One row -------------------------------------------------------------------------------------- */

/* Returns the position that row r counts as; in cross-attention, that of the predicted token. */
static int row_position(const struct module_rows *rows, int r)
{
    return rows->module == MODULE_CROSS ? r + 1 - rows->sentence->starts : r;
}

/* A row of the decoder sees the columns up to its own. */
static int row_columns(const struct module_rows *rows, int r)
{
    return rows->module == MODULE_DECODER ? r + 1 : rows->columns.count;
}

static void fill_factors(const struct module_rows *rows, int r, int columns)
{
    const struct attended_tokens *tokens = &rows->columns;
    const bool own = rows->module != MODULE_CROSS;
    const int i = row_position(rows, r);
    for (int j = 0; j < columns; j++) {
        float *factor = rows->factors + (size_t)j * ROW_FACTORS;
        int word = own ? tokens->words[j] == rows->rows.words[r] : 0;
        factor[SUM_WEIGHT] = 1;
        factor[SUM_DISTANCE] = (float)abs(i - j);
        factor[SUM_EOS] = tokens->eos[j];
        factor[SUM_PUNCTUATION] = tokens->punctuation[j];
        factor[SUM_WITHIN_WORD] = (float)(word && j != i);
        factor[SUM_RARE] = tokens->rare[j];
        factor[SUM_HERE] = j == i;
        factor[SUM_PREVIOUS] = j == i - 1;
        factor[SUM_NEXT] = j == i + 1;
        factor[SUM_LEFT] = j < i - 1;
        factor[SUM_RIGHT] = j > i + 1;
        factor[SUM_START] = 4 * j + 2 < columns;
        factor[SUM_END] = 4 * j + 2 > 3 * columns;
    }
}

/* Takes eight heads at once, so that writes are contiguous. */
static void take_eight(const float *const *captured, const int *of, size_t at, int columns,
                       size_t heads, float *out)
{
    const float *row[ROW_LANES];
#pragma GCC unroll 8
    for (int k = 0; k < ROW_LANES; k++)
        row[k] = captured[of[k]] + at;
    for (int j = 0; j < columns; j++, out += heads)
#pragma GCC unroll 8
        for (int k = 0; k < ROW_LANES; k++)
            out[k] = row[k][j];
}

static void take_weights(const struct module_rows *rows, int r, int columns)
{
    const float *const *captured =
        (const float *const *)rows->sentence->capture->weights[rows->module];
    const int *of = rows->stats->of, count = rows->stats->count;
    const size_t at = (size_t)r * (size_t)rows->columns.count, heads = (size_t)rows->heads;
    int k = 0;
    for (; k + ROW_LANES <= count; k += ROW_LANES)
        take_eight(captured, of + k, at, columns, heads, rows->weights + k);
    for (; k < count; k++)
        for (int j = 0; j < columns; j++)
            rows->weights[(size_t)j * heads + (size_t)k] = captured[of[k]][at + (size_t)j];
}

/* Returns the column with head k's greatest weight other than on end-of-sentence; -1: none. */
static int place_no_eos(const struct module_rows *rows, int k, int columns)
{
    int best = -1;
    if (!rows->columns.eos[rows->place[k]])
        return rows->place[k];
    for (int j = 0; j < columns; j++) {
        const float *weights = rows->weights + (size_t)k;
        if (!rows->columns.eos[j] &&
            weights[(size_t)j * (size_t)rows->heads] >
                (best < 0 ? 0 : weights[(size_t)best * (size_t)rows->heads]))
            best = j;
    }
    return best;
}

static void keep_look(const struct module_rows *rows, int r, int k, int column)
{
    if (rows->sentence->syntax)
        rows->looks[(size_t)r * (size_t)rows->stats->count + (size_t)k] = column;
}

/* Counts for all heads at once, column by column. */
static void count_zeros(const struct module_rows *rows, int columns)
{
    memset(rows->zeros, 0, (size_t)rows->heads * sizeof *rows->zeros);
    for (int j = 0; j < columns; j++) {
        const float *weights = rows->weights + (size_t)j * (size_t)rows->heads;
        for (int k = 0; k < rows->heads; k++)
            rows->zeros[k] += weights[k] == 0;
    }
}

/* Returns how many heads have weight in the row. */
static int add_measures(struct module_rows *rows, int r, int columns)
{
    const size_t heads = (size_t)rows->heads;
    const double uniform = log2(columns);
    int count = 0;
    for (int k = 0; k < rows->stats->count; k++) {
        rows->present[k] = rows->most[k] > 0;
        if (rows->present[k] == 0) {
            keep_look(rows, r, k, -1);
            continue;
        }
        double *sums = rows->sums + k;
        sums[(size_t)SUM_ENTROPY * heads] -= rows->negative[k];
        sums[(size_t)SUM_CONFIDENCE * heads] += rows->most[k];
        int look = place_no_eos(rows, k, columns);
        sums[(size_t)SUM_CONFIDENCE_NO_EOS * heads] +=
            look < 0 ? 0 : rows->weights[(size_t)look * heads + (size_t)k];
        keep_look(rows, r, k, look);
        sums[(size_t)SUM_UNIFORM * heads] += uniform;
        sums[(size_t)SUM_ZEROS * heads] += (double)rows->zeros[k] / columns;
        int offset = rows->place[k] - row_position(rows, r);
        int *bounds = rows->bounds + 2 * (size_t)k;
        bounds[0] = offset < bounds[0] ? offset : bounds[0];
        bounds[1] = offset > bounds[1] ? offset : bounds[1];
        rows->offsets[(size_t)k * (2 * (size_t)rows->span + 1) + (size_t)(rows->span + offset)]++;
        rows->counts[k]++;
        count++;
    }
    return count;
}

/* Nearness to fixed patterns: the sum over a row of the lesser of a head's weight and the
 * pattern's (head_stats.h). */

static struct key_span fill_pattern(const struct module_rows *rows, const struct head *head, int r,
                                    int columns)
{
    if (head->unit == UNIT_TOKEN)
        return pattern_row(head, row_position(rows, r), columns, rows->near.pattern);
    return pattern_word_row(head, rows->rows.words[r], columns, rows->columns.words,
                            rows->near.keys, rows->near.pattern);
}

/* Words are comparable only where rows and columns belong to the same text. */
static void add_nearness(struct module_rows *rows, int r, int columns)
{
    const size_t heads = (size_t)rows->heads;
    memset(rows->near.totals, 0, heads * sizeof *rows->near.totals);
    for (int j = 0; j < columns; j++)
        for (size_t k = 0; k < heads; k++)
            rows->near.totals[k] += rows->weights[(size_t)j * heads + k];
    for (int p = 0; p < NEAR_PATTERNS; p++) {
        const struct head *head = &near_patterns[p].head;
        if (head->unit == UNIT_WORD && rows->module == MODULE_CROSS)
            continue;
        const struct key_span span = fill_pattern(rows, head, r, columns);
        if (span.begin < span.end)
            rows->arithmetic->add_nearness(rows->weights + (size_t)span.begin * heads,
                                           span.end - span.begin, rows->heads,
                                           rows->near.pattern + span.begin, rows->near.totals,
                                           rows->near.sums + (size_t)p * heads);
    }
}

static void share_row(struct module_rows *rows)
{
    for (int a = 0; a < rows->stats->count; a++)
        for (int b = a + 1; b < rows->stats->count; b++)
            rows->shared[(size_t)a * (size_t)rows->heads + (size_t)b] +=
                rows->present[a] * rows->present[b] != 0;
}

static void add_row(struct module_rows *rows, int r)
{
    const int columns = row_columns(rows, r), heads = rows->heads;
    const struct row_arithmetic *arithmetic = rows->arithmetic;
    if (!columns)
        return;
    take_weights(rows, r, columns);
    fill_factors(rows, r, columns);
    arithmetic->weigh(rows->weights, columns, heads, rows->factors, rows->weighed);
    arithmetic->negate_entropy(rows->weights, columns, heads, rows->negative);
    arithmetic->find_most(rows->weights, columns, heads, rows->most, rows->place);
    count_zeros(rows, columns);
    if (add_measures(rows, r, columns) == rows->stats->count)
        rows->full++;
    else
        share_row(rows);
    add_nearness(rows, r, columns);
    arithmetic->add_distances(rows->weights, columns, heads, rows->negative, rows->present,
                              rows->distances);
}

/* The sentence --------------------------------------------------------------------------------- */

bool head_sums_widen(struct head_sums *head, int span, struct status *status)
{
    if (head->offsets && span <= head->span)
        return true;
    int64_t *wider = memory_new(2 * (size_t)span + 1, sizeof *wider, status);
    if (!wider)
        return false;
    if (head->offsets)
        memcpy(wider + (span - head->span), head->offsets,
               (2 * (size_t)head->span + 1) * sizeof *wider);
    free(head->offsets);
    head->offsets = wider;
    head->span = span;
    return true;
}

static bool widen_all(struct module_stats *stats, int span, struct status *status)
{
    for (int k = 0; k < stats->count; k++)
        if (!head_sums_widen(&stats->sums[k], span, status))
            return false;
    return true;
}

static double sum_of(const struct module_rows *rows, enum head_sum sum, int k)
{
    const size_t at = (size_t)sum * (size_t)rows->heads + (size_t)k;
    if ((int)sum < ROW_FACTORS)
        return (double)rows->weighed[at];
    if (sum >= SUM_NEAR)
        return (double)rows->near.sums[at - (size_t)SUM_NEAR * (size_t)rows->heads];
    return rows->sums[at];
}

static const int *offsets_of(const struct module_rows *rows, int k)
{
    return rows->offsets + (size_t)k * (2 * (size_t)rows->span + 1) + rows->span;
}

/* Returns how often the greatest weight was at the most frequent offset. */
static int most_frequent(const struct module_rows *rows, int k)
{
    const int *offsets = offsets_of(rows, k);
    int most = 0;
    for (int o = rows->bounds[2 * k]; o <= rows->bounds[2 * k + 1]; o++)
        most = offsets[o] > most ? offsets[o] : most;
    return most;
}

static void add_examples(struct head_sums *head, const struct module_rows *rows, int k)
{
    for (int m = 0; m < MEASURE_COUNT; m++) {
        if (!head_measure_exists(rows->module, m))
            continue;
        double sum = m == MEASURE_OFFSET ? (double)most_frequent(rows, k)
                                         : sum_of(rows, head_measure_sum(m), k);
        head_examples_add(&head->examples[m], rows->sentence->number, sum / rows->counts[k]);
    }
}

static void commit_head(struct head_sums *head, const struct module_rows *rows, int k)
{
    const int *offsets = offsets_of(rows, k);
    if (!rows->counts[k])
        return;
    for (int s = 0; s < SUM_COUNT; s++)
        exact_sum_add(&head->sums[s], sum_of(rows, s, k));
    for (int o = rows->bounds[2 * k]; o <= rows->bounds[2 * k + 1]; o++)
        head->offsets[head->span + o] += offsets[o];
    head->rows += rows->counts[k];
    add_examples(head, rows, k);
}

static void commit(struct module_stats *stats, const struct module_rows *rows)
{
    for (int k = 0; k < stats->count; k++)
        commit_head(&stats->sums[k], rows, k);
    for (int a = 0; a < stats->count; a++)
        for (int b = a + 1; b < stats->count; b++) {
            size_t from = (size_t)a * (size_t)rows->heads + (size_t)b;
            size_t to = (size_t)a * (size_t)stats->count + (size_t)b;
            exact_sum_add(&stats->distances[to],
                          rows->distances[distance_place(rows->heads, a, b)]);
            stats->shared[to] += rows->full + rows->shared[from];
        }
    stats->rows += rows->rows.count - rows->first;
}

bool head_stats_add(struct head_stats *stats, const struct attended *sentence,
                    struct status *status)
{
    struct module_rows all[MODULE_COUNT] = {{.heads = 0}};
    bool ok = true;
    for (int m = 0; ok && m < MODULE_COUNT; m++) {
        if (!stats->modules[m].count)
            continue;
        ok = rows_open(&all[m], stats, m, sentence, status) &&
             widen_all(&stats->modules[m], all[m].span, status);
        for (int r = all[m].first; ok && r < all[m].rows.count; r++)
            if (m != MODULE_ENCODER || !sentence->rows || sentence->rows[r])
                add_row(&all[m], r);
    }
    if (ok && sentence->syntax && all[MODULE_ENCODER].heads)
        ok = relations_add(&stats->relations, sentence->syntax, all[MODULE_ENCODER].looks,
                           stats->modules[MODULE_ENCODER].count, status);
    for (int m = 0; m < MODULE_COUNT; m++) {
        if (ok && all[m].heads)
            commit(&stats->modules[m], &all[m]);
        rows_free(&all[m]);
    }
    stats->sentences += ok;
    return ok;
}
