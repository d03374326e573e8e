/* The functions that the kernels compute themselves, against libm in double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "tests/kernel_support.h"

enum { NUMBERS = 40001 };

static float number(int i, double least, double most)
{
    return (float)(least + (most - least) * i / (NUMBERS - 1));
}

static void exp_is_within_2_ulp_where_it_is_normal(void **state)
{
    (void)state;
    static float x[NUMBERS];
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        for (int i = 0; i < NUMBERS; i++)
            x[i] = number(i, -87.3, 88.7);
        if (!kernels)
            continue;
        kernels->exp(x, NUMBERS);
        for (int i = 0; i < NUMBERS; i++) {
            double expected = exp(number(i, -87.3, 88.7));
            int exponent;
            frexp(expected, &exponent);
            if (!(fabs(x[i] - expected) <= 2 * ldexp(1, exponent - 24)))
                fail_msg("exp(%.9g) = %.9g, expected %.9g", number(i, -87.3, 88.7), x[i], expected);
        }
    }
}

static void exp_keeps_the_ends_of_its_range(void **state)
{
    (void)state;
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        float x[] = {-INFINITY, -1e30f,    -87.33655f, -87.33654f, 0,   -0.0f,
                     88.72283f, 88.72284f, 1e30f,      INFINITY,   NAN, -NAN};
        if (!kernels)
            continue;
        kernels->exp(x, sizeof x / sizeof *x);
        assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0);
        assert_true(x[3] > 1.17e-38f && x[3] < 1.18e-38f);
        assert_true(x[4] == 1 && x[5] == 1);
        assert_true(x[6] > 3.40e38f && !isinf(x[6]));
        assert_true(isinf(x[7]) && isinf(x[8]) && isinf(x[9]));
        assert_true(isnan(x[10]) && isnan(x[11]));
    }
}

/* NaN may carry any payload; none of them may become a number. */
static void exp_of_every_nan_is_nan(void **state)
{
    (void)state;
    const uint32_t bits[] = {0x7fc00000, 0x7fffffff, 0xffffffff, 0x7fc001ff, 0xffc00100};
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        for (size_t i = 0; kernels && i < sizeof bits / sizeof *bits; i++) {
            float x;
            memcpy(&x, &bits[i], sizeof x);
            kernels->exp(&x, 1);
            assert_true(isnan(x));
        }
    }
}

static void check_function(void (*function)(float *, size_t), double (*expected)(double),
                           double tolerance)
{
    static float x[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        x[i] = number(i, -12, 12);
    function(x, NUMBERS);
    for (int i = 0; i < NUMBERS; i++) {
        double at = number(i, -12, 12);
        if (!(fabs(x[i] - expected(at)) <= tolerance * fmax(1, fabs(at))))
            fail_msg("f(%.9g) = %.9g, expected %.9g", at, x[i], expected(at));
    }
}

static double gelu_expected(double x)
{
    return x * erfc(-x / sqrt(2)) / 2;
}

static double sigmoid_expected(double x)
{
    return 1 / (1 + exp(-x));
}

static double swish_expected(double x)
{
    return x * sigmoid_expected(x);
}

static void gelu_sigmoid_and_swish_are_right(void **state)
{
    (void)state;
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        if (!kernels)
            continue;
        check_function(kernels->gelu, gelu_expected, 2e-7);
        check_function(kernels->sigmoid, sigmoid_expected, 2e-7);
        check_function(kernels->swish, swish_expected, 2e-7);
    }
}

static void far_out_gelu_and_swish_are_x_or_zero(void **state)
{
    (void)state;
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        float gelu[] = {-1e6f, -50, 50, 1e6f, 0}, swish[] = {-1e6f, -120, 120, 1e6f, 0};
        if (!kernels)
            continue;
        kernels->gelu(gelu, 5);
        kernels->swish(swish, 5);
        assert_true(gelu[0] == 0 && gelu[1] == 0 && gelu[2] == 50 && gelu[3] == 1e6f);
        assert_true(swish[0] == 0 && swish[1] == 0 && swish[2] == 120 && swish[3] == 1e6f);
        assert_true(gelu[4] == 0 && swish[4] == 0);
    }
}

