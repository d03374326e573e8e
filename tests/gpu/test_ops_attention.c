/* Attention against loops in double written from the formulas, and against itself: the same bits in
 * every batch, one row a call or all at once, stored or not, on every instruction set. */
#include <math.h>

#include "tests/gpu/attention_scene.h"
#include "tests/gpu/ops_support.h"
#include "tests/support/test.h"

#define PUT(ops, array) ops_put(ops, array, sizeof(array))

static float *scene_result(const struct scene *scene)
{
    struct ops ops;
    float *result = malloc((scene_o_size(scene) + scene_weights_size(scene)) * sizeof *result);
    assert_non_null(result);
    ops_open(&ops, NULL, 2);
    scene_run(&ops, result, scene);
    ops_close(&ops);
    return result;
}

static void check_scene(const struct scene *scene)
{
    float *o = scene_result(scene), *weights = o + scene_o_size(scene);
    char what[80];
    double expected[KEYS], sum[256];
    for (int m = 0; m < scene->rows; m++) {
        for (int h = 0; h < HEADS; h++) {
            const int hd = scene->head_dim;
            snprintf(what, sizeof what, "hd %d, row %d, head %d, o", hd, m, h);
            scene_expect(scene, m, h, expected, sum);
            ops_assert_close(what, o + (m * HEADS + h) * hd, sum, (size_t)hd, 4e-6);
            snprintf(what, sizeof what, "hd %d, row %d, head %d, weight", hd, m, h);
            if (scene_captured[h] >= 0)
                ops_assert_close(what, weights + (scene_captured[h] * scene->rows + m) * KEYS,
                                 expected, KEYS, 2e-6);
        }
    }
    free(o);
}

static const int head_dims[] = {1, 3, 16, 17, 33, 64, 129};
enum { HEAD_DIMS = sizeof head_dims / sizeof *head_dims };

static const int lengths[] = {1, 3, 33, 2, 4};

static void encoder_attention_agrees_with_the_formulas(void **state)
{
    for (int i = 0; i < HEAD_DIMS; i++) {
        struct scene scene;
        scene_open(&scene, KEYS_RANGE, head_dims[i]);
        scene_ranges(&scene, lengths, 5, 0);
        check_scene(&scene);
        scene_close(&scene);
    }
}

static void energies_have_the_scale_that_is_asked_for(void **state)
{
    struct scene scene;
    scene_open(&scene, KEYS_PATH, 17);
    scene.scale = 0.6f;
    scene_paths(&scene);
    check_scene(&scene);
    scene_close(&scene);
}

static void check_everywhere(const struct scene *scene)
{
    check_scene(scene);
    ops_same_everywhere(scene_run, scene,
                        (scene_o_size(scene) + scene_weights_size(scene)) * sizeof(float));
}

/* Distances are shorter than the sentences, as long as one, and longer. */
static void a_bias_by_distance_is_added_to_energies(void **state)
{
    for (int distance = 1; distance <= KEYS; distance = 3 * distance + 1) {
        for (int i = 0; i < HEAD_DIMS; i += 2) {
            struct scene scene;
            scene_open(&scene, KEYS_RANGE, head_dims[i]);
            scene_bias(&scene, distance);
            scene_ranges(&scene, lengths, 5, distance == 1 ? 3 : 0);
            check_everywhere(&scene);
            scene_close(&scene);
            scene_open(&scene, KEYS_PATH, head_dims[i]);
            scene_bias(&scene, distance);
            scene_paths(&scene);
            check_everywhere(&scene);
            scene_close(&scene);
        }
    }
}

/* The larger half of energies is near the cap. */
static void a_cap_bounds_energies(void **state)
{
    for (int i = 0; i < HEAD_DIMS; i++) {
        struct scene scene;
        scene_open(&scene, KEYS_RANGE, head_dims[i]);
        scene.cap = 1.5f;
        scene_bias(&scene, 7);
        if (i % 2)
            scene_entmax(&scene);
        scene_ranges(&scene, lengths, 5, 2);
        check_everywhere(&scene);
        scene_close(&scene);
        scene_open_aligned(&scene, KEYS_PATH, head_dims[i]);
        scene.cap = 0.75f;
        scene_paths(&scene);
        check_everywhere(&scene);
        scene_close(&scene);
    }
}

