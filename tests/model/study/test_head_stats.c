/* Statistics of heads over rows that are worked out on paper; row arithmetic of all instruction
 * sets; clusters; studies that are stopped. */
#include <math.h>
#include <unistd.h>

#include "model/study/heads/attention_rows.h"
#include "model/study/heads/head_cluster.h"
#include "model/study/heads/head_stats.h"
#include "model/study/sentences/head_stats_run.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

/* On paper ------------------------------------------------------------------------------------- */

enum { HEADS = 4, TOKENS = 4 };

/* Four source tokens, the last one end-of-sentence; the first two are one word, the third is a
 * comma. */
static const bool eos[] = {false, false, false, true}, comma[] = {false, false, true, false};
static const bool rare[] = {false, true, false, false};
static const int words[] = {0, 0, 1, 2};

/* Rows of four heads: the token before; uniform; nothing but in row 2; a half on row 0, a half on
 * row 3. */
static float before[] = {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
static float uniform[] = {.25f, .25f, .25f, .25f, .25f, .25f, .25f, .25f,
                          .25f, .25f, .25f, .25f, .25f, .25f, .25f, .25f};
static float once[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0};
static float ends[] = {.5f, 0, 0, .5f, .5f, 0, 0, .5f, .5f, 0, 0, .5f, .5f, 0, 0, .5f};

/* A model of one encoder layer with four heads, as far as statistics ask. */
static struct config paper_config(void)
{
    struct config config = {.d_model = 4};
    config.stacks[STACK_ENCODER] = (struct stack_config){.layers = 1, .heads = HEADS};
    config.stacks[STACK_DECODER] = (struct stack_config){.layers = 1, .heads = HEADS};
    return config;
}

static void add_paper(struct head_stats *stats, enum module module)
{
    float *weights[] = {before, uniform, once, ends};
    struct capture capture = {.source_count = TOKENS, .target_rows = TOKENS};
    const struct attended_tokens tokens = {eos, comma, rare, words, TOKENS};
    struct attended sentence = {.number = 7, .source = tokens, .inputs = tokens, .starts = 1};
    struct status status;
    capture.weights[module] = weights;
    sentence.capture = &capture;
    assert_true(head_stats_add(stats, &sentence, &status));
}

static struct head_stats open_paper(enum module module, bool *wanted)
{
    const struct config config = paper_config();
    const bool *of[MODULE_COUNT] = {NULL};
    struct head_stats stats;
    struct status status;
    of[module] = wanted;
    assert_true(head_stats_open(&config, of, &stats, &status));
    return stats;
}

static void check_means(const struct head_stats *stats, enum module module, int index,
                        const double wanted[MEASURE_COUNT])
{
    for (int m = 0; m < MEASURE_COUNT; m++) {
        double is = head_mean(stats, module, index, m);
        if (isnan(wanted[m]) ? !isnan(is) : !(fabs(is - wanted[m]) < 1e-6))
            fail_msg("head %d %s: %.9g, expected %.9g", index, head_measure_names[m], is,
                     wanted[m]);
    }
}

static void means_of_the_encoder_are_those_on_paper(void **state)
{
    bool wanted[HEADS] = {true, true, true, true};
    struct head_stats stats = open_paper(MODULE_ENCODER, wanted);
    add_paper(&stats, MODULE_ENCODER);
    /* Row 0 has no weight. The other three are on token 0 (same word), 1 (rare) and 2 (comma). */
    check_means(&stats, MODULE_ENCODER, 0, (double[]){0, 1, 1, 1, 1, 0, 0, 1. / 3, 1. / 3, 1. / 3});
    /* |i-j|: 6, 4, 4, 6 quarters; greatest weights are at token 0: offsets 0, -1, -2, -3. Two of
     * four rows have one other token in their word. */
    check_means(&stats, MODULE_ENCODER, 1,
                (double[]){2, .25, .25, 1.25, .25, .25, .25, .25, .125, .25});
    check_means(&stats, MODULE_ENCODER, 2, (double[]){0, 1, 1, 0, 1, 0, 1, 1, 0, 0});
    /* Row 1 has half of its weight on token 0 of its word. */
    check_means(&stats, MODULE_ENCODER, 3, (double[]){1, .5, .5, 1.5, .25, .5, .25, 0, .125, 0});
    assert_int_equal(head_rows(&stats, MODULE_ENCODER, 0), 3);
    assert_int_equal(head_offset(&stats, MODULE_ENCODER, 0), -1);
    assert_int_equal(head_offset(&stats, MODULE_ENCODER, 1), 0);
    assert_string_equal(head_name(&stats, MODULE_ENCODER, 0), "previous");
    assert_string_equal(head_name(&stats, MODULE_ENCODER, 1), "broad");
    assert_string_equal(head_name(&stats, MODULE_ENCODER, 2), "current");
    assert_string_equal(head_name(&stats, MODULE_ENCODER, 3), "end-of-sentence");
    head_stats_free(&stats);
}

static void positions_without_weight_are_those_on_paper(void **state)
{
    static const double shares[HEADS] = {.75, 0, .75, .5}; // of rows with weight
    bool wanted[HEADS] = {true, true, true, true};
    struct head_stats stats = open_paper(MODULE_ENCODER, wanted);
    assert_true(isnan(head_zeros(&stats, MODULE_ENCODER, 0)));
    add_paper(&stats, MODULE_ENCODER);
    for (int k = 0; k < HEADS; k++)
        assert_float_equal(head_zeros(&stats, MODULE_ENCODER, k), shares[k], 1e-9);
    head_stats_free(&stats);
}

static void check_nearest(const struct head_stats *stats, enum module module, int index,
                          const char *name, double near)
{
    double is;
    const int at = head_nearest(stats, module, index, &is);
    assert_string_equal(near_patterns[at].name, name);
    assert_float_equal(is, near, 1e-6);
}

static void nearest_patterns_are_those_on_paper(void **state)
{
    bool wanted[HEADS] = {true, true, true, true};
    struct head_stats stats = open_paper(MODULE_ENCODER, wanted);
    add_paper(&stats, MODULE_ENCODER);
    check_nearest(&stats, MODULE_ENCODER, 0, "previous", 1);
    check_nearest(&stats, MODULE_ENCODER, 2, "current", 1);
    /* Of three words, cubes 1, 8 and 27 of 36; the first word has two tokens. */
    check_nearest(&stats, MODULE_ENCODER, 3, "sentence_end word", .5 + .5 / 36);
    head_stats_free(&stats);
    stats = open_paper(MODULE_CROSS, wanted);
    add_paper(&stats, MODULE_CROSS);
    /* No pattern over words: the cubes of four tokens are 1, 8, 27 and 64 of 100. */
    check_nearest(&stats, MODULE_CROSS, 3, "sentence_end", .5 + .01);
    head_stats_free(&stats);
}

/* With p on one of n columns, q uniform: m is (1 + 1/n)/2 there and 1/2n elsewhere. */
static void distances_are_those_on_paper(void **state)
{
    bool wanted[HEADS] = {true, true, true, true};
    struct head_stats stats = open_paper(MODULE_ENCODER, wanted);
    add_paper(&stats, MODULE_ENCODER);
    /* H(m) = -5/8 log2 5/8 - 3/8 log2 1/8; H(p) = 0, H(q) = 2. */
    double one = -5. / 8 * log2(5. / 8) + 3. / 8 * 3 - 1;
    /* ends and uniform: m = 3/8 3/8 1/8 1/8. */
    double two = 3. / 4 * log2(8. / 3) + 1. / 4 * 3 - 1.5;
    /* Row 1 has both on token 0: m = 3/4, 1/4. Rows 2 and 3 have nothing in common. */
    double shared = -3. / 4 * log2(3. / 4) + 1. / 4 * 2 - .5;
    assert_float_equal(head_distance(&stats, MODULE_ENCODER, 0, 1), sqrt(one), 1e-6);
    assert_float_equal(head_distance(&stats, MODULE_ENCODER, 1, 3), sqrt(two), 1e-6);
    assert_float_equal(head_distance(&stats, MODULE_ENCODER, 0, 3), (sqrt(shared) + 2) / 3, 1e-6);
    assert_float_equal(head_distance(&stats, MODULE_ENCODER, 3, 0), (sqrt(shared) + 2) / 3, 1e-6);
    assert_float_equal(head_distance(&stats, MODULE_ENCODER, 0, 2), 1, 1e-6); // of row 2 alone
    assert_float_equal(head_distance(&stats, MODULE_ENCODER, 1, 1), 0, 0);
    head_stats_free(&stats);
}

/* Rows of cross-attention count as the token that they predict; that of the start token predicts
 * the first one. The three rows with weight of head 0 are on token 0 (same word), 1 (rare) and 2
 * (comma), and row r predicts token r. */
static void rows_of_cross_attention_are_counted_from_what_they_predict(void **state)
{
    bool wanted[HEADS] = {true, true, true, true};
    struct head_stats stats = open_paper(MODULE_CROSS, wanted);
    add_paper(&stats, MODULE_CROSS);
    check_means(&stats, MODULE_CROSS, 0, (double[]){0, 1, 1, 1, 1, 0, NAN, 1. / 3, NAN, 1. / 3});
    check_means(&stats, MODULE_CROSS, 3, (double[]){1, .5, .5, 1.5, .25, .5, NAN, 0, NAN, 0});
    assert_int_equal(head_rows(&stats, MODULE_CROSS, 1), 4);
    assert_int_equal(head_offset(&stats, MODULE_CROSS, 0), -1);
    head_stats_free(&stats);
}

/* A head that never has weight is unused, and one that is not wanted is not there. */
static void heads_without_rows_have_no_means(void **state)
{
    bool wanted[HEADS] = {true, false, true, false};
    struct head_stats stats = open_paper(MODULE_ENCODER, wanted);
    assert_int_equal(stats.modules[MODULE_ENCODER].count, 2);
    assert_true(isnan(head_mean(&stats, MODULE_ENCODER, 1, MEASURE_ENTROPY)));
    assert_true(isnan(head_distance(&stats, MODULE_ENCODER, 0, 1)));
    assert_string_equal(head_name(&stats, MODULE_ENCODER, 0), "unused");
    head_stats_free(&stats);
}

/* Token 1 depends on token 0 in one sentence, on token 3 in the other. */
static void add_dependent(struct head_stats *stats, int on)
{
    float follows[] = {.25f, .25f, .25f, .25f, 0,    0,    0,    0,
                       .25f, .25f, .25f, .25f, .25f, .25f, .25f, .25f};
    float *weights[] = {follows, uniform, uniform, uniform};
    static const bool none[TOKENS];
    static const int own[] = {0, 1, 2, 3}, relations[] = {-1, 0, -1, -1};
    const int heads[] = {-1, on, -1, -1};
    const struct syntax syntax = {own, TOKENS, heads, relations, TOKENS};
    const struct attended_tokens tokens = {none, none, none, own, TOKENS};
    struct capture capture = {.source_count = TOKENS, .weights = {weights}};
    const struct attended sentence = {
        .source = tokens, .inputs = tokens, .capture = &capture, .syntax = &syntax};
    struct status status;
    follows[TOKENS + on] = 1;
    assert_true(head_stats_add(stats, &sentence, &status));
}

/* It is right in every row; the best single offset, -1, in 11 of 21. Below 20 rows that says
 * nothing. */
static void a_head_that_follows_a_relation_is_syntactic(void **state)
{
    bool wanted[HEADS] = {true, true, false, false};
    struct head_stats stats = open_paper(MODULE_ENCODER, wanted);
    enum relation_direction direction;
    int relation;
    for (int i = 0; i < 19; i++)
        add_dependent(&stats, i % 2 ? 3 : 0);
    assert_string_equal(head_name(&stats, MODULE_ENCODER, 0), "mixed");
    add_dependent(&stats, 3);
    add_dependent(&stats, 0);
    assert_string_equal(head_name(&stats, MODULE_ENCODER, 0), "syntactic");
    assert_true(head_relation(&stats, 0, &relation, &direction));
    assert_int_equal(relation, 0);
    assert_int_equal(direction, TO_HEAD);
    assert_float_equal(relation_baseline(&stats.relations, 0, TO_HEAD), 11. / 21, 1e-12);
    assert_float_equal(relation_accuracy(&stats.relations, 0, TO_HEAD, 0), 1, 0);
    /* Uniform rows look at the first token: right where that is the one. */
    assert_float_equal(relation_accuracy(&stats.relations, 0, TO_HEAD, 1), 11. / 21, 1e-12);
    assert_string_equal(head_name(&stats, MODULE_ENCODER, 1), "broad");
    head_stats_free(&stats);
}

/* Instruction sets ----------------------------------------------------------------------------- */

enum { COLUMNS_MOST = 40, WIDE = 24 };

static float random_share(void)
{
    return (float)(rand() % 1000 + 1) / 1000;
}

/* Rows of all shapes: peaked, flat, with zeros, equal to another's, and without weight. */
static void fill_rows(float *weights, float *present, int columns)
{
    memset(weights, 0, COLUMNS_MOST * WIDE * sizeof *weights);
    for (int h = 0; h < WIDE - 3; h++) {
        double sum = 0;
        int sharp = rand() % 12;
        for (int j = 0; j < columns; j++)
            sum += weights[j * WIDE + h] = rand() % 4 ? powf(random_share(), (float)sharp) : 0;
        present[h] = sum > 0;
        for (int j = 0; sum > 0 && j < columns; j++)
            weights[j * WIDE + h] /= (float)sum;
    }
    for (int j = 0; j < columns; j++)
        weights[j * WIDE + 1] = weights[j * WIDE]; // the same row, and one that is nearly the same
    for (int j = 0; j + 1 < columns; j += 2) {
        weights[j * WIDE + 2] = weights[j * WIDE] * (1 + 1e-4f);
        weights[(j + 1) * WIDE + 2] = weights[(j + 1) * WIDE] * (1 - 1e-4f);
    }
    present[1] = present[2] = present[0];
    for (int h = WIDE - 3; h < WIDE; h++)
        present[h] = 0;
}

struct results {
    float sums[ROW_FACTORS * WIDE], negative[WIDE], most[WIDE], distances[WIDE * WIDE], near[WIDE];
    int32_t place[WIDE];
};

static void compute(const struct row_arithmetic *arithmetic, const float *weights,
                    const float *present, const float *factors, const float *pattern, int columns,
                    struct results *out)
{
    memset(out, 0, sizeof *out);
    arithmetic->weigh(weights, columns, WIDE, factors, out->sums);
    arithmetic->negate_entropy(weights, columns, WIDE, out->negative);
    arithmetic->find_most(weights, columns, WIDE, out->most, out->place);
    arithmetic->add_distances(weights, columns, WIDE, out->negative, present, out->distances);
    arithmetic->add_nearness(weights, columns, WIDE, pattern, present, out->near);
}

/* p log2(p / m), where m is the mean of p and q. */
static double surprise(double p, double q)
{
    return p > 0 ? p * log2(2 * p / (p + q)) : 0;
}

static double distance(const float *weights, int columns, int a, int b)
{
    double divergence = 0;
    for (int j = 0; j < columns; j++) {
        double p = weights[j * WIDE + a], q = weights[j * WIDE + b];
        divergence += (surprise(p, q) + surprise(q, p)) / 2;
    }
    return sqrt(divergence > 0 ? divergence : 0);
}

/* `total`: the sum of head a's weights. */
static double nearness(const float *weights, int columns, int a, double total, const float *pattern)
{
    double shared = 0, of_pattern = 0;
    for (int j = 0; j < columns; j++) {
        shared += fmin(weights[j * WIDE + a], pattern[j]);
        of_pattern += pattern[j];
    }
    return total > 0 ? 2 * shared / (total + of_pattern) : 0;
}

/* Against definitions in double precision. */
static void check_results(const float *weights, const float *present, const float *pattern,
                          int columns, const struct results *is)
{
    for (int a = 0; a < WIDE; a++) {
        double entropy = 0;
        int place = 0;
        for (int j = 0; j < columns; j++) {
            double weight = weights[j * WIDE + a];
            entropy -= weight > 0 ? weight * log2(weight) : 0;
            place = weights[j * WIDE + a] > weights[place * WIDE + a] ? j : place;
        }
        assert_float_equal(-is->negative[a], entropy, 3e-6);
        assert_int_equal(is->place[a], place);
        assert_float_equal(is->near[a], nearness(weights, columns, a, present[a], pattern), 1e-6);
        for (int b = a + 1; b < WIDE; b++) {
            double wanted = present[a] * present[b] == 0 ? 0 : distance(weights, columns, a, b);
            double found = is->distances[distance_place(WIDE, a, b)];
            assert_float_equal(found, wanted, 1e-5);
            assert_float_equal(found * found, wanted * wanted, wanted < 0.009 ? 2e-8 : 5e-6);
        }
    }
}

static void instruction_sets_agree_to_the_bit(void **state)
{
    static float weights[COLUMNS_MOST * WIDE], factors[COLUMNS_MOST * ROW_FACTORS], present[WIDE];
    static float pattern[COLUMNS_MOST];
    static struct results plain, fast;
    srand(5);
    for (int round = 0; round < 300; round++) {
        int columns = 1 + rand() % COLUMNS_MOST;
        fill_rows(weights, present, columns);
        for (int i = 0; i < columns * ROW_FACTORS; i++)
            factors[i] = (float)(rand() % 5);
        for (int j = 0; j < columns; j++)
            pattern[j] = rand() % 4 ? random_share() / (float)columns : 0;
        compute(&row_arithmetic_c, weights, present, factors, pattern, columns, &plain);
        check_results(weights, present, pattern, columns, &plain);
        if (!row_arithmetic_avx2())
            continue;
        compute(row_arithmetic_avx2(), weights, present, factors, pattern, columns, &fast);
        assert_memory_equal(&plain, &fast, sizeof plain);
    }
}

/* Every pair has a place of its own. */
static void distances_of_all_pairs_have_places(void **state)
{
    static bool taken[WIDE * WIDE];
    for (int a = 0; a < WIDE; a++)
        for (int b = a + 1; b < WIDE; b++) {
            size_t place = distance_place(WIDE, a, b);
            assert_in_range(place, 0, WIDE * WIDE - 1);
            assert_false(taken[place]);
            taken[place] = true;
        }
}

/* For small t the divergence of (1 + t, 1 - t)/2 and (1 - t, 1 + t)/2 begins with t^2 / (2 ln
 * 2). */
static void rows_that_are_nearly_the_same_have_a_distance(void **state)
{
    float weights[2 * ROW_LANES] = {0}, negative[ROW_LANES], sums[ROW_LANES * ROW_LANES] = {0};
    const float present[ROW_LANES] = {1, 1, 1}, t = 0x1p-13f;
    weights[0] = weights[ROW_LANES + 1] = weights[2] = (1 + t) / 2;
    weights[1] = weights[ROW_LANES] = weights[ROW_LANES + 2] = (1 - t) / 2;
    row_arithmetic()->negate_entropy(weights, 2, ROW_LANES, negative);
    row_arithmetic()->add_distances(weights, 2, ROW_LANES, negative, present, sums);
    assert_float_equal(sums[distance_place(ROW_LANES, 0, 1)], t / sqrt(2 * log(2)), 1e-9);
    assert_float_equal(sums[distance_place(ROW_LANES, 0, 2)], 0, 0);
}

/* Clusters ------------------------------------------------------------------------------------- */

/* 0 and 3 are joined first (1), then 1 and 4 (2); 2 is nearer to {1 4} (mean 5) than to {0 3} (mean
 * 6); the two clusters that are left begin with 0 and 1. */
static void similar_heads_stand_side_by_side(void **state)
{
    static const double distances[25] = {0, 9, 6, 1, 9, 9, 0, 4, 9, 2, 6, 4, 0,
                                         6, 6, 1, 9, 6, 0, 9, 9, 2, 6, 9, 0};
    static const int wanted[] = {0, 3, 1, 4, 2};
    int order[5];
    struct status status;
    assert_true(cluster_order(distances, 5, order, &status));
    assert_memory_equal(order, wanted, sizeof wanted);
}

static void what_has_no_distance_comes_last(void **state)
{
    const double distances[9] = {0, NAN, 5, NAN, 0, NAN, 5, NAN, 0};
    static const int wanted[] = {0, 2, 1};
    int order[3];
    struct status status;
    assert_true(cluster_order(distances, 3, order, &status));
    assert_memory_equal(order, wanted, sizeof wanted);
}

/* Studies -------------------------------------------------------------------------------------- */

/* Stops the work when this many sentences are finished. */
struct stop {
    long after;
    bool stopped;
};

static bool proceed(void *context, const struct work_progress *progress)
{
    struct stop *stop = context;
    stop->stopped |= progress->what && strcmp(progress->what, "averaging attention") == 0 &&
                     progress->count >= stop->after && progress->done < progress->total;
    return !stop->stopped;
}

static const struct head_stats_result *run(struct bench *bench, const char *target, long after,
                                           bool cancelled)
{
    static bool wanted[64];
    struct stop stop = {.after = after};
    const struct watch watch = {proceed, &stop};
    const struct study_context context = session_study(bench->session, &watch);
    const struct head_stats_request request = {
        "samples/sentences.en", target, {wanted, wanted, wanted}};
    const struct head_stats_result *result;
    struct status status;
    memset(wanted, true, sizeof wanted);
    bool ok = head_stats_run(&context, &request, false, &result, &status);
    assert_int_equal(ok, !cancelled);
    if (cancelled)
        assert_int_equal(status.code, STATUS_CANCELLED);
    return result;
}

static void same_results(const struct head_stats *a, const struct head_stats *b)
{
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int k = 0; k < a->modules[m].count; k++)
            for (int measure = 0; measure < MEASURE_COUNT; measure++) {
                double is = head_mean(a, m, k, measure), wanted = head_mean(b, m, k, measure);
                assert_memory_equal(&is, &wanted, sizeof is);
                const struct head_examples *some = head_examples(a, m, k, measure);
                assert_memory_equal(some, head_examples(b, m, k, measure), sizeof *some);
            }
}

