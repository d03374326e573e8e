/* Attention on a GPU with its shortcuts on and off: keys and values that rows share give the same
 * bits as those that each row reads for itself; caches in bfloat16 give those of the rounded
 * numbers in float32, and are what a product, or a scatter, rounds. */
#include <math.h>

#include "tests/gpu/attention_scene.h"
#include "tests/model/net/engine_support.h"
#include "tests/support/test.h"

static void open_with(struct ops *ops, const char *shortcuts, enum precision precision)
{
    setenv("ATTNSCOPE_CUDA", shortcuts, 1);
    ops_open_plugin(ops, &(struct device_spec){.precision = precision});
    unsetenv("ATTNSCOPE_CUDA");
}

static size_t result_floats(const struct scene *scene)
{
    return scene_o_size(scene) + scene_weights_size(scene);
}

static float *result_new(const struct scene *scene)
{
    float *result = malloc(result_floats(scene) * sizeof *result);
    assert_non_null(result);
    return result;
}

/* Keys that rows share ------------------------------------------------------------------------- */

/* A scope whose rows come in groups of `width`, as a device may take them for hypotheses of a
 * sentence. */
struct grouped {
    struct ops *ops;
    const struct scene *scene;
    float *out;
    int width;
};

static void run_body(void *context)
{
    const struct grouped *grouped = context;
    scene_run(grouped->ops, grouped->out, grouped->scene);
}

static void run_grouped(struct grouped grouped)
{
    const struct scope_args scope = {
        .rows = grouped.scene->rows, .width = grouped.width, .body = run_body, .context = &grouped};
    grouped.ops->backend->scope(grouped.ops->device, &scope);
    ops_forget(grouped.ops);
}

/* In groups as they are, as they are not, and of more rows than a block has. */
static void expect_shared(struct ops *off, struct ops *on, const struct scene *scene,
                          const char *what)
{
    static const int widths[] = {1, 5, 20};
    float *expected = result_new(scene), *actual = result_new(scene);
    scene_run(off, expected, scene);
    ops_forget(off);
    scene_run(on, actual, scene);
    ops_forget(on);
    ops_assert_same(what, actual, expected, result_floats(scene) * sizeof *actual);
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        run_grouped((struct grouped){on, scene, actual, widths[i]});
        ops_assert_same(what, actual, expected, result_floats(scene) * sizeof *actual);
    }
    free(expected);
    free(actual);
}

static const int head_dims[] = {1, 8, 17, 64, 96, 132};
static const int lengths[] = {1, 3, 33, 2, 4}, few[] = {3, 1, 17}, long_ones[] = {40, 33};

/* As in the encoder, and as cross-attention; with gaps, in which nothing is at a multiple of 16
 * bytes, and without. */
static void keys_that_are_shared_change_no_bit(void **state)
{
    struct ops off, on;
    open_with(&off, "none", PRECISION_FP32);
    open_with(&on, "none,shared-keys", PRECISION_FP32);
    for (size_t i = 0; i < sizeof head_dims / sizeof *head_dims; i++)
        for (int turn = (int)i % 2; turn < 4; turn += 2) {
            struct scene scene;
            if (i % 4)
                scene_open_aligned(&scene, KEYS_RANGE, head_dims[i]);
            else
                scene_open(&scene, KEYS_RANGE, head_dims[i]);
            if (turn == 0)
                scene_ranges(&scene, lengths, 5, 0);
            else if (turn < 3)
                scene_ranges(&scene, few, 3, 6);
            else
                scene_ranges(&scene, long_ones, 2, 0);
            if (turn >= 2)
                scene_bias(&scene, 5);
            expect_shared(&off, &on, &scene, "shared keys");
            scene_close(&scene);
        }
    ops_close(&off);
    ops_close(&on);
}

