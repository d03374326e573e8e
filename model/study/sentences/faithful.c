#include "model/study/sentences/faithful.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/quote.h"

/* Methods -------------------------------------------------------------------------------------- */

const char *faithful_name(const struct faithful_method *method)
{
    return method->random ? "random" : method_table[method->method].name;
}

bool faithful_methods(struct faithful_study *study, const struct strings *names,
                      struct status *status)
{
    study->methods = memory_new((size_t)names->count + 1, sizeof *study->methods, status);
    if (!study->methods)
        return false;
    for (int i = 0; i < names->count; i++) {
        method_find(names->text[i], &study->methods[i].method);
        for (int k = 0; k < i; k++)
            if (study->methods[k].method == study->methods[i].method)
                return status_fail(status, STATUS_INVALID, "%s: given twice", names->text[i]);
    }
    study->methods[names->count].random = true;
    study->method_count = names->count + 1;
    return true;
}

/* Records -------------------------------------------------------------------------------------- */

static void identify(const void *of, struct identity *identity)
{
    const struct faithful_study *study = of;
    for (int i = 0; i < study->method_count; i++)
        identity_text(identity, faithful_name(&study->methods[i]));
    identity_number(identity, study->options.baseline);
    for (int i = 0; i < study->method_count; i++)
        if (!study->methods[i].random && method_table[study->methods[i].method].steps) {
            identity_number(identity, study->options.steps);
            identity_number(identity, study->options.quadrature);
        }
    identity_number(identity, study->settings.seed);
    identity_number(identity, faithful_has_gold(study));
    for (int side = 0; faithful_has_gold(study) && side < 2; side++)
        identity_number(identity, study->gold.unspaced[side]);
}

static bool measure(void *of, const struct walk_sentence *sentence, struct record *out,
                    struct status *status)
{
    return faithful_measure(of, sentence, out, status);
}

enum { PREDICTED, WORDS };

/* Declares both measures of every method for each predicted token; with gold, also the source word
 * of each target word. */
static bool declare(const void *of, const struct walk_sentence *sentence,
                    struct record_shape *shape, struct status *status)
{
    const struct faithful_study *study = of;
    const struct record_field measures = {
        .rows = PREDICTED, .width = 2 * study->method_count, .least = -1, .most = 1};
    record_shape_dimension(shape, 0, RECORD_ROWS_MOST);
    if (!record_shape_add(shape, measures, status))
        return false;
    if (!faithful_has_gold(study))
        return true;
    const struct align_sentence_result *each = &study->gold.each[sentence->line];
    const struct record_field links = {.rows = WORDS,
                                       .width = study->method_count,
                                       .least = -1,
                                       .most = each->sources - 1,
                                       .whole = true};
    record_shape_dimension(shape, each->words, each->words);
    return record_shape_add(shape, links, status);
}

/* Adding --------------------------------------------------------------------------------------- */

static bool keep_links(struct faithful_study *study, int line, const double *links, int words,
                       struct status *status)
{
    struct align_sentence_result *each = &study->gold.each[line];
    const size_t count = (size_t)words * (size_t)study->method_count;
    each->links = memory_new(count, sizeof *each->links, status);
    for (size_t i = 0; each->links && i < count; i++)
        each->links[i] = (int16_t)links[i];
    return each->links != NULL;
}

static bool add_agreement(struct faithful_study *study, int line, int m, int64_t *counts,
                          struct status *status)
{
    struct align_head *head = &study->gold.heads[m];
    const struct alignment_counts before = head->counts;
    if (!align_counts(&study->gold, line, m, head, status))
        return false;
    counts[FAITHFUL_LINKS] = head->counts.links - before.links;
    counts[FAITHFUL_SURE] = head->counts.sure - before.sure;
    counts[FAITHFUL_SURE_FOUND] = head->counts.sure_found - before.sure_found;
    counts[FAITHFUL_POSSIBLE_FOUND] = head->counts.possible_found - before.possible_found;
    return true;
}