static void entmax_agrees_with_the_formulas(void **state)
{
    static const int sizes[] = {3, 64};
    for (int i = 0; i < 2; i++) {
        struct scene scene;
        scene_open(&scene, KEYS_RANGE, sizes[i]);
        scene_entmax(&scene);
        scene_bias(&scene, 7);
        scene_ranges(&scene, lengths, 5, 2);
        check_everywhere(&scene);
        scene_close(&scene);
        scene_open_aligned(&scene, KEYS_PATH, sizes[i]);
        scene_entmax(&scene);
        scene_paths(&scene);
        check_everywhere(&scene);
        scene_close(&scene);
    }
}

static void cross_attention_past_the_end_of_the_source_agrees_with_the_formulas(void **state)
{
    struct scene scene;
    scene_open(&scene, KEYS_RANGE, 16);
    scene_ranges(&scene, (const int[]){3, 1, 17}, 3, 6);
    check_scene(&scene);
    scene_close(&scene);
}

static void decoder_attention_along_paths_agrees_with_the_formulas(void **state)
{
    for (int i = 0; i < HEAD_DIMS; i++) {
        struct scene scene;
        scene_open(&scene, KEYS_PATH, head_dims[i]);
        scene_paths(&scene);
        check_scene(&scene);
        scene_close(&scene);
    }
}

static void attention_has_the_same_bits_everywhere(void **state)
{
    for (int i = 0; i < HEAD_DIMS; i++) {
        struct scene scene;
        scene_open(&scene, KEYS_RANGE, head_dims[i]);
        scene_ranges(&scene, lengths, 5, 0);
        ops_same_everywhere(scene_run, &scene,
                            (scene_o_size(&scene) + scene_weights_size(&scene)) * sizeof(float));
        scene_close(&scene);
        scene_open(&scene, KEYS_PATH, head_dims[i]);
        scene_paths(&scene);
        ops_same_everywhere(scene_run, &scene,
                            (scene_o_size(&scene) + scene_weights_size(&scene)) * sizeof(float));
        scene_close(&scene);
    }
}

/* As a search decodes, and as a forced pass does. */
static void one_row_a_call_has_the_bits_of_all_rows_at_once(void **state)
{
    struct scene all, one;
    scene_open(&all, KEYS_PATH, 33);
    scene_open(&one, KEYS_PATH, 33);
    scene_paths(&all);
    memcpy(one.path, all.path, sizeof all.path);
    memcpy(one.word, all.word, sizeof all.word);
    one.rows = 1;
    float *expected = scene_result(&all);
    for (int m = 0; m < all.rows; m++) {
        memcpy(one.q, all.q + m * all.ldq, (size_t)all.ldq * sizeof *one.q);
        one.lane[0] = all.lane[m];
        one.pos[0] = one.position[0] = all.pos[m];
        one.slot[0] = all.slot[m];
        one.row_word[0] = all.row_word[m];
        one.variant[0] = all.variant[m];
        float *actual = scene_result(&one);
        ops_assert_same("o", actual, expected + (size_t)m * scene_o_size(&one),
                        scene_o_size(&one) * sizeof *actual);
        for (int c = 0; c < CAPTURED; c++)
            ops_assert_same("weights", actual + scene_o_size(&one) + c * KEYS,
                            expected + scene_o_size(&all) + (c * all.rows + m) * KEYS,
                            KEYS * sizeof *actual);
        free(actual);
    }
    free(expected);
    scene_close(&one);
    scene_close(&all);
}