static void assert_same_bits(const char *what, const float *actual, const float *expected,
                             size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (memcmp(&actual[i], &expected[i], sizeof *actual) != 0 &&
            !(isnan(actual[i]) && isnan(expected[i])))
            fail_msg("%s[%zu]: %a, expected %a", what, i, actual[i], expected[i]);
}

/* Bit patterns from the whole range, not just likely numbers. */
static void functions_have_the_same_bits_with_every_instruction_set(void **state)
{
    (void)state;
    enum { COUNT = 1 << 16 };
    float *x = malloc(4 * COUNT * sizeof *x), *expected = x + COUNT, *actual = x + 2 * COUNT;
    assert_non_null(x);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t bits = i * 65521u;
        memcpy(&x[i], &bits, sizeof bits);
    }
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        if (!kernels)
            continue;
        void (*const mine[])(float *, size_t) = {kernels->exp, kernels->sigmoid, kernels->gelu,
                                                 kernels->swish};
        void (*const theirs[])(float *, size_t) = {kernels_c.exp, kernels_c.sigmoid, kernels_c.gelu,
                                                   kernels_c.swish};
        for (int f = 0; f < 4; f++) {
            memcpy(actual, x, COUNT * sizeof *x);
            memcpy(expected, x, COUNT * sizeof *x);
            mine[f](actual, COUNT);
            theirs[f](expected, COUNT);
            assert_same_bits(isa_name(isa), actual, expected, COUNT);
        }
    }
    free(x);
}

/* An element's result may not depend on whether it is in a whole vector or in the rest. */
static void functions_give_the_same_bits_alone_and_in_a_row(void **state)
{
    (void)state;
    enum { COUNT = 37 };
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        float row[COUNT], alone[COUNT];
        if (!kernels)
            continue;
        void (*const functions[])(float *, size_t) = {kernels->exp, kernels->sigmoid, kernels->gelu,
                                                      kernels->swish};
        for (int f = 0; f < 4; f++) {
            for (int i = 0; i < COUNT; i++)
                row[i] = alone[i] = 0.37f * (float)(i - 17);
            functions[f](row, COUNT);
            for (int i = 0; i < COUNT; i++)
                functions[f](alone + i, 1);
            assert_same_bits(isa_name(isa), row, alone, COUNT);
        }
    }
}

/* The tree 8+8, 4+4, 2+2, 1+1 over lanes, written out. */
static float sum_by_hand(const float *x, size_t n)
{
    float lane[16] = {0};
    for (size_t i = 0; i < n; i++)
        lane[i % 16] += x[i];
    for (int half = 8; half > 0; half /= 2)
        for (int l = 0; l < half; l++)
            lane[l] += lane[l + half];
    return lane[0];
}

static void sums_follow_the_documented_tree(void **state)
{
    (void)state;
    float x[129], ones[129];
    int32_t rows[17];
    for (int i = 0; i < 129; i++) {
        x[i] = sinf((float)(i * i)) * 1e3f;
        ones[i] = 1;
    }
    memset(rows, 0, sizeof rows);
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        for (size_t n = 1; kernels && n <= 129; n++) {
            float expected = sum_by_hand(x, n), scores[17 + KERNEL_PADDING];
            struct row_set set = {x, 0, rows, 17, (int)n, 1};
            kernels->scores(scores, 0, ones, &set, 1);
            assert_true(kernels->sum(x, n) == expected);
            assert_true(kernels->dot(x, ones, n) == expected);
            for (int j = 0; j < 17; j++)
                assert_true(scores[j] == expected);
        }
    }
}

enum { KEYS_MOST = 33, HEADS_MOST = 6, SIZE_MOST = 129 };