/* In the decoder, too, and where rows could share them. */
static void keys_that_are_staged_change_no_bit(void **state)
{
    struct ops off, on;
    open_with(&off, "none", PRECISION_FP32);
    open_with(&on, "none,staged-keys", PRECISION_FP32);
    for (size_t i = 1; i < sizeof head_dims / sizeof *head_dims; i += 2) {
        struct scene scene;
        scene_open_aligned(&scene, KEYS_PATH, head_dims[i]);
        scene_paths(&scene);
        expect_shared(&off, &on, &scene, "staged keys along paths");
        scene_close(&scene);
        scene_open_aligned(&scene, KEYS_RANGE, head_dims[i]);
        scene_ranges(&scene, i % 4 == 1 ? lengths : long_ones, i % 4 == 1 ? 5 : 2, 2);
        scene_bias(&scene, 5);
        expect_shared(&off, &on, &scene, "staged keys of ranges");
        scene_close(&scene);
    }
    ops_close(&off);
    ops_close(&on);
}

/* Rows without keys between others, as idle ones of a search; and a range in the midst of another
 * one's. */
static void rows_may_have_no_keys_or_other_ones(void **state)
{
    struct ops off, on;
    struct scene scene;
    open_with(&off, "none", PRECISION_FP32);
    open_with(&on, "none,shared-keys", PRECISION_FP32);
    scene_open_aligned(&scene, KEYS_RANGE, 64);
    scene_ranges(&scene, long_ones, 2, 0);
    for (int m = 0; m < scene.rows; m += 7)
        scene.begin[m] = scene.end[m] = 0;
    for (int m = 3; m < scene.rows; m += 10)
        scene.begin[m] = scene.end[m] ? scene.end[m] - 2 : 0;
    expect_shared(&off, &on, &scene, "rows without keys");
    ops_close(&off);
    ops_close(&on);
    scene_close(&scene);
}

/* Caches in bfloat16 --------------------------------------------------------------------------- */

/* To the nearest, ties to even; of finite numbers. */
static uint16_t bf16_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static float float_of(uint16_t narrow)
{
    const uint32_t bits = (uint32_t)narrow << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static struct tensor put_narrow(struct ops *ops, const float *values, size_t count)
{
    uint16_t *narrow = malloc(count * sizeof *narrow);
    assert_non_null(narrow);
    for (size_t i = 0; i < count; i++)
        narrow[i] = bf16_of(values[i]);
    struct tensor tensor = ops_put(ops, narrow, count * sizeof *narrow);
    free(narrow);
    return tensor;
}

static void run_cached(struct ops *ops, const struct scene *scene, float *out)
{
    struct attention_args args = scene_args(ops, scene, true);
    args.k = put_narrow(ops, scene->k, (size_t)(SLOTS * scene->ldk));
    args.v = put_narrow(ops, scene->v, (size_t)(SLOTS * scene->ldv));
    args.cached = true;
    ops->backend->attention(ops->device, &args);
    ops_get(ops, out, args.o, scene_o_size(scene) * sizeof *out);
    ops_get(ops, out + scene_o_size(scene), args.weights, scene_weights_size(scene) * sizeof *out);
    ops_forget(ops);
}

/* k and v lie one behind the other. */
static void round_scene(struct scene *scene)
{
    for (float *at = scene->k; at < scene->v + SLOTS * scene->ldv; at++)
        *at = float_of(bf16_of(*at));
}

static void expect_cached(struct ops *ops, struct scene *scene)
{
    float *cached = result_new(scene), *rounded = result_new(scene);
    run_cached(ops, scene, cached);
    round_scene(scene);
    scene_run(ops, rounded, scene);
    ops_forget(ops);
    ops_assert_same("narrow caches", cached, rounded, result_floats(scene) * sizeof *cached);
    free(cached);
    free(rounded);
}

static void narrow_caches_are_rounded_keys_and_values(void **state)
{
    static const char *const lists[] = {"none,narrow-caches", "none,narrow-caches,shared-keys",
                                        "none,narrow-caches,staged-keys"};
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++) {
        struct ops ops;
        open_with(&ops, lists[list], PRECISION_BF16);
        for (size_t i = 0; i < sizeof head_dims / sizeof *head_dims; i++) {
            struct scene scene;
            if (i % 3)
                scene_open_aligned(&scene, KEYS_RANGE, head_dims[i]);
            else
                scene_open(&scene, KEYS_RANGE, head_dims[i]);
            scene_ranges(&scene, i % 2 ? lengths : few, i % 2 ? 5 : 3, 2);
            expect_cached(&ops, &scene);
            scene_close(&scene);
            scene_open_aligned(&scene, KEYS_PATH, head_dims[i]);
            scene_paths(&scene);
            expect_cached(&ops, &scene);
            scene_close(&scene);
        }
        ops_close(&ops);
    }
}

