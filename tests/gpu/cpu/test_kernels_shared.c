/* Sums of rows that share their values, against chains of fmaf. */
#include <math.h>

#include "tests/gpu/cpu/kernel_support.h"
#include "tests/support/test.h"

enum {
    ROWS = KERNEL_SHARING,
    KEYS = 35,
    HEADS = 3,
    SIZE = 65,
    WIDTH = HEADS * SIZE,
    STRIDE = KEYS + KERNEL_PADDING
};

static float keys[KEYS * WIDTH], weights[ROWS * HEADS * STRIDE];
static int32_t order[KEYS];

static void draw(void)
{
    for (int i = 0; i < KEYS * WIDTH; i++)
        keys[i] = cosf((float)(i * 5));
    for (int i = 0; i < ROWS * HEADS * STRIDE; i++)
        weights[i] = sinf((float)(i * 3)) / KEYS;
    for (int j = 0; j < KEYS; j++)
        order[j] = (j * 4 + 1) % KEYS;
}

/* Element c of head h of the j-th key. */
static float key_at(const struct row_set *set, int j, int h, int c)
{
    return set->base[(size_t)set->rows[j] * set->ld + (size_t)(h * set->size + c)];
}

static float sum_by_hand(const struct row_set *set, const float *weight, int h, int c)
{
    float sum = 0;
    for (int j = 0; j < set->count; j++)
        sum = fmaf(weight[j], key_at(set, j, h, c), sum);
    return sum;
}

static void check_sums(const struct kernels *kernels, const struct row_set *set, int rows)
{
    float out[ROWS * WIDTH + 1];
    for (int i = 0; i <= ROWS * WIDTH; i++)
        out[i] = 99;
    kernels->shared_sum(out, WIDTH, weights, STRIDE, rows, set);
    for (int r = 0; r < rows; r++) {
        const int end = set->heads * set->size;
        for (int i = 0; i < end; i++) {
            const int h = i / set->size;
            const float *weight = weights + (r * set->heads + h) * STRIDE;
            assert_true(out[r * WIDTH + i] == sum_by_hand(set, weight, h, i % set->size));
        }
        for (int i = end; i < WIDTH; i++) // of heads that are somebody else's
            assert_true(out[r * WIDTH + i] == 99);
    }
}

static void sums_are_chains_over_the_keys(void **state)
{
    static const int sizes[] = {1, 15, 16, 20, 32, 48, 64, SIZE};
    static const int counts[] = {1, 2, 15, 16, 17, 32, KEYS};
    draw();
    for (enum isa isa = 0; isa < ISA_COUNT; isa++) {
        const struct kernels *kernels = kernels_of(isa);
        for (size_t s = 0; kernels && s < sizeof sizes / sizeof *sizes; s++)
            for (size_t n = 0; n < sizeof counts / sizeof *counts; n++)
                for (int heads = 1; heads <= HEADS; heads++)
                    for (int rows = 1; rows <= ROWS; rows++)
                        check_sums(
                            kernels,
                            &(struct row_set){keys, WIDTH, order, counts[n], sizes[s], heads},
                            rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_chains_over_the_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