/* A sentence by itself, and the same sentence as the second of a batch. */
static void a_sentence_has_the_same_bits_in_every_batch(void **state)
{
    struct scene pair, alone;
    scene_open(&pair, KEYS_RANGE, 17);
    scene_open(&alone, KEYS_RANGE, 17);
    scene_ranges(&pair, (const int[]){6, 21}, 2, 0);
    scene_ranges(&alone, (const int[]){21}, 1, 0);
    memcpy(alone.q, pair.q + 6 * pair.ldq, (size_t)(21 * pair.ldq) * sizeof *pair.q);
    memcpy(alone.k, pair.k + 6 * pair.ldk, (size_t)(21 * pair.ldk) * sizeof *pair.k);
    memcpy(alone.v, pair.v + 6 * pair.ldv, (size_t)(21 * pair.ldv) * sizeof *pair.v);
    memcpy(alone.variant, pair.variant + 6, 21 * sizeof *alone.variant);
    memcpy(alone.row_word, pair.row_word + 6, 21 * sizeof *alone.row_word);
    memcpy(alone.word, pair.word + 6, 21 * sizeof *alone.word);
    float *expected = scene_result(&pair), *actual = scene_result(&alone);
    ops_assert_same("o", actual, expected + scene_o_size(&pair) - scene_o_size(&alone),
                    scene_o_size(&alone) * sizeof *actual);
    free(actual);
    free(expected);
    scene_close(&alone);
    scene_close(&pair);
}

static void storing_weights_changes_no_output(void **state)
{
    struct scene scene;
    struct ops ops;
    scene_open(&scene, KEYS_RANGE, 64);
    scene_ranges(&scene, lengths, 5, 0);
    float *expected = scene_result(&scene), *actual = malloc(scene_o_size(&scene) * sizeof *actual);
    assert_non_null(actual);
    ops_open(&ops, NULL, 1);
    struct attention_args args = scene_args(&ops, &scene, false);
    ops.backend->attention(ops.device, &args);
    ops_get(&ops, actual, args.o, scene_o_size(&scene) * sizeof *actual);
    ops_close(&ops);
    ops_assert_same("o", actual, expected, scene_o_size(&scene) * sizeof *actual);
    free(actual);
    free(expected);
    scene_close(&scene);
}

/* Even where the values are no numbers; minus zero would be a trace of them as well. */
static void a_head_that_is_off_gives_plus_zero(void **state)
{
    struct scene scene;
    const int head = 4, hd = 16; // gain 0 in variant 0
    const float zero = 0;
    scene_open(&scene, KEYS_RANGE, hd);
    scene_ranges(&scene, lengths, 3, 0);
    for (int j = 0; j < SLOTS; j++)
        for (int c = 0; c < hd; c++)
            scene.v[j * scene.ldv + head * hd + c] = j % 2 ? NAN : -1;
    float *o = scene_result(&scene);
    for (int m = 0; m < scene.rows; m++)
        for (int c = 0; c < hd && scene.variant[m] == 0; c++)
            assert_memory_equal(&o[(m * HEADS + head) * hd + c], &zero, sizeof zero);
    free(o);
    scene_close(&scene);
}

static void an_idle_row_gives_zeros(void **state)
{
    struct scene scene;
    scene_open(&scene, KEYS_PATH, 16);
    scene_paths(&scene);
    float *o = scene_result(&scene), *weights = o + scene_o_size(&scene);
    for (int c = 0; c < HEADS * 16; c++)
        assert_true(o[5 * HEADS * 16 + c] == 0);
    for (int c = 0; c < CAPTURED; c++)
        for (int j = 0; j < KEYS; j++)
            assert_true(weights[(c * scene.rows + 5) * KEYS + j] == 0);
    free(o);
    scene_close(&scene);
}