/* Products of up to 8 rows, and of more, one of them and three at once; and a scatter. */
enum { K = 24, N = 40, CACHE_ROWS = 20 };

static void check_stored(int rows, int count, const char *shortcuts)
{
    float x[CACHE_ROWS * K], w[LINEAR_MOST][N * K], y[CACHE_ROWS * N];
    uint16_t cache[CACHE_ROWS * N];
    int32_t slot[CACHE_ROWS];
    struct linear_args args[LINEAR_MOST];
    struct weight *weights[LINEAR_MOST];
    struct device_info info;
    struct status status;
    struct ops ops;
    open_with(&ops, shortcuts, PRECISION_BF16);
    ops.backend->info(ops.device, &info);
    assert_int_equal(info.cache_bytes, sizeof *cache);
    ops_random_fill(x, CACHE_ROWS * K, 1, 1);
    for (int m = 0; m < rows; m++)
        slot[m] = m == 1 ? -1 : rows - 1 - m;
    for (int i = 0; i < count; i++) {
        const struct weight_spec spec = {
            .data = w[i], .dtype = DTYPE_F32, .n = N, .k = K, .use = WEIGHT_LINEAR};
        ops_random_fill(w[i], N * K, 1, 2 + (uint64_t)i);
        weights[i] = ops.backend->weight(ops.device, &spec, &status);
        assert_non_null(weights[i]);
        args[i] = (struct linear_args){.y = ops_floats(&ops, CACHE_ROWS * N),
                                       .x = i ? args[0].x : ops_put(&ops, x, sizeof x),
                                       .ldy = N,
                                       .ldx = K,
                                       .weight = weights[i],
                                       .cache = ops_floats(&ops, CACHE_ROWS * N / 2),
                                       .slot = ops_put(&ops, slot, (size_t)rows * sizeof *slot),
                                       .rows = rows};
    }
    ops.backend->linear(ops.device, args, count);
    for (int i = 0; i < count; i++) {
        ops_get(&ops, y, args[i].y, sizeof y);
        ops_get(&ops, cache, args[i].cache, sizeof cache);
        for (int m = 0; m < rows; m++)
            for (int n = 0; slot[m] >= 0 && n < N; n++)
                assert_int_equal(cache[slot[m] * N + n], bf16_of(y[m * N + n]));
        ops.backend->forget(ops.device, weights[i]);
    }
    ops_close(&ops);
}

static void products_round_what_they_cache(void **state)
{
    static const char *const lists[] = {"none,narrow-caches", "all"};
    for (size_t list = 0; list < sizeof lists / sizeof *lists; list++)
        for (int count = 1; count <= LINEAR_MOST; count += 2) {
            check_stored(1, count, lists[list]);
            check_stored(8, count, lists[list]);
            check_stored(CACHE_ROWS, count, lists[list]);
        }
}

static void a_scatter_to_a_cache_rounds(void **state)
{
    enum { COLUMNS = 5 };
    static const int32_t index[] = {2, -1, 0};
    const uint16_t untouched = 0xffff; // as ops_floats left it
    float x[3][COLUMNS];
    uint16_t cache[4][COLUMNS];
    struct ops ops;
    ops_random_fill(x[0], 3 * COLUMNS, 3, 5);
    open_with(&ops, "none,narrow-caches", PRECISION_BF16);
    struct move_args args = {.y = ops_floats(&ops, 4 * COLUMNS / 2),
                             .x = ops_put(&ops, x, sizeof x),
                             .ldy = COLUMNS,
                             .ldx = COLUMNS,
                             .index = ops_put(&ops, index, sizeof index),
                             .cache = true,
                             .rows = 3,
                             .columns = COLUMNS};
    memset(cache, 0xff, sizeof cache);
    ops.backend->put(ops.device, args.y, cache, sizeof cache);
    ops.backend->scatter(ops.device, &args);
    ops_get(&ops, cache, args.y, sizeof cache);
    for (int c = 0; c < COLUMNS; c++) {
        assert_int_equal(cache[2][c], bf16_of(x[0][c]));
        assert_int_equal(cache[0][c], bf16_of(x[2][c]));
        assert_int_equal(cache[1][c], untouched);
        assert_int_equal(cache[3][c], untouched);
    }
    ops_close(&ops);
}

