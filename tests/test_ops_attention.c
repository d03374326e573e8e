/* Attention against loops in double written from the formulas, and against itself: the same bits in
 * every batch, one row a call or all at once, stored or not, on every instruction set. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops_support.h"

enum { ROWS = 48, SLOTS = 160, HEADS = 8, LEARNED = 3, KEYS = 40, POSITIONS = 40, VARIANTS = 2 };

/* Heads 1, 4 and 6 have queries and keys; they may still attend by a pattern. Two heads out of
 * order are not stored. */
static const int learned[HEADS] = {-1, 0, -1, -1, 2, -1, 1, -1};
static const int captured[HEADS] = {0, 1, -1, 2, 3, 4, 5, -1};
enum { CAPTURED = 6 };

static const struct head table[VARIANTS][HEADS] = {
    {{ENERGY_FIXED, MASK_GLOBAL, PATTERN_PREVIOUS, UNIT_TOKEN, 0},
     {ENERGY_LEARNED, MASK_GLOBAL, 0, UNIT_TOKEN, 0},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_LEFT_CONTEXT, UNIT_WORD, 0},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_SENTENCE_START, UNIT_TOKEN, 0},
     {ENERGY_LEARNED, MASK_LOCAL, 0, UNIT_TOKEN, 2},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_CURRENT, UNIT_WORD, 0},
     {ENERGY_LEARNED, MASK_FORWARD, 0, UNIT_TOKEN, 0},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_RIGHT_CONTEXT, UNIT_TOKEN, 0}},
    {{ENERGY_FIXED, MASK_GLOBAL, PATTERN_LAST, UNIT_WORD, 0},
     {ENERGY_LEARNED, MASK_BACKWARD, 0, UNIT_TOKEN, 0},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_NEXT, UNIT_WORD, 0},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_SENTENCE_END, UNIT_WORD, 0},
     {ENERGY_LEARNED, MASK_LOCAL, 0, UNIT_TOKEN, 0},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_RIGHT_CONTEXT, UNIT_WORD, 0},
     {ENERGY_FIXED, MASK_GLOBAL, PATTERN_SENTENCE_END, UNIT_TOKEN, 0},
     {ENERGY_LEARNED, MASK_LOCAL, 0, UNIT_TOKEN, INT32_MAX}}};
/* Head 7 of the second variant has no queries: it is replaced where that matters. */

static const float gains[VARIANTS][HEADS] = {{1, 1, 0.5f, 1, 0, 1, 2, 1},
                                             {1, 0, 1, 1, 1, -1, 1, 1}};

/* Host memory of one call. */
struct scene {
    enum keys keys;
    int rows, head_dim, ldq, ldk, ldv;
    float *q, *k, *v;
    struct head heads[VARIANTS][HEADS];
    int32_t begin[ROWS], end[ROWS], position[ROWS], variant[ROWS], row_word[ROWS];
    int32_t lane[ROWS], pos[ROWS], slot[ROWS], path[SLOTS / POSITIONS][POSITIONS];
    int32_t word[SLOTS];
};

static void scene_open(struct scene *scene, enum keys keys, int head_dim)
{
    memset(scene, 0, sizeof *scene);
    scene->keys = keys;
    scene->head_dim = head_dim;
    scene->ldq = LEARNED * head_dim + 3;
    scene->ldk = LEARNED * head_dim + 1;
    scene->ldv = HEADS * head_dim + 5;
    size_t q = (size_t)(ROWS * scene->ldq), k = (size_t)(SLOTS * scene->ldk);
    size_t v = (size_t)(SLOTS * scene->ldv);
    scene->q = malloc((q + k + v) * sizeof *scene->q);
    assert_non_null(scene->q);
    scene->k = scene->q + q;
    scene->v = scene->k + k;
    ops_random_fill(scene->q, q, 2, 11);
    ops_random_fill(scene->k, k, 2, 12);
    ops_random_fill(scene->v, v, 1, 13);
    memcpy(scene->heads, table, sizeof table);
    scene->heads[1][7] = scene->heads[0][7];
}

