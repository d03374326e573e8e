/* Log-probabilities against log-softmax in double, and the ranking against a sort. */
#include <math.h>

#include "tests/gpu/ops_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

enum { LARGEST = 32003, TOPS = 200, MOST_ROWS = 40 };

struct logprob_case {
    int rows, vocabulary, tops;
    const float *logits;
    const uint8_t *excluded; // or NULL
    const int32_t *target;   // or NULL
    bool in_place;           // `all` where the logits were
};

struct report {
    int32_t id[MOST_ROWS * TOPS];
    float lp[MOST_ROWS * TOPS];
    float target[MOST_ROWS];
    float all[]; // (rows, vocabulary)
};

static size_t result_bytes(const struct logprob_case *logprob)
{
    return sizeof(struct report) +
           (size_t)logprob->rows * (size_t)logprob->vocabulary * sizeof(float);
}

static void run_logprob(struct ops *ops, void *out, const void *context)
{
    const struct logprob_case *logprob = context;
    struct report *result = out;
    const size_t rows = (size_t)logprob->rows, tops = (size_t)logprob->tops;
    const size_t all = rows * (size_t)logprob->vocabulary;
    struct logprob_args args = {.logits = ops_put(ops, logprob->logits, all * sizeof(float)),
                                .rows = logprob->rows,
                                .vocabulary = logprob->vocabulary,
                                .tops = logprob->tops};
    args.all = logprob->in_place ? args.logits : ops_floats(ops, all);
    if (logprob->excluded)
        args.excluded = ops_put(ops, logprob->excluded, (size_t)logprob->vocabulary);
    if (logprob->tops) {
        args.top_id = ops_floats(ops, rows * tops);
        args.top_lp = ops_floats(ops, rows * tops);
    }
    if (logprob->target) {
        args.target = ops_put(ops, logprob->target, rows * sizeof(int32_t));
        args.target_lp = ops_floats(ops, rows);
    }
    memset(result, 0, sizeof *result);
    ops->backend->logprob(ops->device, &args);
    ops_get(ops, result->all, args.all, all * sizeof(float));
    if (logprob->tops) {
        ops_get(ops, result->id, args.top_id, rows * tops * sizeof(int32_t));
        ops_get(ops, result->lp, args.top_lp, rows * tops * sizeof(float));
    }
    if (logprob->target)
        ops_get(ops, result->target, args.target_lp, rows * sizeof(float));
}

static struct report *logprob_result(const struct logprob_case *logprob)
{
    struct ops ops;
    struct report *result = malloc(result_bytes(logprob));
    assert_non_null(result);
    ops_open(&ops, NULL, 2);
    run_logprob(&ops, result, logprob);
    ops_close(&ops);
    return result;
}

static const float *sorted_by; // log-probabilities

static int compare(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    if (sorted_by[a] != sorted_by[b])
        return sorted_by[a] > sorted_by[b] ? -1 : 1;
    return a < b ? -1 : 1;
}

static void check_ranking(const struct logprob_case *logprob, const struct report *result, int m)
{
    static int order[LARGEST];
    int candidates = 0;
    sorted_by = result->all + (size_t)m * (size_t)logprob->vocabulary;
    for (int i = 0; i < logprob->vocabulary; i++)
        if (!(logprob->excluded && logprob->excluded[i]) && sorted_by[i] > -INFINITY)
            order[candidates++] = i;
    qsort(order, (size_t)candidates, sizeof *order, compare);
    for (int rank = 0; rank < logprob->tops; rank++) {
        int id = rank < candidates ? order[rank] : -1;
        float lp = id < 0 ? -INFINITY : sorted_by[id];
        int at = m * logprob->tops + rank;
        if (result->id[at] != id || !(result->lp[at] == lp))
            fail_msg("V %d, row %d, rank %d: token %d (%.9g), expected %d (%.9g)",
                     logprob->vocabulary, m, rank, result->id[at], result->lp[at], id, lp);
    }
}