/* Every head among the others, and by itself in plain C. */
static void check_heads(const struct kernels *kernels, const struct row_set *all)
{
    enum { STRIDE = KEYS_MOST + KERNEL_PADDING };
    float weights[HEADS_MOST * STRIDE], alone[STRIDE];
    float out[HEADS_MOST * SIZE_MOST], out_alone[SIZE_MOST];
    const size_t size = (size_t)all->size, count = (size_t)all->count;
    const float *query = all->base; // as good as any
    struct row_set one = *all;
    one.heads = 1;
    kernels->scores(weights, STRIDE, query, all, 0.3f);
    kernels->softmax(weights, STRIDE, all->heads, all->count);
    kernels->weighted_sum(out, weights, STRIDE, all);
    for (size_t h = 0; h < (size_t)all->heads; h++) {
        double total = 0;
        one.base = all->base + h * size;
        kernels_c.scores(alone, 0, query + h * size, &one, 0.3f);
        kernels_c.softmax(alone, 0, 1, all->count);
        kernels_c.weighted_sum(out_alone, alone, 0, &one);
        assert_same_bits("weights", weights + h * STRIDE, alone, count);
        assert_same_bits("sum", out + h * size, out_alone, size);
        for (size_t j = 0; j < count; j++)
            total += (double)alone[j];
        assert_true(fabs(total - 1) < 1e-6);
    }
}

static void heads_have_the_same_bits_together_and_alone(void **state)
{
    (void)state;
    static const int sizes[] = {1, 15, 16, 17, 32, 64, SIZE_MOST};
    static float matrix[KEYS_MOST * HEADS_MOST * SIZE_MOST];
    int32_t rows[KEYS_MOST];
    for (int i = 0; i < KEYS_MOST * HEADS_MOST * SIZE_MOST; i++)
        matrix[i] = sinf((float)(i * 7));
    for (int j = 0; j < KEYS_MOST; j++)
        rows[j] = (j * 5 + 2) % KEYS_MOST;
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        for (size_t s = 0; kernels && s < sizeof sizes / sizeof *sizes; s++)
            for (int count = 1; count <= KEYS_MOST; count++)
                for (int heads = 1; heads <= HEADS_MOST; heads++)
                    check_heads(kernels, &(struct row_set){matrix, (size_t)(heads * sizes[s]), rows,
                                                           count, sizes[s], heads});
    }
}

static void look_finds_what_a_nan_stands_before(void **state)
{
    (void)state;
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        float x[140], groups[KERNEL_GROUPS];
        uint64_t bits[3];
        for (int i = 0; i < 140; i++)
            x[i] = NAN;
        x[17] = x[63] = 2;
        x[130] = 3;
        x[5] = -INFINITY;
        x[131] = 4; // behind the end
        if (!kernels)
            continue;
        for (int low = 0; low < 2; low++) {
            assert_true(kernels->look(x, 131, low ? -INFINITY : 1, groups, bits) == 3);
            assert_true(bits[0] == (1ull << 17 | 1ull << 63) && bits[1] == 0 && bits[2] == 1 << 2);
        }
        kernels->look(x, 131, 2, groups, bits);
        assert_true(bits[0] == 0 && bits[1] == 0 && bits[2] == 1 << 2);
        assert_true(kernels->look(x, 130, 2, groups, bits) == 2);
        assert_true(bits[0] == 0 && bits[1] == 0 && bits[2] == 0);
        assert_true(kernels->max(x, 131) == 3);
        assert_true(kernels->max(x, 17) == -INFINITY);
    }
}

static void group_mark_is_reached_by_as_many_groups(void **state)
{
    (void)state;
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        float groups[KERNEL_GROUPS];
        for (int g = 0; g < KERNEL_GROUPS; g++) // 63 and 62, each twice, … 32, shuffled
            groups[g] = (float)(63 - g * 29 % KERNEL_GROUPS / 2);
        for (int count = 1; kernels && count <= KERNEL_GROUPS; count++) {
            const float mark = kernels->group_mark(groups, count);
            assert_true(mark <= (float)(63 - (count - 1) / 2));
            assert_true(mark > (float)(63 - (count + 3) / 2));
        }
        assert_true(!kernels || kernels->group_mark(groups, KERNEL_GROUPS + 1) == -INFINITY);
        for (int g = 3; g < KERNEL_GROUPS; g++)
            groups[g] = -INFINITY;
        assert_true(!kernels || kernels->group_mark(groups, 4) == -INFINITY);
    }
}

/* A stable sort, by hand. */
static void insert(float *value, int32_t *id, int room, float other, int32_t other_id)
{
    int place = room;
    while (place > 0 && value[place - 1] < other)
        place--;
    for (int i = room - 1; i > place; i--) {
        value[i] = value[i - 1];
        id[i] = id[i - 1];
    }
    if (place < room) {
        value[place] = other;
        id[place] = other_id;
    }
}