static void scene_close(struct scene *scene)
{
    free(scene->q);
}

/* Sentences side by side, their words of one to three tokens; every third row is of variant 1. As
 * cross-attention, rows are positions of another sentence, which may be longer. */
static void scene_ranges(struct scene *scene, const int *lengths, int sentences, int extra)
{
    int start = 0;
    for (int s = 0; s < sentences; s++) {
        for (int j = 0, word = 0; j < lengths[s]; j++) {
            scene->word[start + j] = word;
            word += (start + j) % 3 != 1;
        }
        for (int i = 0; i < lengths[s] + extra && scene->rows < ROWS; i++) {
            int m = scene->rows++;
            scene->begin[m] = start;
            scene->end[m] = start + lengths[s];
            scene->position[m] = i;
            scene->row_word[m] = i < lengths[s] ? scene->word[start + i] : i;
            scene->variant[m] = m % 3 == 2;
        }
        start += lengths[s];
    }
}

/* Three hypotheses: lane 2 follows lane 0 up to position 4, lane 1 is short. Rows in the order of
 * lanes, all positions; row 5 is idle. */
static void scene_paths(struct scene *scene)
{
    const int length[3] = {20, 3, 21};
    for (int lane = 0; lane < 3; lane++) {
        for (int p = 0; p < length[lane]; p++) {
            int from = lane == 2 && p <= 4 ? 0 : lane;
            scene->path[lane][p] = from * POSITIONS + p;
            scene->word[from * POSITIONS + p] = (p + from) / 2;
        }
        for (int p = lane == 2 ? 5 : 0; p < length[lane]; p++) {
            int m = scene->rows++;
            scene->lane[m] = lane;
            scene->pos[m] = scene->position[m] = p;
            scene->slot[m] = lane * POSITIONS + p;
            scene->row_word[m] = scene->word[scene->slot[m]];
            scene->variant[m] = m % 3 == 2;
        }
    }
    scene->lane[5] = scene->slot[5] = -1;
}

/* Key j of row m; n keys. */
static int scene_key(const struct scene *scene, int m, int j)
{
    return scene->keys == KEYS_RANGE ? scene->begin[m] + j : scene->path[scene->lane[m]][j];
}

static int scene_keys(const struct scene *scene, int m)
{
    if (scene->keys == KEYS_RANGE)
        return scene->end[m] - scene->begin[m];
    return scene->lane[m] < 0 ? 0 : scene->pos[m] + 1;
}

static bool allowed(const struct head *head, int64_t i, int64_t j)
{
    switch (head->mask) {
    case MASK_LOCAL:
        return i - j <= head->window && j - i <= head->window;
    case MASK_FORWARD:
        return j >= i;
    case MASK_BACKWARD:
        return j <= i;
    default:
        return true;
    }
}

static void expect_learned(const struct scene *scene, int m, int h, double *weights)
{
    const struct head *head = &scene->heads[scene->variant[m]][h];
    const int n = scene_keys(scene, m), hd = scene->head_dim;
    double total = 0, highest = -INFINITY;
    for (int j = 0; j < n; j++) {
        const float *q = scene->q + m * scene->ldq + learned[h] * hd;
        const float *k = scene->k + scene_key(scene, m, j) * scene->ldk + learned[h] * hd;
        weights[j] = 0;
        for (int c = 0; c < hd; c++)
            weights[j] += (double)q[c] * k[c] / sqrt(hd);
        if (!allowed(head, scene->position[m], j))
            weights[j] = -INFINITY;
        highest = fmax(highest, weights[j]);
    }
    for (int j = 0; j < n; j++)
        total += weights[j] = highest == -INFINITY ? 0 : exp(weights[j] - highest);
    for (int j = 0; j < n && total > 0; j++)
        weights[j] /= total;
}