static void check_logprob(const struct logprob_case *logprob, const struct report *result)
{
    static double expected[LARGEST];
    const int vocabulary = logprob->vocabulary;
    for (int m = 0; m < logprob->rows; m++) {
        const float *logits = logprob->logits + (size_t)m * (size_t)vocabulary;
        double highest = -INFINITY, total = 0;
        for (int i = 0; i < vocabulary; i++)
            highest = fmax(highest, logits[i]);
        for (int i = 0; i < vocabulary; i++)
            total += exp(logits[i] - highest);
        for (int i = 0; i < vocabulary; i++)
            expected[i] = logits[i] - highest - log(total);
        ops_assert_close("log-probability", result->all + (size_t)m * (size_t)vocabulary, expected,
                         (size_t)vocabulary, 3e-6);
        check_ranking(logprob, result, m);
        if (logprob->target && logprob->target[m] >= 0)
            assert_true(result->target[m] ==
                        result->all[(size_t)m * (size_t)vocabulary + (size_t)logprob->target[m]]);
        if (logprob->target && logprob->target[m] < 0)
            assert_true(result->target[m] == 0);
    }
}

static const int vocabularies[] = {1, 3, 17, 33, 129, 1025, LARGEST};
enum { VOCABULARIES = sizeof vocabularies / sizeof *vocabularies };

/* Coarse logits, so that there are many ties; every seventh token is excluded. */
static struct logprob_case case_of(float *logits, uint8_t *excluded, int32_t *target, int number)
{
    const int vocabulary = vocabularies[number / 2];
    ops_random_fill(logits, (size_t)(4 * vocabulary), 9, (uint64_t)number);
    for (int i = 0; i < 4 * vocabulary && number % 2; i++)
        logits[i] = roundf(logits[i]);
    for (int i = 0; i < vocabulary; i++)
        excluded[i] = i % 7 == 3;
    for (int m = 0; m < 4; m++)
        target[m] = m == 2 ? -1 : vocabulary / (m + 1) - 1 < 0 ? 0 : vocabulary / (m + 1) - 1;
    return (struct logprob_case){4,      vocabulary, number % 3 ? 8 : TOPS, logits, excluded,
                                 target, number % 2};
}

static float logits[4 * LARGEST];
static uint8_t excluded[LARGEST];
static int32_t target[MOST_ROWS];

static void log_probabilities_and_ranking_are_right(void **state)
{
    for (int number = 0; number < 2 * VOCABULARIES; number++) {
        struct logprob_case logprob = case_of(logits, excluded, target, number);
        struct report *result = logprob_result(&logprob);
        check_logprob(&logprob, result);
        free(result);
    }
}

static void log_probabilities_have_the_same_bits_everywhere(void **state)
{
    for (int number = 0; number < 2 * VOCABULARIES; number++) {
        struct logprob_case logprob = case_of(logits, excluded, target, number);
        ops_same_everywhere(run_logprob, &logprob, result_bytes(&logprob));
    }
}

static void a_row_of_logits_has_the_same_bits_alone(void **state)
{
    struct logprob_case logprob = case_of(logits, excluded, target, 2 * VOCABULARIES - 2);
    struct logprob_case alone = logprob;
    const size_t vocabulary = (size_t)logprob.vocabulary;
    struct report *all = logprob_result(&logprob);
    alone.rows = 1;
    for (int m = 0; m < logprob.rows; m++) {
        alone.logits = logits + (size_t)m * vocabulary;
        alone.target = target + m;
        struct report *one = logprob_result(&alone);
        ops_assert_same("all", one->all, all->all + (size_t)m * vocabulary,
                        vocabulary * sizeof *one->all);
        ops_assert_same("ids", one->id, all->id + m * logprob.tops,
                        (size_t)logprob.tops * sizeof *one->id);
        assert_true(one->target[0] == all->target[m]);
        free(one);
    }
    free(all);
}

/* In a flat distribution the sum has 32003 equal terms, so that errors would add up. */
static void a_flat_distribution_is_exact(void **state)
{
    for (int i = 0; i < LARGEST; i++)
        logits[i] = 0.1f;
    struct logprob_case logprob = {1, LARGEST, 4, logits, NULL, NULL, false};
    struct report *result = logprob_result(&logprob);
    for (int i = 0; i < LARGEST; i++)
        assert_true(fabs(result->all[i] + log(LARGEST)) < 1e-6);
    for (int rank = 0; rank < 4; rank++)
        assert_int_equal(result->id[rank], rank); // ties to the lower id
    free(result);
}