static void add_measures(const struct faithful_study *study, const double *measured, int rows,
                         int m, int64_t *counts)
{
    double sums[2] = {0, 0};
    for (int row = 0; row < rows; row++)
        for (int i = 0; i < 2; i++)
            sums[i] += measured[row * 2 * study->method_count + 2 * m + i];
    counts[FAITHFUL_COMPREHENSIVENESS] = llround(sums[0] * FAITHFUL_UNIT);
    counts[FAITHFUL_SUFFICIENCY] = llround(sums[1] * FAITHFUL_UNIT);
    counts[FAITHFUL_ROWS] = rows;
}

static bool add(void *of, const struct walk_sentence *sentence, const struct record_shape *shape,
                const struct record *record, struct status *status)
{
    struct faithful_study *study = of;
    int rows, words = 0;
    const double *measured = record_numbers(shape, record, 0, &rows);
    const size_t at = (size_t)study->sentences * FAITHFUL_COUNTS;
    if (faithful_has_gold(study)) {
        const double *links = record_numbers(shape, record, 1, &words);
        if (!keep_links(study, sentence->line, links, words, status))
            return false;
    }
    for (int m = 0; m < study->method_count; m++) {
        struct faithful_method *method = &study->methods[m];
        if (!memory_grow((void **)&method->counts, &method->capacity, at + FAITHFUL_COUNTS,
                         sizeof *method->counts, status))
            return false;
        memset(method->counts + at, 0, FAITHFUL_COUNTS * sizeof *method->counts);
        add_measures(study, measured, rows, m, method->counts + at);
        if (faithful_has_gold(study) &&
            !add_agreement(study, sentence->line, m, method->counts + at, status))
            return false;
    }
    study->rows += rows;
    study->sentences++;
    return true;
}

/* Scores --------------------------------------------------------------------------------------- */

static double mean_of(const int64_t *sums, int count)
{
    return sums[FAITHFUL_ROWS] ? (double)sums[count] / FAITHFUL_UNIT / (double)sums[FAITHFUL_ROWS]
                               : 0;
}

static double comprehensiveness_of(const void *unused, const int64_t *sums)
{
    (void)unused;
    return mean_of(sums, FAITHFUL_COMPREHENSIVENESS);
}

static double sufficiency_of(const void *unused, const int64_t *sums)
{
    (void)unused;
    return mean_of(sums, FAITHFUL_SUFFICIENCY);
}

/* Resamples without any link have the greatest error. */
static double error_rate_of(const void *unused, const int64_t *sums)
{
    const struct alignment_counts counts = {.links = sums[FAITHFUL_LINKS],
                                            .sure = sums[FAITHFUL_SURE],
                                            .sure_found = sums[FAITHFUL_SURE_FOUND],
                                            .possible_found = sums[FAITHFUL_POSSIBLE_FOUND]};
    const double rate = alignment_error_rate(&counts);
    (void)unused;
    return isnan(rate) ? 1 : rate;
}

static const struct metric metrics[FAITHFUL_MEASURES] = {
    [COMPREHENSIVENESS] = {FAITHFUL_COUNTS, comprehensiveness_of, NULL},
    [SUFFICIENCY] = {FAITHFUL_COUNTS, sufficiency_of, NULL},
    [AGREEMENT] = {FAITHFUL_COUNTS, error_rate_of, NULL}};

static double score_of(const struct faithful_study *study, int m, enum faithful_measure measure)
{
    int64_t sums[FAITHFUL_COUNTS] = {0};
    for (int s = 0; s < study->sentences; s++)
        counts_add(sums, study->methods[m].counts + (size_t)s * FAITHFUL_COUNTS, FAITHFUL_COUNTS);
    return metrics[measure].score(NULL, sums);
}

/* True if the measure has numbers. */
static bool is_measured(const struct faithful_study *study, enum faithful_measure measure)
{
    return measure != AGREEMENT || faithful_has_gold(study);
}

static void score_all(struct faithful_study *study)
{
    for (int m = 0; m < study->method_count; m++)
        for (int i = 0; i < FAITHFUL_MEASURES; i++)
            study->methods[m].scores[i] = (struct faithful_score){
                is_measured(study, i) ? score_of(study, m, i) : NAN, {NAN, NAN}, NAN};
}

/* Returns the method with the best score, the first if tied. */
static int best_of(const struct faithful_study *study, enum faithful_measure measure)
{
    const double sign = measure == COMPREHENSIVENESS ? 1 : -1;
    int best = 0;
    for (int m = 1; m < study->method_count; m++)
        if (sign * study->methods[m].scores[measure].score >
            sign * study->methods[best].scores[measure].score)
            best = m;
    return best;
}

