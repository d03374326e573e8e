/* Fixed patterns and masks against rows worked out by hand. */
#include <math.h>

#include "gpu/cpu/patterns.h"
#include "tests/support/test.h"

enum { LONGEST = 8 };

/* Weights as fractions: numerators over one denominator. */
struct row_case {
    enum pattern pattern;
    int i, n;
    int denominator;
    int numerators[LONGEST];
};

/* 1, 8, 27, 64, … are the cubes; 9, 36, 100, 225 the sums of the first two, three, four, five. */
static const struct row_case row_cases[] = {
    {PATTERN_CURRENT, 0, 3, 1, {1, 0, 0}},
    {PATTERN_CURRENT, 2, 3, 1, {0, 0, 1}},
    {PATTERN_CURRENT, 3, 3, 1, {0, 0, 0}}, // past the source
    {PATTERN_PREVIOUS, 0, 3, 1, {0, 0, 0}},
    {PATTERN_PREVIOUS, 1, 3, 1, {1, 0, 0}},
    {PATTERN_PREVIOUS, 3, 3, 1, {0, 0, 1}},
    {PATTERN_PREVIOUS, 4, 3, 1, {0, 0, 0}},
    {PATTERN_NEXT, 0, 3, 1, {0, 1, 0}},
    {PATTERN_NEXT, 2, 3, 1, {0, 0, 0}},
    {PATTERN_LEFT_CONTEXT, 0, 4, 1, {0, 0, 0, 0}},
    {PATTERN_LEFT_CONTEXT, 1, 4, 1, {0, 0, 0, 0}},
    {PATTERN_LEFT_CONTEXT, 2, 4, 1, {1, 0, 0, 0}},
    {PATTERN_LEFT_CONTEXT, 3, 4, 9, {1, 8, 0, 0}},
    {PATTERN_LEFT_CONTEXT, 5, 4, 100, {1, 8, 27, 64}},
    {PATTERN_LEFT_CONTEXT, 9, 4, 100, {1, 8, 27, 64}}, // the sum runs over what exists
    {PATTERN_RIGHT_CONTEXT, 0, 4, 9, {0, 0, 8, 1}},
    {PATTERN_RIGHT_CONTEXT, 1, 4, 1, {0, 0, 0, 1}},
    {PATTERN_RIGHT_CONTEXT, 2, 4, 1, {0, 0, 0, 0}},
    {PATTERN_RIGHT_CONTEXT, 3, 4, 1, {0, 0, 0, 0}},
    {PATTERN_RIGHT_CONTEXT, 0, 5, 36, {0, 0, 27, 8, 1}},
    {PATTERN_SENTENCE_END, 0, 3, 36, {1, 8, 27}},
    {PATTERN_SENTENCE_END, 7, 4, 100, {1, 8, 27, 64}},
    {PATTERN_SENTENCE_START, 1, 3, 36, {27, 8, 1}},
    {PATTERN_SENTENCE_START, 0, 5, 225, {125, 64, 27, 8, 1}},
    {PATTERN_LAST, 0, 3, 1, {0, 0, 1}},
    {PATTERN_LAST, 5, 1, 1, {1}},
    {PATTERN_NEXT, 0, 1, 1, {0}},
};

static void check_row(const char *what, size_t number, struct key_span span, const float *weights,
                      const struct row_case *expected)
{
    for (int j = 0; j < expected->n; j++) {
        float actual = j >= span.begin && j < span.end ? weights[j] : 0;
        double wanted = (double)expected->numerators[j] / expected->denominator;
        if (!(fabs(actual - wanted) <= 6e-8 * wanted))
            fail_msg("%s %zu: pattern %d, i %d, n %d: weight %d is %.9g, expected %d/%d", what,
                     number, (int)expected->pattern, expected->i, expected->n, j, actual,
                     expected->numerators[j], expected->denominator);
    }
    assert_true(span.begin >= 0 && span.end <= expected->n);
}