/* Ascending logits make every token the best so far. */
static void tokens_that_ascend_are_ranked(void **state)
{
    for (int i = 0; i < LARGEST; i++)
        logits[i] = (float)i * 0.001f;
    struct logprob_case logprob = {1, LARGEST, TOPS, logits, NULL, NULL, false};
    struct report *result = logprob_result(&logprob);
    check_logprob(&logprob, result);
    assert_int_equal(result->id[0], LARGEST - 1);
    free(result);
}

/* Each for one reason why little can be known about the ranked logits before all are looked at. */
static void rankings_that_cannot_be_guessed_are_right(void **state)
{
    enum { V = 3001, CASES = 6 };
    for (int number = 0; number < CASES; number++) {
        memset(excluded, 0, sizeof excluded);
        ops_random_fill(logits, V, 9, (uint64_t)number);
        for (int i = 0; i < V; i++) {
            excluded[i] = number == 0 && logits[i] > 7;
            if (number == 1) // steps of 1/16, the least there are
                logits[i] = 1e6f + roundf(logits[i]) / 16;
            if (number == 2 && i != 70) // out of reach of the highest
                logits[i] -= 1e5f;
            if (number == 3) // less apart than log-probabilities can be
                logits[i] *= 1e-8f;
            if (number == 4 && i % 64 > 6) // possible tokens in few groups
                logits[i] = -INFINITY;
            if (number == 5) // as much apart as the margin, and less
                logits[i] = roundf(logits[i]) * 3e-4f;
        }
        struct logprob_case logprob = {1, V, 12, logits, excluded, NULL, false};
        struct report *result = logprob_result(&logprob);
        check_ranking(&logprob, result, 0);
        free(result);
    }
}

/* All vocabularies; on a plug-in, which may be an emulated GPU, a few, and those where warps
 * end. */
static bool vocabulary_tried(int vocabulary)
{
    return !ops_on_plugin() || vocabulary % rounds_of(21, 7) == 1 || (vocabulary + 1) % 32 <= 2;
}

/* Most of the likely tokens are excluded, more than a guess allows for, in vocabularies of any
 * size. */
static void rankings_among_excluded_tokens_are_right(void **state)
{
    enum { LONGEST = 150 };
    static const float steps[] = {1, 1e-4f, 100};
    uint64_t seed = 5;
    for (int vocabulary = 1; vocabulary <= LONGEST; vocabulary++) {
        if (!vocabulary_tried(vocabulary))
            continue;
        for (int i = 0; i < MOST_ROWS * vocabulary; i++)
            logits[i] = roundf(ops_random(&seed, 20)) * steps[vocabulary % 3];
        for (int i = 0; i < vocabulary; i++)
            excluded[i] = ops_random(&seed, 1) > -0.5f;
        struct logprob_case logprob = {MOST_ROWS, vocabulary, 1 + vocabulary % 9, logits, excluded,
                                       NULL,      false};
        struct report *result = logprob_result(&logprob);
        for (int m = 0; m < MOST_ROWS; m++)
            check_ranking(&logprob, result, m);
        free(result);
    }
}

/* The first tokens are few and unlikely, and the likeliest are excluded: those between are better
 * than the first. */
static void tokens_behind_excluded_ones_replace_the_first(void **state)
{
    enum { V = 4608, FIRST = 1536, LIKELIEST = 2304, END = 3072, BETWEEN = -50 };
    memset(excluded, 0, sizeof excluded);
    for (int i = 0; i < V; i++)
        logits[i] = i >= LIKELIEST + 10 && i < END ? BETWEEN : -INFINITY;
    for (int i = 0; i < 8; i++) {
        logits[FIRST + i] = (float)(-100 - i);
        excluded[LIKELIEST + i] = 1;
    }
    for (int i = 0; i < 10; i++)
        logits[LIKELIEST + i] = 10;
    struct logprob_case logprob = {1, V, 4, logits, excluded, NULL, false};
    struct report *result = logprob_result(&logprob);
    const int32_t expected[] = {LIKELIEST + 8, LIKELIEST + 9, LIKELIEST + 10, LIKELIEST + 11};
    assert_memory_equal(result->id, expected, sizeof expected);
    free(result);
}