/* Without gains, variants and words: the first line of the table, every gain 1. */
static void absent_tensors_mean_one_variant_at_full_gain(void **state)
{
    enum { N = 5, HD = 4, MODULE_HEADS = 2 };
    struct ops ops;
    float q[N * HD], k[N * HD], v[N * MODULE_HEADS * HD], o[N * MODULE_HEADS * HD];
    const int32_t begin[N] = {0}, end[N] = {N, N, N, N, N}, position[N] = {0, 1, 2, 3, 4};
    const struct head heads[] = {{.energy = ENERGY_FIXED, .pattern = PATTERN_NEXT},
                                 {.energy = ENERGY_LEARNED}};
    ops_random_fill(q, N * HD, 0, 1);
    ops_random_fill(k, N * HD, 1, 2);
    ops_random_fill(v, N * MODULE_HEADS * HD, 1, 3);
    ops_open(&ops, NULL, 1);
    struct attention_args args = {.o = ops_floats(&ops, N * MODULE_HEADS * HD),
                                  .q = PUT(&ops, q),
                                  .k = PUT(&ops, k),
                                  .v = PUT(&ops, v),
                                  .ldq = HD,
                                  .ldk = HD,
                                  .ldv = MODULE_HEADS * HD,
                                  .heads = MODULE_HEADS,
                                  .head_dim = HD,
                                  .learned = (const int[]){-1, 0},
                                  .keys = KEYS_RANGE,
                                  .rows = {.rows = N},
                                  .begin = PUT(&ops, begin),
                                  .end = PUT(&ops, end),
                                  .position = PUT(&ops, position),
                                  .table = PUT(&ops, heads)};
    ops.backend->attention(ops.device, &args);
    ops_get(&ops, o, args.o, sizeof o);
    ops_close(&ops);
    for (int m = 0; m < N; m++) {
        for (int c = 0; c < HD; c++) {
            double mean = 0; // queries of zeros: every key weighs the same
            for (int j = 0; j < N; j++)
                mean += v[(j * MODULE_HEADS + 1) * HD + c] / N;
            float next = m + 1 < N ? v[(m + 1) * MODULE_HEADS * HD + c] : 0;
            assert_true(o[m * MODULE_HEADS * HD + c] == next);
            assert_true(fabs(o[(m * MODULE_HEADS + 1) * HD + c] - mean) < 1e-6);
        }
    }
}

/* Head 0 has softmax. */
static double expected_of_many(int head, bool far, int n, double r)
{
    return head == 0 ? 1.0 / n : far ? (r + 0.25) * (r + 0.25) : r * r;
}

static void thousands_of_keys_are_no_special_case(void **state)
{
    enum { N = 3001, HD = 4, ALL = 2 * HD, FAR = 2500 };
    static float q[ALL], k[N * ALL], v[N * ALL], weights[2][N + 1];
    const int32_t begin = 0, end = N, position = 0;
    const struct head heads[] = {{.energy = ENERGY_LEARNED},
                                 {.energy = ENERGY_LEARNED, .entmax = 0.5f}};
    float o[ALL];
    struct ops ops;
    ops_random_fill(v, N * ALL, 1, 1);
    q[HD] = k[FAR * ALL + HD] = 1; // of the head with entmax one key has more
    ops_open(&ops, NULL, 2);
    struct attention_args args = {.o = ops_floats(&ops, ALL),
                                  .q = PUT(&ops, q), // zeros: every other key weighs the same
                                  .k = PUT(&ops, k),
                                  .v = PUT(&ops, v),
                                  .ldq = ALL,
                                  .ldk = ALL,
                                  .ldv = ALL,
                                  .heads = 2,
                                  .head_dim = HD,
                                  .learned = (const int[]){0, 1},
                                  .keys = KEYS_RANGE,
                                  .rows = {.rows = 1},
                                  .begin = ops_put(&ops, &begin, sizeof begin),
                                  .end = ops_put(&ops, &end, sizeof end),
                                  .position = ops_put(&ops, &position, sizeof position),
                                  .table = PUT(&ops, heads),
                                  .entmax = true,
                                  .weights = ops_floats(&ops, 2 * (N + 1)),
                                  .captured = (const int[]){0, 1},
                                  .ldweights = N + 1};
    ops.backend->attention(ops.device, &args);
    ops_get(&ops, o, args.o, sizeof o);
    ops_get(&ops, weights, args.weights, sizeof weights);
    ops_close(&ops);
    /* An energy of 1/2: with α 1.5 the others' weights are r² and its own (r + 1/4)². Roots are
     * differences of numbers near 1, each within 1e-7. */
    const double r = (sqrt(0.25 + 4 * N * 0.9375) - 0.5) / (2 * N);
    for (int h = 0; h < 2; h++) {
        for (int j = 0; j < N; j++) {
            const double expected = expected_of_many(h, j == FAR, N, r);
            const double within = h == 0 ? 1e-9 : 3e-7 * sqrt(expected);
            if (!(fabs(weights[h][j] - expected) < within))
                fail_msg("head %d key %d: %.9g, expected %.9g", h, j, weights[h][j], expected);
        }
        assert_true(weights[h][N] == 0);
    }
    for (int c = 0; c < ALL; c++) {
        double mean = 0;
        for (int j = 0; j < N; j++)
            mean += v[j * ALL + c] * expected_of_many(c / HD, j == FAR, N, r);
        assert_true(fabs(o[c] - mean) < 1e-6);
    }
}