/* Without the shortcut, and in other precisions, caches are float32. */
static void caches_are_narrow_in_bfloat16_alone(void **state)
{
    static const struct {
        const char *shortcuts;
        enum precision precision;
        size_t bytes;
    } cases[] = {{"", PRECISION_FP32, 4},
                 {"", PRECISION_TF32, 4},
                 {"", PRECISION_BF16, 2},
                 {"-narrow-caches", PRECISION_BF16, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct device_info info;
        struct ops ops;
        open_with(&ops, cases[i].shortcuts, cases[i].precision);
        ops.backend->info(ops.device, &info);
        assert_int_equal(info.cache_bytes, cases[i].bytes);
        ops_close(&ops);
    }
}

/* Captures the contribution of each key to each head in a forced pass, whose values come from the
 * caches. Returns the model's width. */
static int capture_with(const char *shortcuts, struct capture *capture)
{
    static const bool wanted[] = {true, true, true, true, true, true, true, true}; // layers
    static const int target[] = {5, 6, 7, 8};
    struct capture_request request = {0};
    struct status status;
    setenv("ATTNSCOPE_TEST_PRECISION", "bf16", 1);
    setenv("ATTNSCOPE_CUDA", shortcuts, 1);
    struct golden *golden = golden_open("vanilla_post", "cpu", 1);
    unsetenv("ATTNSCOPE_CUDA");
    unsetenv("ATTNSCOPE_TEST_PRECISION");
    struct sentence sentence = {0};
    assert_true(sentence_encode(golden->checkpoint, "a b c d", &sentence, &status));
    for (int module = 0; module < MODULE_COUNT; module++)
        request.sublayers[module] = wanted;
    if (!force_run(golden->model, &sentence, target, 4, NULL, &request, capture, &status))
        fail_msg("%s", status.message);
    const int width = golden->checkpoint->config->d_model;
    sentence_free(&sentence);
    golden_close(golden);
    return width;
}

/* Returns how many differ, none by more than a few roundings. */
static int differing_parts(const float *narrow, const float *wide, size_t count)
{
    int differing = 0;
    float most = 0;
    for (size_t i = 0; i < count; i++)
        most = fmaxf(most, fabsf(wide[i]));
    for (size_t i = 0; i < count; i++) {
        differing += narrow[i] != wide[i];
        if (!(fabsf(narrow[i] - wide[i]) <= 8 * 0x1p-8f * most))
            fail_msg("%zu: %g in place of %g, of up to %g", i, (double)narrow[i], (double)wide[i],
                     (double)most);
    }
    return differing;
}

/* What a head adds is computed from rounded values in any case. So the caches of the first layer,
 * whose inputs are the same, give the same bits; those above follow what attention read of them. */
static void values_come_back_from_narrow_caches(void **state)
{
    struct capture narrow, wide;
    const size_t width = (size_t)capture_with("", &narrow);
    int differing = 0;
    capture_with("-narrow-caches", &wide);
    for (int module = MODULE_DECODER; module <= MODULE_CROSS; module++) {
        const size_t keys = (size_t)(module == MODULE_CROSS ? wide.source_count : wide.target_rows);
        for (int layer = 0; layer < wide.layers[module]; layer++) {
            const int here = differing_parts(narrow.sublayers[module][layer].parts,
                                             wide.sublayers[module][layer].parts,
                                             keys * (size_t)wide.heads[module] * width);
            if (layer == 0)
                assert_int_equal(here, 0);
            differing += here;
        }
    }
    assert_true(differing > 0);
    capture_free(&narrow);
    capture_free(&wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_that_are_shared_change_no_bit),
        cmocka_unit_test(keys_that_are_staged_change_no_bit),
        cmocka_unit_test(rows_may_have_no_keys_or_other_ones),
        cmocka_unit_test(narrow_caches_are_rounded_keys_and_values),
        cmocka_unit_test(products_round_what_they_cache),
        cmocka_unit_test(a_scatter_to_a_cache_rounds),
        cmocka_unit_test(caches_are_narrow_in_bfloat16_alone),
        cmocka_unit_test(values_come_back_from_narrow_caches),
    };
    int failed = 0;
    while (ops_next_order())
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