/* Different logits with one log-probability, just where the guess ends: 3072 and the margin below
 * the highest, because seven tokens in seven groups are within 3072. Of these two the lower id
 * counts. */
static void a_tie_at_the_end_of_the_guess_goes_to_the_lower_id(void **state)
{
    enum { V = 64, HIGHEST = 30, ABOVE = 60, BELOW = 10 };
    const float highest = 1500, edge = highest - 3072 - 1e-3f;
    memset(excluded, 0, sizeof excluded);
    for (int i = 0; i < V; i++)
        logits[i] = -5000;
    for (int i = 0; i < 6; i++) {
        logits[i] = highest - 3000;
        excluded[i] = 1;
    }
    logits[HIGHEST] = highest;
    logits[ABOVE] = nextafterf(edge, 0);
    logits[BELOW] = edge;
    struct logprob_case logprob = {1, V, 2, logits, excluded, NULL, false};
    struct report *result = logprob_result(&logprob);
    assert_true(result->all[ABOVE] == result->all[BELOW]); // else this tests nothing
    assert_int_equal(result->id[0], HIGHEST);
    assert_int_equal(result->id[1], BELOW);
    free(result);
}

static void excluded_tokens_keep_their_probability(void **state)
{
    const float row[3] = {logf(1), logf(2), logf(5)};
    const uint8_t without[3] = {0, 0, 1};
    struct logprob_case logprob = {1, 3, 3, row, without, NULL, false};
    struct report *result = logprob_result(&logprob);
    const int32_t expected[3] = {1, 0, -1};
    ops_assert_same("ids", result->id, expected, sizeof expected);
    ops_assert_close("lp", result->lp, (const double[]){log(0.25), log(0.125)}, 2, 1e-6);
    assert_true(isinf(result->lp[2]) && result->lp[2] < 0);
    assert_true(fabs(result->all[2] - log(0.625)) < 1e-6);
    free(result);
}

/* Six sentences with a beam of two, of which row m has lane `row_lane[m]`; hypotheses have at least
 * two tokens before one of the ends, 1 and 3. p = 1/16, 2/16, 5/16, 8/16, without the ends 1/6 and
 * 5/6. */
struct early_case {
    int position, limit; // starts 1: the next token is number position + 1
    enum search_limit at_limit;
    bool idle, barred;
};
static const struct early_case early_cases[] = {
    {0, 9, LIMIT_FORCED, false, true},  {1, 9, LIMIT_OPEN, false, true},
    {2, 9, LIMIT_FORCED, false, false}, {1, 2, LIMIT_FORCED, false, false},
    {1, 2, LIMIT_FREE, false, false},   {1, 2, LIMIT_OPEN, false, true},
    {2, 3, LIMIT_OPEN, false, false},   {0, 9, LIMIT_FORCED, true, false}};

static void run_early(struct ops *ops, void *out, const void *context)
{
    enum { SENTENCES = 6, BEAM = 2, SENTENCE = 4, LANE = SENTENCE * BEAM + 1 };
    const struct early_case *early = context;
    const float row[4] = {logf(1), logf(2), logf(5), logf(8)};
    const int32_t row_lane = early->idle ? -1 : LANE, wanted = 3;
    int32_t lanes[SENTENCES * BEAM][LANE_FIELDS] = {0}, limit[SENTENCES] = {0};
    lanes[LANE][LANE_POS] = early->position;
    limit[SENTENCE] = early->limit;
    const struct search_state search = {.sentences = SENTENCES,
                                        .beam = BEAM,
                                        .starts = 1,
                                        .ends = {3, 1},
                                        .end_count = 2,
                                        .at_limit = early->at_limit,
                                        .min_length = 2,
                                        .lane = ops_put(ops, lanes, sizeof lanes),
                                        .limit = ops_put(ops, limit, sizeof limit)};
    struct logprob_args args = {.logits = ops_put(ops, row, sizeof row),
                                .top_id = ops_floats(ops, 4),
                                .top_lp = ops_floats(ops, 4),
                                .target = ops_put(ops, &wanted, sizeof wanted),
                                .target_lp = ops_floats(ops, 1),
                                .search = &search,
                                .row_lane = ops_put(ops, &row_lane, sizeof row_lane),
                                .rows = 1,
                                .vocabulary = 4,
                                .tops = 4};
    struct report *result = out;
    memset(result, 0, sizeof *result);
    ops->backend->logprob(ops->device, &args);
    ops_get(ops, result->id, args.top_id, 4 * sizeof *result->id);
    ops_get(ops, result->lp, args.top_lp, 4 * sizeof *result->lp);
    ops_get(ops, result->target, args.target_lp, sizeof *result->target);
}