/* The unnormalised weight of position j in row i over n positions, as section 3.2 lists them. */
static double pattern_value(enum pattern pattern, int i, int j, int n)
{
    switch (pattern) {
    case PATTERN_CURRENT:
        return j == i;
    case PATTERN_PREVIOUS:
        return j == i - 1;
    case PATTERN_NEXT:
        return j == i + 1;
    case PATTERN_LEFT_CONTEXT:
        return j <= i - 2 ? pow(j + 1, 3) : 0;
    case PATTERN_RIGHT_CONTEXT:
        return j >= i + 2 ? pow(n - j, 3) : 0;
    case PATTERN_SENTENCE_END:
        return pow(j + 1, 3);
    case PATTERN_SENTENCE_START:
        return pow(n - j, 3);
    default:
        return j == n - 1;
    }
}

static void expect_fixed(const struct scene *scene, int m, int h, double *weights)
{
    const struct head *head = &scene->heads[scene->variant[m]][h];
    const int n = scene_keys(scene, m);
    const bool by_word = head->unit == UNIT_WORD;
    const int i = by_word ? scene->row_word[m] : scene->position[m];
    int words = n;
    if (by_word && n > 0)
        words = scene->word[scene_key(scene, m, n - 1)] + 1;
    double total = 0;
    for (int w = 0; w < words; w++)
        total += pattern_value(head->pattern, i, w, words);
    for (int j = 0; j < n; j++) {
        int word = by_word ? scene->word[scene_key(scene, m, j)] : j, tokens = 0;
        for (int other = 0; other < n; other++)
            tokens += (by_word ? scene->word[scene_key(scene, m, other)] : other) == word;
        weights[j] = total > 0 ? pattern_value(head->pattern, i, word, words) / total / tokens : 0;
    }
}

/* weights: (KEYS), zeros past the keys; o: (hd) */
static void expect(const struct scene *scene, int m, int h, double *weights, double *o)
{
    const int n = scene_keys(scene, m), hd = scene->head_dim;
    memset(weights, 0, KEYS * sizeof *weights);
    if (scene->heads[scene->variant[m]][h].energy == ENERGY_LEARNED)
        expect_learned(scene, m, h, weights);
    else
        expect_fixed(scene, m, h, weights);
    for (int c = 0; c < hd; c++) {
        o[c] = 0;
        for (int j = 0; j < n; j++)
            o[c] += weights[j] * scene->v[scene_key(scene, m, j) * scene->ldv + h * hd + c];
        o[c] *= gains[scene->variant[m]][h];
    }
}

#define PUT(ops, array) ops_put(ops, array, sizeof(array))

static struct attention_args scene_args(struct ops *ops, const struct scene *scene, bool store)
{
    const size_t hd = (size_t)scene->head_dim, floats = sizeof(float);
    struct attention_args args = {
        .o = ops_floats(ops, (size_t)scene->rows * HEADS * hd),
        .q = ops_put(ops, scene->q, (size_t)(scene->rows * scene->ldq) * floats),
        .k = ops_put(ops, scene->k, (size_t)(SLOTS * scene->ldk) * floats),
        .v = ops_put(ops, scene->v, (size_t)(SLOTS * scene->ldv) * floats),
        .ldq = scene->ldq,
        .ldk = scene->ldk,
        .ldv = scene->ldv,
        .heads = HEADS,
        .head_dim = scene->head_dim,
        .learned = learned,
        .keys = scene->keys,
        .rows = {.rows = scene->rows, .positions = POSITIONS},
        .position = PUT(ops, scene->position),
        .table = PUT(ops, scene->heads),
        .gains = PUT(ops, gains),
        .variant = PUT(ops, scene->variant),
        .word = PUT(ops, scene->word),
        .row_word = PUT(ops, scene->row_word),
        .captured = captured,
        .ldweights = KEYS,
    };
    if (scene->keys == KEYS_RANGE) {
        args.begin = PUT(ops, scene->begin);
        args.end = PUT(ops, scene->end);
    } else {
        args.rows.lane = PUT(ops, scene->lane);
        args.rows.pos = PUT(ops, scene->pos);
        args.rows.slot = PUT(ops, scene->slot);
        args.rows.path = PUT(ops, scene->path);
    }
    if (store)
        args.weights = ops_floats(ops, (size_t)CAPTURED * (size_t)scene->rows * KEYS);
    return args;
}