static void rows_are_those_of_section_3_2(void **state)
{
    for (size_t c = 0; c < sizeof row_cases / sizeof *row_cases; c++) {
        float weights[LONGEST];
        const struct row_case *row = &row_cases[c];
        const struct head head = {.pattern = (uint8_t)row->pattern};
        check_row("row", c, pattern_row(&head, row->i, row->n, weights), weights, row);
    }
}

/* keys[j] is the place of key j in word; here the keys lie the other way round. */
struct word_case {
    int32_t word[LONGEST]; // of key j
    struct row_case row;   // i counts words, n keys
};

static const struct word_case word_cases[] = {
    /* "he | dis ap peared | ." */
    {{0, 1, 1, 1, 2}, {PATTERN_CURRENT, 1, 5, 3, {0, 1, 1, 1, 0}}},
    {{0, 1, 1, 1, 2}, {PATTERN_PREVIOUS, 1, 5, 1, {1, 0, 0, 0, 0}}},
    {{0, 1, 1, 1, 2}, {PATTERN_PREVIOUS, 2, 5, 3, {0, 1, 1, 1, 0}}},
    {{0, 1, 1, 1, 2}, {PATTERN_PREVIOUS, 0, 5, 1, {0}}},
    {{0, 1, 1, 1, 2}, {PATTERN_NEXT, 2, 5, 1, {0}}},
    {{0, 1, 1, 1, 2}, {PATTERN_NEXT, 0, 5, 3, {0, 1, 1, 1, 0}}},
    {{0, 1, 1, 1, 2}, {PATTERN_LAST, 0, 5, 1, {0, 0, 0, 0, 1}}},
    {{0, 1, 1, 1, 2}, {PATTERN_LEFT_CONTEXT, 2, 5, 1, {1, 0, 0, 0, 0}}},
    /* three words: 1/36, 8/36 shared by three, 27/36 */
    {{0, 1, 1, 1, 2}, {PATTERN_SENTENCE_END, 0, 5, 108, {3, 8, 8, 8, 81}}},
    {{0, 1, 1, 1, 2}, {PATTERN_SENTENCE_START, 0, 5, 108, {81, 8, 8, 8, 3}}},
    {{0, 0, 1, 2, 3, 3}, {PATTERN_RIGHT_CONTEXT, 0, 6, 18, {0, 0, 0, 16, 1, 1}}},
    {{0, 0, 1, 2, 3, 3}, {PATTERN_LEFT_CONTEXT, 3, 6, 18, {1, 1, 16, 0, 0, 0}}},
    /* a row in the middle of its last word sees a part of it */
    {{0, 0, 1}, {PATTERN_CURRENT, 1, 3, 1, {0, 0, 1}}},
    {{0, 0, 1}, {PATTERN_SENTENCE_END, 1, 3, 18, {1, 1, 16}}},
    {{0}, {PATTERN_CURRENT, 0, 1, 1, {1}}},
    /* cross-attention: more target words than source words */
    {{0, 0, 1}, {PATTERN_CURRENT, 2, 3, 1, {0}}},
    {{0, 0, 1}, {PATTERN_PREVIOUS, 2, 3, 1, {0, 0, 1}}},
    {{0, 0, 1}, {PATTERN_LEFT_CONTEXT, 7, 3, 18, {1, 1, 16}}},
};

static void words_share_their_weight_among_their_tokens(void **state)
{
    for (size_t c = 0; c < sizeof word_cases / sizeof *word_cases; c++) {
        const struct row_case *row = &word_cases[c].row;
        float weights[LONGEST];
        int32_t keys[LONGEST], word[LONGEST];
        for (int j = 0; j < row->n; j++) {
            keys[j] = row->n - 1 - j;
            word[keys[j]] = word_cases[c].word[j];
        }
        const struct head head = {.pattern = (uint8_t)row->pattern};
        struct key_span span = pattern_word_row(&head, row->i, row->n, word, keys, weights);
        check_row("words", c, span, weights, row);
    }
}

