/* Beam search: single steps worked out by hand. */
#include <math.h>

#include "tests/gpu/ops_support.h"
#include "tests/gpu/search_scene.h"
#include "tests/support/test.h"

/* A step of just one sentence, without any continuation. */
static void step_of(struct search_step *step, int sentence, int width)
{
    memset(step, 0, sizeof *step);
    step->rows = step->width = width;
    for (int b = 0; b < width; b++) {
        step->row_lane[b] = sentence * B + b;
        step->eos_lp[b] = -INFINITY;
        for (int rank = 0; rank < TOPS; rank++) {
            step->id[b][rank] = -1;
            step->lp[b][rank] = -INFINITY;
        }
    }
}

static void check_lane(const struct search_memory *memory, int lane, int id, int pos, float score,
                       const int32_t *path)
{
    assert_int_equal(memory->lane[lane][LANE_TOKEN], id);
    assert_int_equal(memory->lane[lane][LANE_POS], pos);
    assert_true(memory->score[lane] == score);
    for (int p = 0; p <= pos; p++)
        assert_int_equal(memory->path[lane][p], path[p]);
    assert_int_equal(memory->token[path[pos]], id);
}

/* Sentence 1: lanes 3, 4, 5. End-of-sentence has rank 3 of 2B = 6. */
static void the_best_live_on_and_a_late_end_is_dropped(void **state)
{
    struct search_memory memory;
    struct search_step step;
    search_begin(&memory, 1, 7);
    step_of(&step, 1, 1);
    const int ids[TOPS] = {7, 9, 5, EOS, 8, 6};
    for (int rank = 0; rank < TOPS; rank++)
        search_offer(&step, 0, rank, ids[rank], -1.0f - 0.5f * (float)rank);
    search_advance(&memory, &step, 1);
    check_lane(&memory, 3, 7, 1, -1, (const int32_t[]){3, 13});
    check_lane(&memory, 4, 9, 1, -1.5f, (const int32_t[]){3, 14});
    check_lane(&memory, 5, 5, 1, -2, (const int32_t[]){3, 15});
    assert_true(memory.token_lp[13] == -1 && memory.token_lp[14] == -1.5f);
    assert_int_equal(memory.count[1], 0);
    assert_int_equal(memory.done[1], 0);
    for (int lane = 3; lane < 6; lane++) { // of the parent
        assert_int_equal(memory.lane[lane][LANE_BEGIN], 30);
        assert_int_equal(memory.lane[lane][LANE_END], 35);
        assert_int_equal(memory.lane[lane][LANE_VARIANT], 1);
    }
    assert_true(memory.score[0] == 0 && memory.lane[0][LANE_POS] == 0); // another sentence
}

/* Sentence 0 ends at rank 2. Sentence 1 has a single continuation, so nothing at that rank. */
static void few_continuations_leave_ranks_empty(void **state)
{
    struct search_memory memory;
    struct search_step step;
    search_begin(&memory, 1, 7);
    step_of(&step, 0, 2);
    step.width = 1;
    step.row_lane[1] = B;
    search_offer(&step, 0, 0, 7, -1);
    search_offer(&step, 0, 1, EOS, -1.5f);
    search_offer(&step, 0, 2, 9, -2);
    search_offer(&step, 1, 0, 8, -1);
    search_advance(&memory, &step, 1);
    assert_int_equal(memory.count[0], 1);
    assert_int_equal(memory.count[1], 0);
    assert_int_equal(memory.done[1], 0);
    assert_int_equal(memory.lane[B][LANE_TOKEN], 8);
    assert_true(memory.score[B] == -1 && memory.score[B + 1] == -INFINITY);
}

/* Lanes 0 and 1 of sentence 0 have read 7 and 9; both of the best go on from lane 1. */
static void two_steps_in(struct search_memory *memory)
{
    struct search_step step;
    search_begin(memory, 1, 7);
    step_of(&step, 0, 1);
    search_offer(&step, 0, 0, 7, -1);
    search_offer(&step, 0, 1, 9, -1.5f);
    search_offer(&step, 0, 2, 5, -2);
    search_advance(memory, &step, 1);
}

static void lanes_swap_their_pasts(void **state)
{
    struct search_memory memory;
    struct search_step step;
    two_steps_in(&memory);
    step_of(&step, 0, B);
    search_offer(&step, 1, 0, 20, -0.25f); // -1.75
    search_offer(&step, 0, 0, 21, -1);     // -2
    search_offer(&step, 1, 1, 22, -1);     // -2.5
    search_offer(&step, 2, 0, 23, -1);     // -3
    search_advance(&memory, &step, 1);
    check_lane(&memory, 0, 20, 2, -1.75f, (const int32_t[]){0, 11, 20});
    check_lane(&memory, 1, 21, 2, -2, (const int32_t[]){0, 10, 21});
    check_lane(&memory, 2, 22, 2, -2.5f, (const int32_t[]){0, 11, 22});
}