static size_t o_size(const struct scene *scene)
{
    return (size_t)(scene->rows * HEADS * scene->head_dim);
}

static size_t weights_size(const struct scene *scene)
{
    return (size_t)(CAPTURED * scene->rows * KEYS);
}

/* Outputs and weights after each other. */
static void run_scene(struct ops *ops, void *out, const void *context)
{
    const struct scene *scene = context;
    float *o = out;
    struct attention_args args = scene_args(ops, scene, true);
    cpu_backend.attention(ops->device, &args);
    ops_get(ops, o, args.o, o_size(scene) * sizeof *o);
    ops_get(ops, o + o_size(scene), args.weights, weights_size(scene) * sizeof *o);
}

static float *scene_result(const struct scene *scene)
{
    struct ops ops;
    float *result = malloc((o_size(scene) + weights_size(scene)) * sizeof *result);
    assert_non_null(result);
    ops_open(&ops, NULL, 2);
    run_scene(&ops, result, scene);
    ops_close(&ops);
    return result;
}

static void check_scene(const struct scene *scene)
{
    float *o = scene_result(scene), *weights = o + o_size(scene);
    char what[80];
    double expected[KEYS], sum[256];
    for (int m = 0; m < scene->rows; m++) {
        for (int h = 0; h < HEADS; h++) {
            const int hd = scene->head_dim;
            snprintf(what, sizeof what, "hd %d, row %d, head %d, o", hd, m, h);
            expect(scene, m, h, expected, sum);
            ops_assert_close(what, o + (m * HEADS + h) * hd, sum, (size_t)hd, 4e-6);
            snprintf(what, sizeof what, "hd %d, row %d, head %d, weight", hd, m, h);
            if (captured[h] >= 0)
                ops_assert_close(what, weights + (captured[h] * scene->rows + m) * KEYS, expected,
                                 KEYS, 2e-6);
        }
    }
    free(o);
}

static const int head_dims[] = {1, 3, 16, 17, 33, 64, 129};
enum { HEAD_DIMS = sizeof head_dims / sizeof *head_dims };

static const int lengths[] = {1, 3, 33, 2, 4};

static void encoder_attention_agrees_with_the_formulas(void **state)
{
    (void)state;
    for (int i = 0; i < HEAD_DIMS; i++) {
        struct scene scene;
        scene_open(&scene, KEYS_RANGE, head_dims[i]);
        scene_ranges(&scene, lengths, 5, 0);
        check_scene(&scene);
        scene_close(&scene);
    }
}

static void cross_attention_past_the_end_of_the_source_agrees_with_the_formulas(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, KEYS_RANGE, 16);
    scene_ranges(&scene, (const int[]){3, 1, 17}, 3, 6);
    check_scene(&scene);
    scene_close(&scene);
}

static void decoder_attention_along_paths_agrees_with_the_formulas(void **state)
{
    (void)state;
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
    (void)state;
    for (int i = 0; i < HEAD_DIMS; i++) {
        struct scene scene;
        scene_open(&scene, KEYS_RANGE, head_dims[i]);
        scene_ranges(&scene, lengths, 5, 0);
        ops_same_everywhere(run_scene, &scene,
                            (o_size(&scene) + weights_size(&scene)) * sizeof(float));
        scene_close(&scene);
        scene_open(&scene, KEYS_PATH, head_dims[i]);
        scene_paths(&scene);
        ops_same_everywhere(run_scene, &scene,
                            (o_size(&scene) + weights_size(&scene)) * sizeof(float));
        scene_close(&scene);
    }
}