static void merge_keeps_the_best_in_order(void **state)
{
    (void)state;
    enum { ROOM_MOST = 50, PLACES = 64 + KERNEL_PADDING };
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        for (int room = 1; kernels && room <= ROOM_MOST; room++) {
            float value[PLACES], expected[ROOM_MOST];
            int32_t id[PLACES] = {0}, expected_id[ROOM_MOST] = {0};
            const struct kernel_best best = {value, id, room};
            for (int i = 0; i < PLACES; i++)
                value[i] = -INFINITY;
            for (int i = 0; i < room; i++)
                expected[i] = -INFINITY;
            for (int n = 1, next = 0; n <= KERNEL_MERGED; n++) {
                float others[KERNEL_MERGED];
                int32_t ids[KERNEL_MERGED];
                for (int i = 0; i < n; i++, next++) {
                    others[i] = (float)(next * 37 % 61 / 2); // with equals
                    ids[i] = next;
                    insert(expected, expected_id, room, others[i], next);
                }
                kernels->merge(&best, others, ids, n);
                assert_memory_equal(value, expected, (size_t)room * sizeof *value);
                for (int i = 0; i < room; i++)
                    assert_true(value[i] == -INFINITY || id[i] == expected_id[i]);
            }
        }
    }
}

static void look_finds_the_highest_of_each_group_and_what_is_above(void **state)
{
    (void)state;
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        float x[200], groups[KERNEL_GROUPS];
        for (int i = 0; i < 200; i++)
            x[i] = i % 11 == 5 ? NAN : cosf((float)(i * i));
        for (size_t n = 1; kernels && n <= 200; n++) {
            float expected[KERNEL_GROUPS], highest = -INFINITY;
            uint64_t bits[4], expected_bits[4] = {0};
            for (int g = 0; g < KERNEL_GROUPS; g++)
                expected[g] = -INFINITY;
            for (size_t i = 0; i < n; i++) {
                expected[i % KERNEL_GROUPS] = fmaxf(expected[i % KERNEL_GROUPS], x[i]);
                expected_bits[i / KERNEL_GROUPS] |= (uint64_t)(x[i] > 0.3f) << i % KERNEL_GROUPS;
                highest = fmaxf(highest, x[i]);
            }
            assert_true(kernels->look(x, n, 0.3f, groups, bits) == highest);
            assert_true(kernels->max(x, n) == highest);
            assert_memory_equal(groups, expected, sizeof groups);
            assert_memory_equal(bits, expected_bits, (n + 63) / 64 * sizeof *bits);
        }
    }
}

/* From terms that count to such as are nothing; the sum is at least 1. */
static void exp_sum_agrees_with_double(void **state)
{
    (void)state;
    enum { COUNT = 9001 };
    static float x[COUNT];
    const float spread[] = {0, 1e-3f, 1, 30, 200, 1e6f};
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        for (size_t s = 0; kernels && s < sizeof spread / sizeof *spread; s++) {
            double expected = 0;
            for (int i = 0; i < COUNT; i++) {
                x[i] = 7 - spread[s] * (float)((i * 37 + 5) % COUNT) / COUNT;
                expected += exp((double)x[i] - 7);
            }
            assert_true(fabs(kernels->exp_sum(x, 7, COUNT) / expected - 1) < 1e-7);
            x[COUNT / 2] = -INFINITY;
            assert_true(kernels->exp_sum(x, 7, COUNT) <= expected * (1 + 1e-7));
            for (int i = 0; i < COUNT; i += 1000) {
                x[i] = NAN;
                assert_true(isnan(kernels->exp_sum(x, 7, COUNT)));
                x[i] = 7;
            }
        }
    }
}

#if defined(__x86_64__)
/* Whether the upper halves of vector registers hold anything. */
static bool upper_halves_in_use(void)
{
    enum { OF_YMM = 1 << 2, OF_ZMM = 1 << 6 };
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return low & (OF_YMM | OF_ZMM);
}

/* Whether this processor tells it, and does not just say that all is in use. Builds with sanitizers are optimised too
 * little for compilers to free the upper halves. */