static void every_row_sums_to_one_or_is_empty(void **state)
{
    static float weights[600];
    for (int pattern = 0; pattern < PATTERN_GAUSSIAN; pattern++) {
        const struct head head = {.pattern = (uint8_t)pattern};
        for (int n = 1; n <= 600; n = n * 3 / 2 + 1) {
            for (int i = 0; i < n + 3; i++) {
                double sum = 0;
                struct key_span span = pattern_row(&head, i, n, weights);
                for (int j = span.begin; j < span.end; j++)
                    sum += weights[j];
                assert_true(span.begin >= span.end || fabs(sum - 1) < 1e-6);
            }
        }
    }
}

/* The density at 0, 1, 2 and 3 deviations, from tables of the normal distribution. */
static void gaussians_are_the_density_of_the_normal_distribution(void **state)
{
    static const double density[] = {0.39894228, 0.24197072, 0.05399097, 0.00443185};
    struct head head = {.pattern = PATTERN_GAUSSIAN, .offset = -1, .deviation = 1};
    static const int32_t word[] = {0, 1, 1, 2}, keys[] = {0, 1, 2, 3};
    float weights[4];
    struct key_span span = pattern_row(&head, 1, 4, weights);
    assert_true(span.begin == 0 && span.end == 4);
    for (int j = 0; j < 4; j++)
        assert_float_equal(weights[j], density[j], 1e-7);
    /* Row 0 is centred before the sentence, and loses what is there. */
    pattern_row(&head, 0, 4, weights);
    for (int j = 0; j < 3; j++)
        assert_float_equal(weights[j], density[j + 1], 1e-7);
    /* With twice the deviation a place is half as far away, and has half the density. */
    head = (struct head){.pattern = PATTERN_GAUSSIAN, .deviation = 2};
    pattern_row(&head, 2, 4, weights);
    assert_float_equal(weights[0], density[1] / 2, 1e-7);
    assert_float_equal(weights[2], density[0] / 2, 1e-7);
    head.deviation = 1;
    pattern_word_row(&head, 0, 4, word, keys, weights);
    assert_float_equal(weights[0], density[0], 1e-7);
    assert_float_equal(weights[1], density[1] / 2, 1e-7);
    assert_float_equal(weights[2], density[1] / 2, 1e-7);
    assert_float_equal(weights[3], density[2], 1e-7);
    /* A centre far away is no overflow. */
    head.offset = 1 << 20;
    span = pattern_row(&head, INT32_MAX - 1, 4, weights);
    assert_true(span.end == 4 && weights[3] == 0);
}

static void masks_are_the_spans_of_the_paper(void **state)
{
    const struct {
        enum mask mask;
        int window, i, n, begin, end;
    } cases[] = {
        {MASK_GLOBAL, 0, 2, 5, 0, 5},   {MASK_LOCAL, 0, 2, 5, 2, 3},
        {MASK_LOCAL, 1, 0, 5, 0, 2},    {MASK_LOCAL, 1, 4, 5, 3, 5},
        {MASK_LOCAL, 2, 2, 5, 0, 5},    {MASK_LOCAL, INT32_MAX, 2, 5, 0, 5},
        {MASK_LOCAL, 1, 5, 5, 4, 5},    {MASK_LOCAL, 1, 6, 5, 5, 5},
        {MASK_FORWARD, 0, 2, 5, 2, 5},  {MASK_FORWARD, 0, 5, 5, 5, 5},
        {MASK_BACKWARD, 0, 2, 5, 0, 3}, {MASK_BACKWARD, 0, 9, 5, 0, 5},
        {MASK_BACKWARD, 0, 0, 1, 0, 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct head head = {.mask = (uint8_t)cases[c].mask, .window = cases[c].window};
        struct key_span span = mask_span(&head, cases[c].i, cases[c].n);
        if (span.begin != cases[c].begin || span.end != cases[c].end)
            fail_msg("case %zu: %d … %d, expected %d … %d", c, span.begin, span.end, cases[c].begin,
                     cases[c].end);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_section_3_2),
        cmocka_unit_test(words_share_their_weight_among_their_tokens),
        cmocka_unit_test(every_row_sums_to_one_or_is_empty),
        cmocka_unit_test(gaussians_are_the_density_of_the_normal_distribution),
        cmocka_unit_test(masks_are_the_spans_of_the_paper),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
