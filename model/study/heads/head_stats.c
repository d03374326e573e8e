#include "model/study/heads/head_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/heads/head_sums.h"

const char *const head_measure_names[] = {
    "entropy", "confidence", "confidence_no_eos", "distance",    "offset_share",
    "eos",     "self",       "punctuation",       "within_word", "rare",
    NULL};

/* Fixed patterns ------------------------------------------------------------------------------- */

#define FIXED(of, over)                                                                            \
    {                                                                                              \
        .energy = ENERGY_FIXED, .pattern = of, .unit = over                                        \
    }
#define BOTH_UNITS(text, of)                                                                       \
    {text, FIXED(of, UNIT_TOKEN)},                                                                 \
    {                                                                                              \
        text " word", FIXED(of, UNIT_WORD)                                                         \
    }
#define GAUSSIAN(text, away)                                                                       \
    {                                                                                              \
        text,                                                                                      \
        {                                                                                          \
            .energy = ENERGY_FIXED, .pattern = PATTERN_GAUSSIAN, .offset = away, .deviation = 1    \
        }                                                                                          \
    }

const struct near_pattern near_patterns[NEAR_PATTERNS] = {
    BOTH_UNITS("current", PATTERN_CURRENT),
    BOTH_UNITS("previous", PATTERN_PREVIOUS),
    BOTH_UNITS("next", PATTERN_NEXT),
    BOTH_UNITS("left_context", PATTERN_LEFT_CONTEXT),
    BOTH_UNITS("right_context", PATTERN_RIGHT_CONTEXT),
    BOTH_UNITS("sentence_end", PATTERN_SENTENCE_END),
    BOTH_UNITS("sentence_start", PATTERN_SENTENCE_START),
    BOTH_UNITS("last", PATTERN_LAST),
    GAUSSIAN("gaussian -1", -1),
    GAUSSIAN("gaussian", 0),
    GAUSSIAN("gaussian 1", 1),
};

/* Opening -------------------------------------------------------------------------------------- */

static bool open_heads(struct module_stats *module, const bool *wanted, struct status *status)
{
    size_t all = (size_t)module->layers * (size_t)module->heads;
    for (size_t i = 0; i < all; i++)
        module->count += wanted[i];
    if (module->count > STATS_HEADS_MOST)
        return status_fail(status, STATUS_INVALID, "%d heads of one module, expected at most %d",
                           module->count, STATS_HEADS_MOST);
    size_t count = (size_t)module->count;
    module->of = memory_new(count, sizeof *module->of, status);
    module->sums = memory_new(count, sizeof *module->sums, status);
    module->distances = memory_new(count * count, sizeof *module->distances, status);
    module->shared = memory_new(count * count, sizeof *module->shared, status);
    if (!module->of || !module->sums || !module->distances || !module->shared)
        return false;
    for (size_t i = 0, k = 0; i < all; i++)
        if (wanted[i])
            module->of[k++] = (int)i;
    return true;
}

bool head_stats_open(const struct config *config, const bool *const wanted[MODULE_COUNT],
                     struct head_stats *stats, struct status *status)
{
    *stats = (struct head_stats){.sentences = 0};
    for (int m = 0; m < MODULE_COUNT; m++) {
        struct module_stats *module = &stats->modules[m];
        if (!wanted[m])
            continue;
        module->layers = module_layers(config, m);
        module->heads = module_heads(config, m);
        if (!open_heads(module, wanted[m], status)) {
            head_stats_free(stats);
            return false;
        }
    }
    return true;
}

bool head_stats_like(const struct head_stats *stats, struct head_stats *like, struct status *status)
{
    bool ok = true;
    *like = (struct head_stats){.sentences = 0};
    for (int m = 0; ok && m < MODULE_COUNT; m++) {
        const struct module_stats *module = &stats->modules[m];
        size_t all = (size_t)module->layers * (size_t)module->heads;
        bool *wanted = memory_new(all, sizeof *wanted, status);
        for (int k = 0; wanted && k < module->count; k++)
            wanted[module->of[k]] = true;
        like->modules[m].layers = module->layers;
        like->modules[m].heads = module->heads;
        ok = wanted && (!module->of || open_heads(&like->modules[m], wanted, status));
        free(wanted);
    }
    if (!ok)
        head_stats_free(like);
    return ok;
}

