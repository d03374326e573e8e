/* Precision, recall and error rate of alignments made by hand, whose rates are worked out on
 * paper. */
#include <math.h>

#include "model/score/gold_alignment.h"
#include "tests/support/test.h"

enum { LINKS_MOST = 8 };

struct example {
    struct word_link gold[LINKS_MOST];
    int gold_count;
    struct word_link links[LINKS_MOST];
    int link_count;
};

/* S = {0-0, 1-1, 2-3}, P = S and {1-2, 3-3}; A = {0-0, 1-2, 2-2, 2-3}: A ∩ S has 2 links, A ∩ P has
 * 3. */
static const struct example first = {
    .gold = {{0, 0, true}, {1, 1, true}, {1, 2, false}, {2, 3, true}, {3, 3, false}},
    .gold_count = 5,
    .links = {{.source = 0, .target = 0},
              {.source = 1, .target = 2},
              {.source = 2, .target = 2},
              {.source = 2, .target = 3}},
    .link_count = 4};

/* S = {0-0, 2-1}, A = {0-0, 1-1}: one link of each. */
static const struct example second = {
    .gold = {{0, 0, true}, {2, 1, true}},
    .gold_count = 2,
    .links = {{.source = 0, .target = 0}, {.source = 1, .target = 1}},
    .link_count = 2};

static void add(const struct example *example, struct alignment_counts *counts)
{
    alignment_count(example->gold, example->gold_count, example->links, example->link_count,
                    counts);
}

static void rates_of_a_sentence_are_those_on_paper(void **state)
{
    struct alignment_counts counts = {0};
    add(&first, &counts);
    assert_int_equal(counts.links, 4);
    assert_int_equal(counts.sure, 3);
    assert_int_equal(counts.sure_found, 2);
    assert_int_equal(counts.possible_found, 3);
    assert_float_equal(alignment_precision(&counts), 3.0 / 4, 1e-15);
    assert_float_equal(alignment_recall(&counts), 2.0 / 3, 1e-15);
    assert_float_equal(alignment_error_rate(&counts), 2.0 / 7, 1e-15); // 1 - (2 + 3) / (4 + 3)
}

/* Not the mean of the two rates, which is 0.392857. */
static void counts_are_added_before_they_are_divided(void **state)
{
    struct alignment_counts counts = {0};
    add(&first, &counts);
    add(&second, &counts);
    assert_float_equal(alignment_precision(&counts), 4.0 / 6, 1e-15);
    assert_float_equal(alignment_recall(&counts), 3.0 / 5, 1e-15);
    assert_float_equal(alignment_error_rate(&counts), 4.0 / 11, 1e-15); // 1 - (3 + 4) / (6 + 5)
}

static void the_alignment_itself_has_no_error(void **state)
{
    struct alignment_counts counts = {0};
    alignment_count(second.gold, second.gold_count, second.gold, second.gold_count, &counts);
    assert_float_equal(alignment_error_rate(&counts), 0, 0);
    assert_float_equal(alignment_precision(&counts), 1, 0);
    assert_float_equal(alignment_recall(&counts), 1, 0);
}

/* Possible links are no error, whether they are missing or found. */
static void possible_links_may_be_found_or_not(void **state)
{
    static const struct word_link gold[] = {{0, 0, true}, {1, 1, false}};
    struct alignment_counts with = {0}, without = {0};
    alignment_count(gold, 2, gold, 2, &with);
    alignment_count(gold, 2, gold, 1, &without);
    assert_float_equal(alignment_error_rate(&with), 0, 0);
    assert_float_equal(alignment_error_rate(&without), 0, 0);
}

static void what_is_not_there_has_no_rate(void **state)
{
    static const struct word_link possible[] = {{0, 0, false}};
    struct alignment_counts none = {0}, counts = {0};
    assert_true(isnan(alignment_precision(&none)));
    assert_true(isnan(alignment_recall(&none)));
    assert_true(isnan(alignment_error_rate(&none)));
    alignment_count(possible, 1, possible, 0, &counts);
    assert_true(isnan(alignment_error_rate(&counts)));
    alignment_count(first.gold, first.gold_count, NULL, 0, &counts);
    assert_true(isnan(alignment_precision(&counts)));
    assert_float_equal(alignment_recall(&counts), 0, 0);
    assert_float_equal(alignment_error_rate(&counts), 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_of_a_sentence_are_those_on_paper),
        cmocka_unit_test(counts_are_added_before_they_are_divided),
        cmocka_unit_test(the_alignment_itself_has_no_error),
        cmocka_unit_test(possible_links_may_be_found_or_not),
        cmocka_unit_test(what_is_not_there_has_no_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