static void ties_go_to_the_lower_lane_then_the_lower_id(void **state)
{
    struct search_memory memory;
    struct search_step step;
    two_steps_in(&memory);
    step_of(&step, 0, B);
    search_offer(&step, 2, 0, 3, -1); // all of them -3
    search_offer(&step, 1, 0, 8, -1.5f);
    search_offer(&step, 1, 1, 6, -1.5f);
    search_offer(&step, 0, 0, 9, -2);
    search_advance(&memory, &step, 1);
    check_lane(&memory, 0, 9, 2, -3, (const int32_t[]){0, 10, 20});
    check_lane(&memory, 1, 6, 2, -3, (const int32_t[]){0, 11, 21});
    check_lane(&memory, 2, 8, 2, -3, (const int32_t[]){0, 11, 22});
}

/* The less likely token has the lower id and, rounded, the same score; after it the ranking is
 * full. */
static void the_last_of_a_full_ranking_may_tie_with_what_comes_later(void **state)
{
    struct search_memory memory;
    struct search_step step;
    two_steps_in(&memory);
    step_of(&step, 0, B);
    for (int beam = 0; beam < B; beam++)
        search_offer(&step, beam, 0, EOS, -1);
    search_offer(&step, 0, 1, 20, -1.5f);
    search_offer(&step, 1, 1, 21, -1.5f);
    search_offer(&step, 2, 1, 22, -6);
    search_offer(&step, 2, 2, 19, nextafterf(-6, -7)); // -8, as the former
    search_advance(&memory, &step, 1);
    check_lane(&memory, 0, 20, 2, -2.5f, (const int32_t[]){0, 10, 20});
    check_lane(&memory, 1, 21, 2, -3, (const int32_t[]){0, 11, 21});
    check_lane(&memory, 2, 19, 2, -8, (const int32_t[]){0, 12, 22});
}

static void an_early_end_is_finished_with_its_tokens(void **state)
{
    struct search_memory memory;
    struct search_step step;
    two_steps_in(&memory);
    step_of(&step, 0, B);
    search_offer(&step, 0, 0, 20, -0.5f);   // -1.5
    search_offer(&step, 1, 0, EOS, -0.25f); // -1.75, rank 1
    search_offer(&step, 0, 1, 21, -1);      // -2
    search_offer(&step, 2, 0, EOS, -0.5f);  // -2.5, rank 3: dropped
    search_offer(&step, 2, 1, 22, -1);      // -3
    search_advance(&memory, &step, 1);
    assert_int_equal(memory.count[0], 1);
    assert_int_equal(memory.done[0], 0);
    assert_int_equal(memory.finished_length[0][0], 2);
    assert_true(memory.finished_score[0][0] == -1.75f);
    assert_int_equal(memory.finished_token[0][0][0], 9);
    assert_int_equal(memory.finished_token[0][0][1], EOS);
    assert_true(memory.finished_lp[0][0][0] == -1.5f && memory.finished_lp[0][0][1] == -0.25f);
    check_lane(&memory, 0, 20, 2, -1.5f, (const int32_t[]){0, 10, 20});
    check_lane(&memory, 1, 21, 2, -2, (const int32_t[]){0, 10, 21});
    check_lane(&memory, 2, 22, 2, -3, (const int32_t[]){0, 12, 22});
}

/* Start tokens are no part of a hypothesis: with two of them the first ending token has r = 1. */
static void at_its_limit_every_live_lane_ends(void **state)
{
    struct search_memory memory;
    struct search_step step;
    search_begin(&memory, 2, 2);
    step_of(&step, 0, 1);
    search_offer(&step, 0, 0, 7, -1);
    search_offer(&step, 0, 1, 9, -1.5f);
    search_advance(&memory, &step, 2);
    assert_int_equal(memory.done[0], 0);
    assert_true(memory.score[2] == -INFINITY); // two continuations only
    step_of(&step, 0, B);
    for (int b = 0; b < B; b++) {
        search_offer(&step, b, 0, 30, -0.125f);
        step.eos_lp[b] = -4 + (float)b;
    }
    search_advance(&memory, &step, 2);
    assert_int_equal(memory.done[0], 2);
    assert_int_equal(memory.count[0], 2);
    const float scores[2] = {-4.5f, -5}; // of lanes 1 and 0
    for (int f = 0; f < 2; f++) {
        assert_true(memory.finished_score[0][f] == scores[f]);
        assert_int_equal(memory.finished_length[0][f], 2);
        assert_int_equal(memory.finished_token[0][f][0], f ? 7 : 9);
        assert_int_equal(memory.finished_token[0][f][1], EOS);
        assert_true(memory.finished_lp[0][f][1] == -3 - (float)f);
    }
    for (int b = 0; b < B; b++)
        assert_true(memory.score[b] == -INFINITY);
}