void head_stats_free(struct head_stats *stats)
{
    for (int m = 0; m < MODULE_COUNT; m++) {
        struct module_stats *module = &stats->modules[m];
        for (int k = 0; module->sums && k < module->count; k++)
            free(module->sums[k].offsets);
        free(module->of);
        free(module->sums);
        free(module->distances);
        free(module->shared);
    }
    relations_free(&stats->relations);
    *stats = (struct head_stats){.sentences = 0};
}

/* Examples ------------------------------------------------------------------------------------- */

/* Inserts the example in a list of `count`; if the list is full, the last one is dropped. sign: 1
 * puts the greatest first, -1 the least. */
static void insert(struct head_example *list, int count, struct head_example example, float sign)
{
    int at = count;
    while (at > 0 && sign * example.mean > sign * list[at - 1].mean)
        at--;
    if (at == EXAMPLES_MOST)
        return;
    int moved = (count < EXAMPLES_MOST ? count : EXAMPLES_MOST - 1) - at;
    memmove(list + at + 1, list + at, (size_t)moved * sizeof *list);
    list[at] = example;
}

void head_examples_add(struct head_examples *examples, int sentence, double mean)
{
    const struct head_example example = {sentence, (float)mean};
    insert(examples->most, examples->count, example, 1);
    insert(examples->least, examples->count, example, -1);
    examples->count += examples->count < EXAMPLES_MOST;
}

void head_examples_merge(struct head_examples *examples, const struct head_examples *later)
{
    for (int i = 0; i < later->count; i++) {
        insert(examples->most, examples->count, later->most[i], 1);
        insert(examples->least, examples->count, later->least[i], -1);
        examples->count += examples->count < EXAMPLES_MOST;
    }
}

/* Asking --------------------------------------------------------------------------------------- */

enum head_sum head_measure_sum(enum head_measure measure)
{
    static const enum head_sum sums[MEASURE_COUNT] = {[MEASURE_ENTROPY] = SUM_ENTROPY,
                                                      [MEASURE_CONFIDENCE] = SUM_CONFIDENCE,
                                                      [MEASURE_CONFIDENCE_NO_EOS] =
                                                          SUM_CONFIDENCE_NO_EOS,
                                                      [MEASURE_DISTANCE] = SUM_DISTANCE,
                                                      [MEASURE_OFFSET] = SUM_COUNT,
                                                      [MEASURE_EOS] = SUM_EOS,
                                                      [MEASURE_SELF] = SUM_HERE,
                                                      [MEASURE_PUNCTUATION] = SUM_PUNCTUATION,
                                                      [MEASURE_WITHIN_WORD] = SUM_WITHIN_WORD,
                                                      [MEASURE_RARE] = SUM_RARE};
    return sums[measure];
}

bool head_measure_exists(enum module module, enum head_measure measure)
{
    return module != MODULE_CROSS || (measure != MEASURE_SELF && measure != MEASURE_WITHIN_WORD);
}

/* Returns the most frequent of 2 * span + 1 offsets; of equally frequent ones the nearest, then the
 * left one. */
static int most_frequent_offset(const int64_t *offsets, int span)
{
    int best = 0;
    for (int away = 1; away <= span; away++) {
        if (offsets[span - away] > offsets[span + best])
            best = -away;
        if (offsets[span + away] > offsets[span + best])
            best = away;
    }
    return best;
}

static const struct head_sums *sums_of(const struct head_stats *stats, enum module module,
                                       int index)
{
    return &stats->modules[module].sums[index];
}

int64_t head_rows(const struct head_stats *stats, enum module module, int index)
{
    return sums_of(stats, module, index)->rows;
}

int head_offset(const struct head_stats *stats, enum module module, int index)
{
    const struct head_sums *head = sums_of(stats, module, index);
    return head->rows ? most_frequent_offset(head->offsets, head->span) : 0;
}

