/* Entmax and derivatives through it against the package of its authors
 * (scripts/golden/make_entmax_golden.py), with the same bits on every instruction set. */
#include <math.h>

#include "tests/gpu/cpu/kernel_support.h"
#include "tests/support/packed.h"
#include "tests/support/test.h"

enum { KEYS_MOST = 50, ROOM = KEYS_MOST + KERNEL_PADDING };

static int take(const json_t *list, float *numbers)
{
    size_t i;
    const json_t *number;
    assert_true(json_array_size(list) <= KEYS_MOST);
    json_array_foreach(list, i, number)
    {
        numbers[i] = (float)json_number_value(number);
    }
    return (int)json_array_size(list);
}

static void check_close(const char *what, const json_t *by, const float *is, const float *expected,
                        int n, double within)
{
    const double alpha = json_number_value(json_object_get(by, "alpha"));
    for (int j = 0; j < n; j++)
        if (!(fabs(is[j] - expected[j]) <= within))
            fail_msg("%s with alpha %g, %d of %d: %.9g, expected %.9g", what, alpha, j, n, is[j],
                     expected[j]);
}

/* Near softmax there are weights too small to tell from 0. */
static void check_zeros(const float *is, const float *expected, int n)
{
    for (int j = 0; j < n; j++) {
        assert_true(expected[j] > 0 || is[j] == 0);
        assert_true(expected[j] < 1e-6f || is[j] > 0);
    }
}

static void check_case(const struct kernels *kernels, const json_t *energies, const json_t *by)
{
    float weights[ROOM], expected[KEYS_MOST], slopes[ROOM];
    const float a = (float)json_number_value(json_object_get(by, "alpha")) - 1;
    const int n = take(energies, weights);
    kernels->entmax(weights, ROOM, 1, a, n);
    take(json_object_get(by, "weights"), expected);
    check_close("weight", by, weights, expected, n, 1e-6);
    check_zeros(weights, expected, n);
    for (int j = 0; j < n; j++)
        slopes[j] = (float)cos(j + 1);
    kernels->entmax_backward(slopes, weights, a, 1, (size_t)n);
    take(json_object_get(by, "derivatives"), expected);
    check_close("derivative", by, slopes, expected, n, 4e-6);
}

static void weights_and_derivatives_are_those_of_the_package(void **state)
{
    json_t *cases = packed_json_load("tests/golden/entmax.json.gz");
    assert_true(json_array_size(cases) > 0);
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        size_t i, k;
        const json_t *one, *by;
        json_array_foreach(cases, i, one) json_array_foreach(json_object_get(one, "by"), k, by)
        {
            if (kernels_of(isa))
                check_case(kernels_of(isa), json_object_get(one, "energies"), by);
        }
    }
    json_decref(cases);
}

static float random_number(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return (float)(*seed >> 8) / (1 << 23) - 1;
}

/* Energies of any size, keys of any number. The last are equal but for what float32 has left. */
static int random_row(uint32_t *seed, float *row, int most)
{
    const int n = 1 + (int)((double)most * (random_number(seed) + 1) / 2);
    const float width = powf(10, 3 * random_number(seed));
    for (int j = 0; j < n && j < most; j++)
        row[j] = j % 7 == 3 ? row[j - 1] : width * random_number(seed);
    return n < most ? n : most;
}

/* By bisection, in double. */
static void expect(const float *row, int n, double a, double *weights)
{
    double highest = -INFINITY, low, high, total = 0;
    for (int j = 0; j < n; j++)
        highest = fmax(highest, row[j]);
    low = -1;
    high = 0;
    for (int i = 0; i < 80; i++) {
        const double middle = (low + high) / 2;
        total = 0;
        for (int j = 0; j < n; j++)
            total += pow(fmax(0, a * (row[j] - highest) - middle), 1 / a);
        *(total >= 1 ? &low : &high) = middle;
    }
    for (int j = 0; j < n; j++)
        weights[j] = pow(fmax(0, a * (row[j] - highest) - low), 1 / a);
}

static void rows_of_any_size_have_the_same_bits_everywhere(void **state)
{
    enum { MOST = 700, TIMES = 40 };
    static const float a[] = {1e-4f, 0.03f, 0.25f, 0.5f, 0.77f, 0.999f, 1};
    static float row[MOST], plain[MOST + KERNEL_PADDING], weights[MOST + KERNEL_PADDING];
    static double expected[MOST];
    uint32_t seed = 1;
    for (int i = 0; i < TIMES; i++) {
        const int n = random_row(&seed, row, i % 4 ? 60 : MOST);
        for (size_t k = 0; k < sizeof a / sizeof *a; k++) {
            memcpy(plain, row, (size_t)n * sizeof *row);
            kernels_c.entmax(plain, MOST, 1, a[k], n);
            expect(row, n, a[k], expected);
            for (int j = 0; j < n; j++)
                if (!(fabs(plain[j] - expected[j]) < 2e-6))
                    fail_msg("row %d, a %g, key %d of %d: %.9g, expected %.9g", i, a[k], j, n,
                             plain[j], expected[j]);
            for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
                if (!kernels_of(isa))
                    continue;
                memcpy(weights, row, (size_t)n * sizeof *row);
                kernels_of(isa)->entmax(weights, MOST, 1, a[k], n);
                assert_memory_equal(weights, plain, (size_t)n * sizeof *plain);
            }
        }
    }
}

static void derivatives_have_the_same_bits_everywhere(void **state)
{
    float weights[ROOM], slopes[ROOM], plain[ROOM];
    uint32_t seed = 2;
    for (int n = 1; n <= KEYS_MOST; n += 7)
        for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
            const float a = 0.1f + 0.9f * (float)n / KEYS_MOST;
            for (int j = 0; j < n; j++) {
                weights[j] = 2 * random_number(&seed);
                plain[j] = slopes[j] = random_number(&seed);
            }
            kernels_c.entmax(weights, ROOM, 1, a, n);
            kernels_c.entmax_backward(plain, weights, a, 0.5f, (size_t)n);
            if (!kernels_of(isa))
                continue;
            kernels_of(isa)->entmax_backward(slopes, weights, a, 0.5f, (size_t)n);
            assert_memory_equal(slopes, plain, (size_t)n * sizeof *plain);
        }
}

/* As with softmax: an energy that is not a number makes all weights NaN. */
static void energies_that_are_no_numbers_give_none(void **state)
{
    const float wrong[] = {NAN, INFINITY, -NAN};
    const float a[] = {0.25f, 0.5f, 1};
    for (enum isa isa = 0; isa < ISA_COUNT; isa++)
        for (int i = 0; i < 9 && kernels_of(isa); i++) {
            float row[20 + KERNEL_PADDING] = {0};
            row[i] = wrong[i % 3];
            kernels_of(isa)->entmax(row, 20, 1, a[i / 3], 20);
            for (int j = 0; j < 20; j++)
                assert_true(isnan(row[j]));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_and_derivatives_are_those_of_the_package),
        cmocka_unit_test(rows_of_any_size_have_the_same_bits_everywhere),
        cmocka_unit_test(derivatives_have_the_same_bits_everywhere),
        cmocka_unit_test(energies_that_are_no_numbers_give_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