/* As a search decodes, and as a forced pass does. */
static void one_row_a_call_has_the_bits_of_all_rows_at_once(void **state)
{
    (void)state;
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
        ops_assert_same("o", actual, expected + (size_t)m * o_size(&one),
                        o_size(&one) * sizeof *actual);
        for (int c = 0; c < CAPTURED; c++)
            ops_assert_same("weights", actual + o_size(&one) + c * KEYS,
                            expected + o_size(&all) + (c * all.rows + m) * KEYS,
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
    (void)state;
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
    ops_assert_same("o", actual, expected + o_size(&pair) - o_size(&alone),
                    o_size(&alone) * sizeof *actual);
    free(actual);
    free(expected);
    scene_close(&alone);
    scene_close(&pair);
}

static void storing_weights_changes_no_output(void **state)
{
    (void)state;
    struct scene scene;
    struct ops ops;
    scene_open(&scene, KEYS_RANGE, 64);
    scene_ranges(&scene, lengths, 5, 0);
    float *expected = scene_result(&scene), *actual = malloc(o_size(&scene) * sizeof *actual);
    assert_non_null(actual);
    ops_open(&ops, NULL, 1);
    struct attention_args args = scene_args(&ops, &scene, false);
    cpu_backend.attention(ops.device, &args);
    ops_get(&ops, actual, args.o, o_size(&scene) * sizeof *actual);
    ops_close(&ops);
    ops_assert_same("o", actual, expected, o_size(&scene) * sizeof *actual);
    free(actual);
    free(expected);
    scene_close(&scene);
}

/* Even where the values are no numbers; minus zero would be a trace of them as well. */
static void a_head_that_is_off_gives_plus_zero(void **state)
{
    (void)state;
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
    (void)state;
    struct scene scene;
    scene_open(&scene, KEYS_PATH, 16);
    scene_paths(&scene);
    float *o = scene_result(&scene), *weights = o + o_size(&scene);
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
    (void)state;
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
    cpu_backend.attention(ops.device, &args);
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

/* Energies of several hundreds, where exp would overflow without the maximum taken off. */
static void large_energies_choose_one_key(void **state)
{
    (void)state;
    struct scene scene;
    scene_open(&scene, KEYS_RANGE, 16);
    scene_ranges(&scene, lengths, 3, 0);
    for (int i = 0; i < ROWS * scene.ldq; i++)
        scene.q[i] *= 100;
    for (int m = 0; m < scene.rows; m++)
        scene.variant[m] = 0;
    float *o = scene_result(&scene), *weights = o + o_size(&scene);
    for (int m = 0; m < scene.rows; m++) {
        double sum = 0;
        for (int j = 0; j < KEYS; j++)
            sum += weights[(captured[1] * scene.rows + m) * KEYS + j];
        assert_true(fabs(sum - 1) < 1e-6);
    }
    free(o);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoder_attention_agrees_with_the_formulas),
        cmocka_unit_test(cross_attention_past_the_end_of_the_source_agrees_with_the_formulas),
        cmocka_unit_test(decoder_attention_along_paths_agrees_with_the_formulas),
        cmocka_unit_test(attention_has_the_same_bits_everywhere),
        cmocka_unit_test(one_row_a_call_has_the_bits_of_all_rows_at_once),
        cmocka_unit_test(a_sentence_has_the_same_bits_in_every_batch),
        cmocka_unit_test(storing_weights_changes_no_output),
        cmocka_unit_test(a_head_that_is_off_gives_plus_zero),
        cmocka_unit_test(an_idle_row_gives_zeros),
        cmocka_unit_test(absent_tensors_mean_one_variant_at_full_gain),
        cmocka_unit_test(large_energies_choose_one_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