double head_mean(const struct head_stats *stats, enum module module, int index,
                 enum head_measure measure)
{
    const struct head_sums *head = sums_of(stats, module, index);
    if (!head->rows || !head_measure_exists(module, measure))
        return NAN;
    double sum = measure == MEASURE_OFFSET
                     ? (double)head->offsets[head->span + head_offset(stats, module, index)]
                     : exact_sum_value(head->sums[head_measure_sum(measure)]);
    return sum / (double)head->rows;
}

double head_place_share(const struct head_stats *stats, enum module module, int index,
                        enum head_place place)
{
    static const enum head_sum sums[HEAD_PLACES] = {[PLACE_HERE] = SUM_HERE,
                                                    [PLACE_PREVIOUS] = SUM_PREVIOUS,
                                                    [PLACE_NEXT] = SUM_NEXT,
                                                    [PLACE_LEFT] = SUM_LEFT,
                                                    [PLACE_RIGHT] = SUM_RIGHT};
    const struct head_sums *head = sums_of(stats, module, index);
    return head->rows ? exact_sum_value(head->sums[sums[place]]) / (double)head->rows : NAN;
}

double head_offset_share(const struct head_stats *stats, enum module module, int index, int offset)
{
    const struct head_sums *head = sums_of(stats, module, index);
    if (!head->rows)
        return NAN;
    return abs(offset) > head->span
               ? 0
               : (double)head->offsets[head->span + offset] / (double)head->rows;
}

double head_zeros(const struct head_stats *stats, enum module module, int index)
{
    const struct head_sums *head = sums_of(stats, module, index);
    return head->rows ? exact_sum_value(head->sums[SUM_ZEROS]) / (double)head->rows : NAN;
}

int head_nearest(const struct head_stats *stats, enum module module, int index, double *near)
{
    const struct head_sums *head = sums_of(stats, module, index);
    int best = 0;
    double most = -1;
    for (int p = 0; p < NEAR_PATTERNS; p++) {
        const double sum = exact_sum_value(head->sums[SUM_NEAR + p]);
        if (sum > most) {
            most = sum;
            best = p;
        }
    }
    *near = head->rows ? most / (double)head->rows : NAN;
    return best;
}

double head_distance(const struct head_stats *stats, enum module module, int a, int b)
{
    const struct module_stats *of = &stats->modules[module];
    if (a == b)
        return of->sums[a].rows ? 0 : NAN;
    size_t pair = a < b ? (size_t)a * (size_t)of->count + (size_t)b
                        : (size_t)b * (size_t)of->count + (size_t)a;
    return of->shared[pair] ? exact_sum_value(of->distances[pair]) / (double)of->shared[pair] : NAN;
}

const struct head_examples *head_examples(const struct head_stats *stats, enum module module,
                                          int index, enum head_measure measure)
{
    return &sums_of(stats, module, index)->examples[measure];
}

/* Names ---------------------------------------------------------------------------------------- */

const struct head_kind_info head_kinds[HEAD_KINDS] = {
    [HEAD_CURRENT] = {"current", MEASURE_OFFSET},
    [HEAD_PREVIOUS] = {"previous", MEASURE_OFFSET},
    [HEAD_NEXT] = {"next", MEASURE_OFFSET},
    [HEAD_WITHIN_WORD] = {"within word", MEASURE_WITHIN_WORD},
    [HEAD_EOS] = {"end-of-sentence", MEASURE_EOS},
    [HEAD_PUNCTUATION] = {"punctuation", MEASURE_PUNCTUATION},
    [HEAD_RARE] = {"rare token", MEASURE_RARE},
    [HEAD_SYNTACTIC] = {"syntactic", MEASURE_CONFIDENCE_NO_EOS},
    [HEAD_START] = {"sentence start", MEASURE_CONFIDENCE},
    [HEAD_END] = {"sentence end", MEASURE_CONFIDENCE},
    [HEAD_BROAD] = {"broad", MEASURE_ENTROPY},
    [HEAD_LEFT] = {"left context", MEASURE_DISTANCE},
    [HEAD_RIGHT] = {"right context", MEASURE_DISTANCE},
    [HEAD_FOCUSED] = {"focused", MEASURE_CONFIDENCE},
    [HEAD_MIXED] = {"mixed", MEASURE_CONFIDENCE},
    [HEAD_UNUSED] = {"unused", MEASURE_CONFIDENCE},
};

