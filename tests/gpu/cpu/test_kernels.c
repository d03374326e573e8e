/* The functions that the kernels compute themselves, against libm in double. */
#include <math.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "tests/gpu/activations.h"
#include "tests/gpu/cpu/kernel_support.h"
#include "tests/support/test.h"

enum { NUMBERS = 40001 };

static float number(int i, double least, double most)
{
    return (float)(least + (most - least) * i / (NUMBERS - 1));
}

static void exp_is_within_2_ulp_where_it_is_normal(void **state)
{
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

static void check_activation(void (*function)(float *, size_t), enum activation activation)
{
    static float x[NUMBERS];
    for (int i = 0; i < NUMBERS; i++)
        x[i] = number(i, -12, 12);
    function(x, NUMBERS);
    for (int i = 0; i < NUMBERS; i++) {
        const double at = number(i, -12, 12), expected = activation_expected(activation, at);
        if (!(fabs(x[i] - expected) <= 2e-7 * fmax(1, fabs(at))))
            fail_msg("activation %d of %.9g: %.9g, expected %.9g", (int)activation, at, x[i],
                     expected);
    }
}

static void activations_are_right(void **state)
{
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        if (!kernels)
            continue;
        check_activation(kernels->gelu, ACTIVATION_GELU);
        check_activation(kernels->sigmoid, ACTIVATION_SIGMOID);
        check_activation(kernels->swish, ACTIVATION_SWISH);
        check_activation(kernels->gelu_tanh, ACTIVATION_GELU_TANH);
        check_activation(kernels->gelu_sigmoid, ACTIVATION_GELU_SIGMOID);
        check_activation(kernels->tanh, ACTIVATION_TANH);
    }
}

/* Small results are as precise as large ones, relative to their size. */
static void tanh_is_within_4_ulp(void **state)
{
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        for (int i = 0; kernels && i < NUMBERS; i++) {
            const float x = (float)pow(10, number(i, -30, 2)) * (i % 2 ? 1 : -1);
            float y = x;
            kernels->tanh(&y, 1);
            if (!(fabs(y - tanh(x)) <= 4 * 0x1p-24 * fabs(tanh(x))))
                fail_msg("tanh(%a) = %a, expected %a", x, y, tanh(x));
        }
    }
}

static void far_out_activations_are_x_or_their_ends(void **state)
{
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        if (!kernels)
            continue;
        void (*const functions[])(float *, size_t) = {kernels->gelu, kernels->swish,
                                                      kernels->gelu_tanh, kernels->gelu_sigmoid};
        for (int f = 0; f < 4; f++) {
            float x[] = {-1e30f, -1e6f, -120, 120, 1e6f, 1e30f, 0};
            functions[f](x, 7);
            assert_true(x[0] == 0 && x[1] == 0 && x[2] == 0 && x[6] == 0);
            assert_true(x[3] == 120 && x[4] == 1e6f && x[5] == 1e30f);
        }
        float x[] = {-INFINITY, -1e6f, 1e6f, INFINITY, NAN};
        kernels->tanh(x, 5);
        assert_true(x[0] == -1 && x[1] == -1 && x[2] == 1 && x[3] == 1 && isnan(x[4]));
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

enum { FUNCTIONS = 7 };

typedef void function(float *x, size_t n);

static function *function_of(const struct kernels *kernels, int number)
{
    function *const all[FUNCTIONS] = {kernels->exp,   kernels->sigmoid,   kernels->gelu,
                                      kernels->swish, kernels->gelu_tanh, kernels->gelu_sigmoid,
                                      kernels->tanh};
    return all[number];
}

/* Bit patterns from the whole range, not just likely numbers. */
static void functions_have_the_same_bits_with_every_instruction_set(void **state)
{
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
        for (int f = 0; f < FUNCTIONS; f++) {
            memcpy(actual, x, COUNT * sizeof *x);
            memcpy(expected, x, COUNT * sizeof *x);
            function_of(kernels, f)(actual, COUNT);
            function_of(&kernels_c, f)(expected, COUNT);
            assert_same_bits(isa_name(isa), actual, expected, COUNT);
        }
    }
    free(x);
}

/* An element's result may not depend on whether it is in a whole vector or in the rest. */
static void functions_give_the_same_bits_alone_and_in_a_row(void **state)
{
    enum { COUNT = 37 };
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        float row[COUNT], alone[COUNT];
        if (!kernels)
            continue;
        for (int f = 0; f < FUNCTIONS; f++) {
            for (int i = 0; i < COUNT; i++)
                row[i] = alone[i] = 0.37f * (float)(i - 17);
            function_of(kernels, f)(row, COUNT);
            for (int i = 0; i < COUNT; i++)
                function_of(kernels, f)(alone + i, 1);
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

#if defined(__x86_64__)
/* True if the upper halves of vector registers hold anything. */
static bool upper_halves_in_use(void)
{
    enum { OF_YMM = 1 << 2, OF_ZMM = 1 << 6 };
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
    return low & (OF_YMM | OF_ZMM);
}

/* True if this processor tells it, and does not just say that all is in use. Builds with sanitizers
 * are optimised too little for compilers to free the upper halves. */
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

/* Else the code that called them, compiled for less, would take many times as long from there
 * on. */
#define CLEAN(call)                                                                                \
    do {                                                                                           \
        (void)(kernels->call);                                                                     \
        if (upper_halves_in_use())                                                                 \
            fail_msg("%s: %s", isa_name(isa), #call);                                              \
    } while (0)

static void kernels_leave_no_upper_half_in_use(void **state)
{
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
        CLEAN(rms_norm(y, y, &row, N));
        CLEAN(max(x, N));
        CLEAN(look(x, N, 0, groups, bits));
        CLEAN(exp_sum(x, 1, N));
        CLEAN(group_mark(groups, 1));
        CLEAN(merge(&best, y, id, 3));
        CLEAN(multiply(y, x, N));
        CLEAN(blend(y, x, 0.5f, N));
        CLEAN(sigmoid(y, N));
        CLEAN(gelu(y, N));
        CLEAN(swish(y, N));
        CLEAN(gelu_tanh(y, N));
        CLEAN(gelu_sigmoid(y, N));
        CLEAN(tanh(y, N));
        CLEAN(exp(y, N));
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_within_2_ulp_where_it_is_normal),
        cmocka_unit_test(exp_keeps_the_ends_of_its_range),
        cmocka_unit_test(exp_of_every_nan_is_nan),
        cmocka_unit_test(activations_are_right),
        cmocka_unit_test(tanh_is_within_4_ulp),
        cmocka_unit_test(far_out_activations_are_x_or_their_ends),
        cmocka_unit_test(functions_have_the_same_bits_with_every_instruction_set),
        cmocka_unit_test(functions_give_the_same_bits_alone_and_in_a_row),
        cmocka_unit_test(sums_follow_the_documented_tree),
        cmocka_unit_test(heads_have_the_same_bits_together_and_alone),
#if defined(__x86_64__)
        cmocka_unit_test(kernels_leave_no_upper_half_in_use),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