static void a_limit_of_one_ends_after_the_start_tokens(void **state)
{
    struct search_memory memory;
    struct search_step step;
    search_begin(&memory, 3, 1);
    step_of(&step, 2, 1);
    search_offer(&step, 0, 0, 7, -1);
    step.eos_lp[0] = -9;
    search_advance(&memory, &step, 3);
    assert_int_equal(memory.done[2], 1);
    assert_int_equal(memory.count[2], 1);
    assert_int_equal(memory.finished_length[2][0], 1);
    assert_int_equal(memory.finished_token[2][0][0], EOS);
    assert_true(memory.finished_score[2][0] == -9);
}

static void a_sentence_is_done_when_enough_have_finished(void **state)
{
    struct search_memory memory;
    struct search_step step;
    two_steps_in(&memory);
    step_of(&step, 0, B);
    for (int b = 0; b < B; b++) {
        search_offer(&step, b, 0, EOS, -0.125f);
        search_offer(&step, b, 1, 20, -6);
    }
    search_advance(&memory, &step, 1);
    assert_int_equal(memory.count[0], B);
    assert_int_equal(memory.done[0], 2);
    struct search_memory before = memory;
    search_advance(&memory, &step, 1); // and nothing happens any more
    ops_assert_same("state", &memory, &before, sizeof memory);
}

static void a_sentence_is_done_when_no_lane_lives(void **state)
{
    struct search_memory memory;
    struct search_step step;
    two_steps_in(&memory);
    step_of(&step, 0, B);
    search_offer(&step, 0, 0, EOS, -0.125f);
    search_advance(&memory, &step, 1);
    assert_int_equal(memory.count[0], 1);
    assert_int_equal(memory.done[0], 2);
}

/* With a minimum of one token its first step has no end, which would have rank 1; its second has
 * one. */
static void no_hypothesis_ends_below_the_minimum_length(void **state)
{
    struct search_memory memory;
    struct search_step step;
    search_begin(&memory, 1, 7);
    step_of(&step, 0, 1);
    step.min_length = 1;
    const int ids[] = {7, EOS, 9, 5};
    for (int rank = 0; rank < 4; rank++)
        search_offer(&step, 0, rank, ids[rank], -1.0f - 0.5f * (float)rank);
    search_advance(&memory, &step, 1);
    assert_int_equal(memory.count[0], 0);
    check_lane(&memory, 0, 7, 1, -1, (const int32_t[]){0, 10});
    check_lane(&memory, 1, 9, 1, -2, (const int32_t[]){0, 11});
    check_lane(&memory, 2, 5, 1, -2.5f, (const int32_t[]){0, 12});
    step_of(&step, 0, B);
    step.min_length = 1;
    search_offer(&step, 0, 0, EOS, -1);
    search_offer(&step, 1, 0, 20, -1);
    search_advance(&memory, &step, 1);
    assert_int_equal(memory.count[0], 1);
    assert_true(memory.finished_score[0][0] == -2);
    check_lane(&memory, 0, 20, 2, -3, (const int32_t[]){0, 11, 20});
}

/* After two that have finished, two more end, the better one from lane 1. */
static void surplus_ends_are_kept_or_left_out(void **state)
{
    for (enum endings endings = ENDINGS_BEST; endings <= ENDINGS_FIRST; endings++) {
        struct search_memory memory;
        struct search_step step;
        two_steps_in(&memory);
        memory.count[0] = 2;
        step_of(&step, 0, B);
        step.endings = endings;
        search_offer(&step, 0, 0, EOS, -2);    // -3
        search_offer(&step, 1, 0, EOS, -1);    // -2.5
        search_offer(&step, 1, 1, 20, -1.25f); // -2.75
        search_advance(&memory, &step, 1);
        assert_int_equal(memory.count[0], endings == ENDINGS_BEST ? 4 : 3);
        assert_true(memory.finished_score[0][2] == -2.5f);
        assert_true(memory.finished_score[0][3] == (endings == ENDINGS_BEST ? -3 : 0));
        assert_int_equal(memory.done[0], 2);
    }
}

/* The same in the last step, in which all lanes end: -3, -2.5 and -2.75. */
static void of_surplus_ends_at_the_limit_the_best_are_first(void **state)
{
    struct search_memory memory;
    struct search_step step;
    two_steps_in(&memory);
    memory.count[0] = 1;
    memory.limit[0] = 2;
    step_of(&step, 0, B);
    step.endings = ENDINGS_FIRST;
    const float lps[B] = {-2, -1, -0.75f};
    memcpy(step.eos_lp, lps, sizeof lps);
    search_advance(&memory, &step, 1);
    assert_int_equal(memory.count[0], B);
    assert_true(memory.finished_score[0][1] == -2.5f && memory.finished_score[0][2] == -2.75f);
    assert_int_equal(memory.finished_token[0][1][0], 9);
    assert_int_equal(memory.finished_token[0][2][0], 5);
}