struct rule {
    enum head_sum sum;
    enum head_kind kind;
    bool decoder, cross; // true: also holds for heads there
};

#define MOSTLY 0.5
#define NEARLY_UNIFORM 0.9
#define ABOVE_BASELINE 0.1

bool head_relation(const struct head_stats *stats, int index, int *relation,
                   enum relation_direction *direction)
{
    const struct head_relations *all = &stats->relations;
    double best = -1;
    for (int i = 0; i < all->count; i++) {
        const int r = i / RELATION_DIRECTIONS;
        const enum relation_direction d = (enum relation_direction)(i % RELATION_DIRECTIONS);
        double above = relation_accuracy(all, r, d, index) - relation_baseline(all, r, d);
        if (relation_rows(all, r, d) >= RELATION_ROWS_LEAST && above >= ABOVE_BASELINE &&
            above > best) {
            best = above;
            *relation = r;
            *direction = d;
        }
    }
    return best > 0;
}

/* Returns the kind of the first rule that has half of the weight; HEAD_KINDS: none has. */
static enum head_kind first_rule(const struct head_sums *head, enum module module,
                                 const struct rule *rules)
{
    for (; rules->kind != HEAD_KINDS; rules++) {
        bool applies = module == MODULE_ENCODER || (module == MODULE_DECODER && rules->decoder) ||
                       (module == MODULE_CROSS && rules->cross);
        if (applies && exact_sum_value(head->sums[rules->sum]) >= MOSTLY * (double)head->rows)
            return rules->kind;
    }
    return HEAD_KINDS;
}

enum head_kind head_kind(const struct head_stats *stats, enum module module, int index)
{
    static const struct rule special[] = {
        {SUM_HERE, HEAD_CURRENT, true, true}, {SUM_PREVIOUS, HEAD_PREVIOUS, true, true},
        {SUM_NEXT, HEAD_NEXT, true, true},    {SUM_WITHIN_WORD, HEAD_WITHIN_WORD, true, false},
        {SUM_EOS, HEAD_EOS, true, true},      {SUM_PUNCTUATION, HEAD_PUNCTUATION, true, true},
        {SUM_RARE, HEAD_RARE, true, true},    {.kind = HEAD_KINDS}};
    static const struct rule places[] = {{SUM_START, HEAD_START, false, true},
                                         {SUM_END, HEAD_END, false, true},
                                         {.kind = HEAD_KINDS}};
    static const struct rule general[] = {{SUM_LEFT, HEAD_LEFT, true, true},
                                          {SUM_RIGHT, HEAD_RIGHT, true, true},
                                          {SUM_CONFIDENCE, HEAD_FOCUSED, true, true},
                                          {.kind = HEAD_KINDS}};
    const struct head_sums *head = sums_of(stats, module, index);
    enum relation_direction direction;
    int relation;
    if (!head->rows)
        return HEAD_UNUSED;
    enum head_kind kind = first_rule(head, module, special);
    if (kind == HEAD_KINDS && module == MODULE_ENCODER &&
        head_relation(stats, index, &relation, &direction))
        return HEAD_SYNTACTIC;
    kind = kind == HEAD_KINDS ? first_rule(head, module, places) : kind;
    if (kind != HEAD_KINDS)
        return kind;
    if (exact_sum_value(head->sums[SUM_ENTROPY]) >=
        NEARLY_UNIFORM * exact_sum_value(head->sums[SUM_UNIFORM]))
        return HEAD_BROAD;
    kind = first_rule(head, module, general);
    return kind == HEAD_KINDS ? HEAD_MIXED : kind;
}

const char *head_name(const struct head_stats *stats, enum module module, int index)
{
    return head_kinds[head_kind(stats, module, index)].name;
}
