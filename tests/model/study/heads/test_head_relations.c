/* Relations of a sentence that is worked out on paper. */
#include <math.h>

#include "model/study/heads/head_stats.h"
#include "tests/support/test.h"

enum { AMOD, NSUBJ, HEADS = 3 };

/* "big brown dogs bark": dogs is cut into dog and s, and end-of-sentence is no word. big and brown
 * are amod of dogs, dogs is nsubj of bark. */
static const int words[] = {0, 1, 2, 2, 3, -1};
static const int heads[] = {2, 2, 3, -1}, relations[] = {AMOD, AMOD, NSUBJ, -1};
static const struct syntax syntax = {words, 6, heads, relations, 4};

/* The first looks at the next token, the second at dog and from dog, s at big, the third has weight
 * in row 0 alone. */
static const int32_t places[] = {1, 2, 2, 2, 2, -1, 3, 0, -1, 4, 0, -1, 5, 2, -1, 0, 2, -1};

static double accuracy(const struct head_relations *of, int relation, int direction, int head)
{
    return relation_accuracy(of, relation, (enum relation_direction)direction, head);
}

static void accuracies_are_those_on_paper(void **state)
{
    struct head_relations of = {.count = 0};
    struct status status;
    assert_true(relations_add(&of, &syntax, places, HEADS, &status));
    /* amod to the head: rows big, brown; the next token is right for brown alone. */
    assert_int_equal(relation_rows(&of, AMOD, TO_HEAD), 2);
    assert_float_equal(accuracy(&of, AMOD, TO_HEAD, 0), 0.5, 0);
    assert_float_equal(accuracy(&of, AMOD, TO_HEAD, 1), 1, 0);
    assert_float_equal(accuracy(&of, AMOD, TO_HEAD, 2), 1, 0); // of row 0, where it looks at dog
    /* amod to the dependents: rows dog and s, both once. */
    assert_int_equal(relation_rows(&of, AMOD, TO_DEPENDENT), 2);
    assert_float_equal(accuracy(&of, AMOD, TO_DEPENDENT, 0), 0, 0);
    assert_float_equal(accuracy(&of, AMOD, TO_DEPENDENT, 1), 1, 0);
    assert_true(isnan(accuracy(&of, AMOD, TO_DEPENDENT, 2)));
    /* nsubj: rows dog and s to bark; row bark to dog or s. */
    assert_int_equal(relation_rows(&of, NSUBJ, TO_HEAD), 2);
    assert_float_equal(accuracy(&of, NSUBJ, TO_HEAD, 0), 0.5, 0);
    assert_int_equal(relation_rows(&of, NSUBJ, TO_DEPENDENT), 1);
    assert_float_equal(accuracy(&of, NSUBJ, TO_DEPENDENT, 0), 0, 0);
    assert_float_equal(accuracy(&of, NSUBJ, TO_DEPENDENT, 1), 1, 0);
    relations_free(&of);
}

/* amod to the head: from big, dog is at 2 and s at 3; from brown at 1 and 2: 2 is right for both.
 * To the dependents: from dog at -2 and -1, from s at -3 and -2. nsubj to the head: from dog 2,
 * from s 1: one of two. */
static void the_baseline_is_the_best_offset(void **state)
{
    struct head_relations of = {.count = 0};
    struct status status;
    for (int i = 0; i < 3; i++)
        assert_true(relations_add(&of, &syntax, places, HEADS, &status));
    assert_int_equal(relation_rows(&of, AMOD, TO_HEAD), 6);
    assert_float_equal(relation_baseline(&of, AMOD, TO_HEAD), 1, 0);
    assert_float_equal(relation_baseline(&of, AMOD, TO_DEPENDENT), 1, 0);
    assert_float_equal(relation_baseline(&of, NSUBJ, TO_HEAD), 0.5, 0);
    assert_float_equal(relation_baseline(&of, NSUBJ, TO_DEPENDENT), 1, 0);
    assert_true(isnan(relation_baseline(&of, 7, TO_HEAD)));
    relations_free(&of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accuracies_are_those_on_paper),
        cmocka_unit_test(the_baseline_is_the_best_offset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