/* One has finished, so only two ranks count: one ends and one lives on. */
static void a_narrow_beam_loses_a_place_for_each_that_ends(void **state)
{
    struct search_memory memory;
    struct search_step step;
    two_steps_in(&memory);
    memory.count[0] = 1;
    step_of(&step, 0, B);
    step.endings = ENDINGS_NARROW;
    search_offer(&step, 0, 0, 20, -0.5f);  // -1.5
    search_offer(&step, 1, 0, EOS, -0.5f); // -2
    search_offer(&step, 0, 1, EOS, -1.5f); // -2.5: no place is left
    search_offer(&step, 1, 1, 21, -1.5f);  // -3
    search_advance(&memory, &step, 1);
    assert_int_equal(memory.count[0], 2);
    assert_int_equal(memory.done[0], 0);
    assert_true(memory.finished_score[0][1] == -2);
    check_lane(&memory, 0, 20, 2, -1.5f, (const int32_t[]){0, 10, 20});
    assert_true(memory.score[1] == -INFINITY && memory.score[2] == -INFINITY);
    step_of(&step, 0, B);
    step.endings = ENDINGS_NARROW;
    search_offer(&step, 0, 0, EOS, -1);
    search_offer(&step, 0, 1, 22, -2);
    search_advance(&memory, &step, 1);
    assert_int_equal(memory.count[0], B);
    assert_int_equal(memory.done[0], 3);
}

static void scores_that_are_no_numbers_count_as_impossible(void **state)
{
    struct search_memory memory;
    struct search_step step;
    two_steps_in(&memory);
    memory.score[2] = NAN;
    step_of(&step, 0, B);
    search_offer(&step, 0, 0, 20, NAN);
    search_offer(&step, 0, 1, 21, -1);
    search_offer(&step, 1, 0, EOS, NAN);
    search_offer(&step, 1, 1, -1, -0.5f);
    search_offer(&step, 2, 0, 22, -1);
    search_advance(&memory, &step, 1);
    check_lane(&memory, 0, 21, 2, -2, (const int32_t[]){0, 10, 20});
    assert_true(memory.score[1] == -INFINITY && memory.score[2] == -INFINITY);
    assert_int_equal(memory.count[0], 0);
    assert_int_equal(memory.done[0], 0);
}

static void idle_groups_are_left_alone(void **state)
{
    struct search_memory memory, before;
    struct search_step step;
    two_steps_in(&memory);
    before = memory;
    step_of(&step, 0, B);
    search_offer(&step, 0, 0, 20, -1);
    step.row_lane[0] = -1;
    search_advance(&memory, &step, 1);
    ops_assert_same("state", &memory, &before, sizeof memory);
}

/* A plug-in has two kernels, one of them only for few hypotheses. */
static int kernel_any(void **state)
{
    return ops_on_plugin() ? setenv("ATTNSCOPE_CUDA", "-few-hypotheses", 1) : 0;
}

static int kernel_few(void **state)
{
    return ops_on_plugin() ? unsetenv("ATTNSCOPE_CUDA") : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_live_on_and_a_late_end_is_dropped),
        cmocka_unit_test(lanes_swap_their_pasts),
        cmocka_unit_test(ties_go_to_the_lower_lane_then_the_lower_id),
        cmocka_unit_test(the_last_of_a_full_ranking_may_tie_with_what_comes_later),
        cmocka_unit_test(an_early_end_is_finished_with_its_tokens),
        cmocka_unit_test(at_its_limit_every_live_lane_ends),
        cmocka_unit_test(a_limit_of_one_ends_after_the_start_tokens),
        cmocka_unit_test(a_sentence_is_done_when_enough_have_finished),
        cmocka_unit_test(a_sentence_is_done_when_no_lane_lives),
        cmocka_unit_test(few_continuations_leave_ranks_empty),
        cmocka_unit_test(no_hypothesis_ends_below_the_minimum_length),
        cmocka_unit_test(surplus_ends_are_kept_or_left_out),
        cmocka_unit_test(of_surplus_ends_at_the_limit_the_best_are_first),
        cmocka_unit_test(a_narrow_beam_loses_a_place_for_each_that_ends),
        cmocka_unit_test(scores_that_are_no_numbers_count_as_impossible),
        cmocka_unit_test(idle_groups_are_left_alone),
    };
    int failed = 0;
    while (ops_next_order()) {
        failed += cmocka_run_group_tests(tests, NULL, NULL);
        if (ops_on_plugin())
            failed += cmocka_run_group_tests_name("any number", tests, kernel_any, kernel_few);
    }
    return failed;
}