/* Stopped twice and continued, it gives the same result as one run, bit by bit. */
static void check_continued(const char *target)
{
    struct bench whole = bench_open_model("samples/en-de.bin");
    struct bench stopped = bench_open_model("samples/en-de.bin");
    const struct head_stats_result *result = run(&stopped, target, 3, true);
    assert_non_null(result);
    assert_true(result->done >= 3 && result->done < 200);
    assert_int_equal(result->stats.sentences, result->done);
    assert_true(head_stats_partial(result));
    result = run(&stopped, target, 120, true);
    assert_true(result->done >= 120 && result->done < 200);
    result = run(&stopped, target, 1000, false);
    assert_int_equal(result->done, 200);
    assert_false(head_stats_partial(result));
    same_results(&result->stats, &run(&whole, target, 1000, false)->stats);
    bench_close(&whole);
    bench_close(&stopped);
}

static void a_stopped_study_is_continued(void **state)
{
    check_continued("samples/sentences.de");
    check_continued(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_of_the_encoder_are_those_on_paper),
        cmocka_unit_test(distances_are_those_on_paper),
        cmocka_unit_test(positions_without_weight_are_those_on_paper),
        cmocka_unit_test(nearest_patterns_are_those_on_paper),
        cmocka_unit_test(rows_of_cross_attention_are_counted_from_what_they_predict),
        cmocka_unit_test(heads_without_rows_have_no_means),
        cmocka_unit_test(a_head_that_follows_a_relation_is_syntactic),
        cmocka_unit_test(instruction_sets_agree_to_the_bit),
        cmocka_unit_test(distances_of_all_pairs_have_places),
        cmocka_unit_test(rows_that_are_nearly_the_same_have_a_distance),
        cmocka_unit_test(similar_heads_stand_side_by_side),
        cmocka_unit_test(what_has_no_distance_comes_last),
        cmocka_unit_test(a_stopped_study_is_continued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