static bool use_is_known(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return false;
#endif
    enum { EXTENDED_STATE = 0xD, OF_XGETBV_1 = 1 << 2 };
    unsigned a, b, c, d;
    if (!isa_supported(ISA_AVX2) || !__get_cpuid_count(EXTENDED_STATE, 1, &a, &b, &c, &d) ||
        !(a & OF_XGETBV_1))
        return false;
    __asm__ volatile("vzeroupper");
    return !upper_halves_in_use();
}

/* Else the code that called them, compiled for less, would take many times as long from there on. */
#define CLEAN(call)                                                                                \
    do {                                                                                           \
        (void)(kernels->call);                                                                     \
        if (upper_halves_in_use())                                                                 \
            fail_msg("%s: %s", isa_name(isa), #call);                                              \
    } while (0)

static void kernels_leave_no_upper_half_in_use(void **state)
{
    (void)state;
    enum { N = 131, STRIDE = 40, ROOM = 5 };
    float x[200], y[200] = {0}, groups[KERNEL_GROUPS];
    uint64_t bits[3];
    const struct norm_row row = {x, x, x, x, 1};
    int32_t id[200] = {0};
    const int32_t rows[] = {0, 1, 2};
    const struct row_set set = {x, 40, rows, 3, 16, 1};
    const struct kernel_best best = {x, id, ROOM};
    for (int i = 0; i < 200; i++)
        x[i] = 1;
    for (enum isa isa = 0; use_is_known() && isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        if (!kernels)
            continue;
        CLEAN(scores(y, STRIDE, x, &set, 1));
        CLEAN(softmax(y, STRIDE, 2, 3));
        CLEAN(weighted_sum(y, x, STRIDE, &set));
        CLEAN(shared_sum(y, 16, x, STRIDE, 2, &set));
        CLEAN(dot(x, y, N));
        CLEAN(sum(x, N));
        CLEAN(norm(y, y, &row, N));
        CLEAN(max(x, N));
        CLEAN(look(x, N, 0, groups, bits));
        CLEAN(exp_sum(x, 1, N));
        CLEAN(group_mark(groups, 1));
        CLEAN(merge(&best, y, id, 3));
        CLEAN(blend(y, x, 0.5f, N));
        CLEAN(sigmoid(y, N));
        CLEAN(gelu(y, N));
        CLEAN(swish(y, N));
        CLEAN(exp(y, N));
    }
}
#endif

static void exp_sum_of_every_nan_is_nan(void **state)
{
    (void)state;
    const uint32_t bits[] = {0x7fc00000, 0x7fffffff, 0xffffffff, 0x7fc001ff, 0xffc00100};
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        for (size_t i = 0; kernels && i < sizeof bits / sizeof *bits; i++) {
            float x[3] = {1, 2};
            memcpy(&x[2], &bits[i], sizeof *x);
            assert_true(isnan(kernels->exp_sum(x, 2, 3)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_within_2_ulp_where_it_is_normal),
        cmocka_unit_test(exp_keeps_the_ends_of_its_range),
        cmocka_unit_test(exp_of_every_nan_is_nan),
        cmocka_unit_test(gelu_sigmoid_and_swish_are_right),
        cmocka_unit_test(far_out_gelu_and_swish_are_x_or_zero),
        cmocka_unit_test(functions_have_the_same_bits_with_every_instruction_set),
        cmocka_unit_test(functions_give_the_same_bits_alone_and_in_a_row),
        cmocka_unit_test(sums_follow_the_documented_tree),
        cmocka_unit_test(heads_have_the_same_bits_together_and_alone),
        cmocka_unit_test(look_finds_what_a_nan_stands_before),
        cmocka_unit_test(group_mark_is_reached_by_as_many_groups),
        cmocka_unit_test(merge_keeps_the_best_in_order),
        cmocka_unit_test(look_finds_the_highest_of_each_group_and_what_is_above),
        cmocka_unit_test(exp_sum_agrees_with_double),
        cmocka_unit_test(exp_sum_of_every_nan_is_nan),
#if defined(__x86_64__)
        cmocka_unit_test(kernels_leave_no_upper_half_in_use),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