/* Energies of several hundreds, where exp would overflow without the maximum taken off. */
static void large_energies_choose_one_key(void **state)
{
    struct scene scene;
    scene_open(&scene, KEYS_RANGE, 16);
    scene_ranges(&scene, lengths, 3, 0);
    for (int i = 0; i < ROWS * scene.ldq; i++)
        scene.q[i] *= 100;
    for (int m = 0; m < scene.rows; m++)
        scene.variant[m] = 0;
    float *o = scene_result(&scene), *weights = o + scene_o_size(&scene);
    for (int m = 0; m < scene.rows; m++) {
        double sum = 0;
        for (int j = 0; j < KEYS; j++)
            sum += weights[(scene_captured[1] * scene.rows + m) * KEYS + j];
        assert_true(fabs(sum - 1) < 1e-6);
    }
    free(o);
    scene_close(&scene);
}

/* What was to say where its keys are may not have run either: that is not looked at. */
static void a_cancelled_device_does_not_ask_where_the_keys_are(void **state)
{
    static const int32_t begin[1] = {INT32_MIN}, end[1] = {INT32_MAX};
    struct scene scene;
    struct ops ops;
    float o[HEADS * 4];
    scene_open(&scene, KEYS_RANGE, 4);
    scene_ranges(&scene, (const int[]){1}, 1, 0);
    ops_open(&ops, NULL, 1);
    struct attention_args args = scene_args(&ops, &scene, false);
    args.begin = PUT(&ops, begin);
    args.end = PUT(&ops, end); // too many for an int: the sanitizers complain of who counts them
    ops.backend->cancel(ops.device, true);
    ops.backend->attention(ops.device, &args);
    ops.backend->cancel(ops.device, false);
    ops_get(&ops, o, args.o, sizeof o);
    for (size_t i = 0; i < sizeof o / sizeof *o; i++)
        assert_true(isnan(o[i])); // as ops_floats left it
    ops_close(&ops);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoder_attention_agrees_with_the_formulas),
        cmocka_unit_test(energies_have_the_scale_that_is_asked_for),
        cmocka_unit_test(a_bias_by_distance_is_added_to_energies),
        cmocka_unit_test(a_cap_bounds_energies),
        cmocka_unit_test(entmax_agrees_with_the_formulas),
        cmocka_unit_test(cross_attention_past_the_end_of_the_source_agrees_with_the_formulas),
        cmocka_unit_test(decoder_attention_along_paths_agrees_with_the_formulas),
        cmocka_unit_test(attention_has_the_same_bits_everywhere),
        cmocka_unit_test(one_row_a_call_has_the_bits_of_all_rows_at_once),
        cmocka_unit_test(a_sentence_has_the_same_bits_in_every_batch),
        cmocka_unit_test(storing_weights_changes_no_output),
        cmocka_unit_test(a_head_that_is_off_gives_plus_zero),
        cmocka_unit_test(an_idle_row_gives_zeros),
        cmocka_unit_test(absent_tensors_mean_one_variant_at_full_gain),
        cmocka_unit_test(a_cancelled_device_does_not_ask_where_the_keys_are),
        cmocka_unit_test(thousands_of_keys_are_no_special_case),
        cmocka_unit_test(large_energies_choose_one_key),
    };
    int failed = 0;
    while (ops_next_order())
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
