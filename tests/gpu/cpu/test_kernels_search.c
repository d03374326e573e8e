/* The kernels that search logits: the highest of a row, its marks and its sum, and how the best are
 * kept in order. */
#include <math.h>

#include "tests/gpu/cpu/kernel_support.h"
#include "tests/support/test.h"

static void look_finds_what_a_nan_stands_before(void **state)
{
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

static void exp_sum_of_every_nan_is_nan(void **state)
{
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
        cmocka_unit_test(look_finds_what_a_nan_stands_before),
        cmocka_unit_test(group_mark_is_reached_by_as_many_groups),
        cmocka_unit_test(merge_keeps_the_best_in_order),
        cmocka_unit_test(look_finds_the_highest_of_each_group_and_what_is_above),
        cmocka_unit_test(exp_sum_agrees_with_double),
        cmocka_unit_test(exp_sum_of_every_nan_is_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