static bool test_all(struct faithful_study *study, enum faithful_measure measure,
                     const struct watch *watch, struct status *status)
{
    const int best = best_of(study, measure);
    const unsigned long seed = (unsigned long)study->settings.seed;
    for (int m = 0; m < study->method_count; m++) {
        const struct paired paired = {&metrics[measure], study->methods[best].counts,
                                      study->methods[m].counts, study->sentences};
        struct faithful_score *score = &study->methods[m].scores[measure];
        struct bootstrap_result result;
        if (!bootstrap_test(&paired, study->settings.resamples, seed, watch, &result, status))
            return false;
        score->interval = result.interval[1];
        score->p = NAN;
        if (m != best &&
            !randomisation_test(&paired, study->settings.trials, seed, watch, &score->p, status))
            return false;
    }
    return true;
}

static int by_comprehensiveness(const void *first, const void *second)
{
    const struct faithful_method *a = first, *b = second;
    const double x = a->scores[COMPREHENSIVENESS].score, y = b->scores[COMPREHENSIVENESS].score;
    return (x < y) - (x > y);
}

/* Sentences finished before a stop get scores but no intervals: resampling could not be stopped. */
static bool finish(struct faithful_study *study, const struct watch *watch, bool stopped,
                   struct status *status)
{
    bool ok = true;
    score_all(study);
    for (int measure = 0; ok && !stopped && measure < FAITHFUL_MEASURES; measure++)
        ok = !is_measured(study, measure) || test_all(study, measure, watch, status);
    if (!ok && status->code == STATUS_CANCELLED)
        status_fail(status, STATUS_CANCELLED, "interrupted: measured, but without intervals");
    study->gold.sentences = study->walk.sentences;
    study->gold.best = best_of(study, AGREEMENT);
    struct status other;
    return align_find_from_1(&study->gold, stopped || !ok ? &other : status) && ok;
}

/* Running -------------------------------------------------------------------------------------- */

static bool check(const struct faithful_study *study, const struct model *model,
                  struct status *status)
{
    for (int i = 0; i < study->method_count; i++) {
        const struct prediction_question question = faithful_question(study, &study->methods[i]);
        if (!study->methods[i].random && question.method != METHOD_WEIGHTS &&
            !prediction_check(&question, model, status))
            return false;
    }
    return true;
}

static bool read_gold(const struct study_context *context, struct faithful_study *study,
                      struct status *status)
{
    if (!faithful_has_gold(study))
        return true;
    study->gold.head_count = study->method_count;
    study->gold.heads = memory_new((size_t)study->method_count, sizeof *study->gold.heads, status);
    study->walk.read[0] = &study->gold.lines[SIDE_SOURCE];
    study->walk.read[1] = &study->gold.lines[SIDE_TARGET];
    return study->gold.heads && align_read(context, &study->gold, status);
}

bool faithful_run(const struct study_context *context, struct faithful_study *study,
                  struct status *status)
{
    static const struct study functions = {identify, declare, measure, add};
    study->walk.kind = "erasing tokens";
    study->walk.done = "measured";
    study->walk.both = study->walk.targets != NULL;
    study->walk.study = &functions;
    study->walk.of = study;
    bool ok = check(study, context->state.model, status) && read_gold(context, study, status) &&
              study_walk(context, &study->walk, status);
    if (ok && !study->sentences && !shards_divided(context->shards))
        return status_fail(status, STATUS_INVALID,
                           "%s: no sentence has a translation in %s; expected one",
                           QUOTED_PATH(study->walk.path), QUOTED_PATH(study->walk.targets));
    if (study->sentences) {
        ok = finish(study, context->watch, !ok, status) && ok;
        qsort(study->methods, (size_t)study->method_count, sizeof *study->methods,
              by_comprehensiveness);
    }
    return ok;
}

void faithful_free(struct faithful_study *study)
{
    for (int m = 0; study->methods && m < study->method_count; m++)
        free(study->methods[m].counts);
    free(study->methods);
    study->methods = NULL;
    align_free(&study->gold);
}
