/* Buckets of relative positions: those of T5Attention._relative_position_bucket in transformers
 * 5.23. */
#include "model/net/positions.h"
#include "tests/support/test.h"

enum { FAR = 300, MOST = 40 };

/* Below `first` a bucket is the distance itself; `begins` has the first distances of the others. */
static const struct {
    int buckets, max_distance;
    bool both_ways;
    int first, begins[MOST];
} cases[] = {
    {32, 128, true, 8, {8, 12, 16, 23, 32, 46, 64, 91}},
    {32, 128, false, 16, {16, 19, 21, 24, 27, 31, 35, 40, 46, 52, 59, 67, 77, 87, 99, 113}},
    {8, 20, true, 2, {2, 7}},
    {8, 20, false, 4, {4, 6, 9, 14}},
    {33, 100, true, 8, {8, 11, 16, 21, 29, 39, 54, 73}},
    {33, 100, false, 16, {16, 18, 20, 23, 25, 28, 31, 35, 38, 43, 48, 53, 59, 65, 73, 81, 90}},
};

static int expected_bucket(size_t number, int away)
{
    int bucket = cases[number].first - 1;
    if (away < cases[number].first)
        return away;
    for (int i = 0; i < MOST && cases[number].begins[i] > 0; i++)
        bucket += away >= cases[number].begins[i];
    return bucket;
}

static void buckets_are_those_of_the_toolkit(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int buckets = cases[i].buckets, most = cases[i].max_distance;
        const bool both = cases[i].both_ways;
        for (int d = -FAR; d <= FAR; d++) {
            int expected = expected_bucket(i, d < 0 ? -d : d);
            if (d > 0)
                expected = both ? buckets / 2 + expected : 0;
            int got = relative_bucket(d, buckets, most, both);
            if (got != expected)
                fail_msg("%d buckets up to %d, distance %d: %d, expected %d", buckets, most, d, got,
                         expected);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buckets_are_those_of_the_toolkit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