static void ends_have_no_probability_where_hypotheses_may_not_end(void **state)
{
    for (size_t i = 0; i < sizeof early_cases / sizeof *early_cases; i++) {
        static struct report result;
        struct ops ops;
        ops_open(&ops, NULL, 1);
        run_early(&ops, &result, &early_cases[i]);
        ops_close(&ops);
        const int32_t all[4] = {3, 2, 1, 0}, others[4] = {2, 0, -1, -1};
        const double of_all[4] = {log(0.5), log(0.3125), log(0.125), log(0.0625)};
        const double of_others[4] = {log(5 / 6.0), log(1 / 6.0)};
        const bool barred = early_cases[i].barred;
        ops_assert_same("ids", result.id, barred ? others : all, sizeof all);
        ops_assert_close("lp", result.lp, barred ? of_others : of_all, barred ? 2 : 4, 1e-6);
        assert_true(barred ? isinf(result.target[0]) && result.target[0] < 0
                           : fabs(result.target[0] - log(0.5)) < 1e-6);
    }
}

/* Thousands of impossible tokens in a row, and the others far from zero. */
static void impossible_tokens_leave_the_others_their_probability(void **state)
{
    enum { V = 10000, FROM = 5000 };
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < V; i++)
            logits[i] = i < FROM ? -INFINITY : (float)sign * 900 + (float)(i % 3);
        struct logprob_case logprob = {1, V, 4, logits, NULL, NULL, false};
        struct report *result = logprob_result(&logprob);
        const double total = log(FROM / 3.0 * (1 + exp(1) + exp(2)));
        for (int i = 0; i < V; i++)
            assert_true(i < FROM ? isinf(result->all[i]) && result->all[i] < 0
                                 : fabs(result->all[i] - (i % 3 - total)) < 2e-4);
        check_ranking(&logprob, result, 0);
        free(result);
    }
}

/* Impossible tokens are not ranked, and nothing is ranked where the probabilities are no
 * numbers. */
static void logits_that_are_no_numbers_rank_nothing(void **state)
{
    enum { V = 70 };
    const float odd[] = {NAN, INFINITY, -INFINITY};
    for (int c = 0; c < 3; c++) {
        for (int everywhere = 0; everywhere < 2; everywhere++) {
            float row[V];
            for (int i = 0; i < V; i++)
                row[i] = everywhere || i == 17 ? odd[c] : (float)i;
            struct logprob_case logprob = {1, V, 4, row, NULL, NULL, false};
            struct report *result = logprob_result(&logprob);
            for (int rank = 0; rank < 4; rank++) {
                int expected = c == 2 && !everywhere ? V - 1 - rank : -1;
                assert_int_equal(result->id[rank], expected);
            }
            free(result);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(log_probabilities_and_ranking_are_right),
        cmocka_unit_test(log_probabilities_have_the_same_bits_everywhere),
        cmocka_unit_test(a_row_of_logits_has_the_same_bits_alone),
        cmocka_unit_test(a_flat_distribution_is_exact),
        cmocka_unit_test(tokens_that_ascend_are_ranked),
        cmocka_unit_test(rankings_that_cannot_be_guessed_are_right),
        cmocka_unit_test(rankings_among_excluded_tokens_are_right),
        cmocka_unit_test(tokens_behind_excluded_ones_replace_the_first),
        cmocka_unit_test(a_tie_at_the_end_of_the_guess_goes_to_the_lower_id),
        cmocka_unit_test(excluded_tokens_keep_their_probability),
        cmocka_unit_test(ends_have_no_probability_where_hypotheses_may_not_end),
        cmocka_unit_test(impossible_tokens_leave_the_others_their_probability),
        cmocka_unit_test(logits_that_are_no_numbers_rank_nothing),
    };
    int failed = 0;
    while (ops_next_order())
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
