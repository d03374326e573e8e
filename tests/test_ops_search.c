/* Beam search: single steps worked out by hand, and whole searches against one that keeps every
 * hypothesis as a list of tokens. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ops_support.h"

enum { S = 3, B = 3, T = 8, LANES = S * B, TOPS = 2 * B, EOS = 1 };

/* The state in host memory, with the shapes of struct search_state. */
struct memory {
    int32_t lane[LANES][LANE_FIELDS], path[LANES][T];
    float score[LANES];
    int32_t token[LANES * T];
    float token_lp[LANES * T];
    int32_t limit[S], done[S], count[S];
    float finished_score[S][2 * B];
    int32_t finished_length[S][2 * B], finished_token[S][2 * B][T];
    float finished_lp[S][2 * B][T];
};

struct step {
    int rows, width;
    int32_t row_lane[LANES], id[LANES][TOPS];
    float lp[LANES][TOPS], eos_lp[LANES];
};

/* The tensors of a state, to be read back in the order of struct memory. */
#define EACH_FIELD(DO)                                                                             \
    DO(lane)                                                                                       \
    DO(path)                                                                                       \
    DO(score)                                                                                      \
    DO(token)                                                                                      \
    DO(token_lp)                                                                                   \
    DO(limit)                                                                                      \
    DO(done)                                                                                       \
    DO(count)                                                                                      \
    DO(finished_score)                                                                             \
    DO(finished_length)                                                                            \
    DO(finished_token)                                                                             \
    DO(finished_lp)

static void advance(struct memory *memory, const struct step *step, int starts)
{
    struct ops ops;
    ops_open(&ops, NULL, 1);
    struct search_state state = {
        .sentences = S, .beam = B, .positions = T, .starts = starts, .eos = EOS};
#define PUT_FIELD(field) state.field = ops_put(&ops, memory->field, sizeof memory->field);
    EACH_FIELD(PUT_FIELD)
#undef PUT_FIELD
    struct advance_args args = {
        .state = &state,
        .row_lane = ops_put(&ops, step->row_lane, sizeof step->row_lane),
        .top_id = ops_put(&ops, step->id, sizeof step->id),
        .top_lp = ops_put(&ops, step->lp, sizeof step->lp),
        .eos_lp = ops_put(&ops, step->eos_lp, sizeof step->eos_lp),
        .rows = step->rows,
        .width = step->width,
        .tops = TOPS,
    };
    ops.backend->advance(ops.device, &args);
#define GET_FIELD(field) ops_get(&ops, memory->field, state.field, sizeof memory->field);
    EACH_FIELD(GET_FIELD)
#undef GET_FIELD
    ops_close(&ops);
}

/* All sentences have read their start tokens; only lane 0 of each lives. Lane l stores position p in slot
 * 9 p + (l + p) mod 9. */
static void begin(struct memory *memory, int starts, int limit)
{
    memset(memory, 0, sizeof *memory);
    for (int lane = 0; lane < LANES; lane++) {
        const int32_t record[LANE_FIELDS] = {40 + starts - 1, starts - 1, 10 * lane, 10 * lane + 5,
                                             lane / B % 2};
        memcpy(memory->lane[lane], record, sizeof record);
        memory->score[lane] = lane % B ? -INFINITY : 0;
        for (int p = 0; p < starts; p++) {
            memory->path[lane][p] = p * LANES + (lane + p) % LANES;
            memory->token[memory->path[lane][p]] = 40 + p;
        }
    }
    for (int s = 0; s < S; s++)
        memory->limit[s] = limit;
}

/* A step of sentence `sentence` alone without any continuation. */
static void step_of(struct step *step, int sentence, int width)
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

static void offer(struct step *step, int beam, int rank, int id, float lp)
{
    step->id[beam][rank] = id;
    step->lp[beam][rank] = lp;
}

static void check_lane(const struct memory *memory, int lane, int id, int pos, float score,
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
    (void)state;
    struct memory memory;
    struct step step;
    begin(&memory, 1, 7);
    step_of(&step, 1, 1);
    const int ids[TOPS] = {7, 9, 5, EOS, 8, 6};
    for (int rank = 0; rank < TOPS; rank++)
        offer(&step, 0, rank, ids[rank], -1.0f - 0.5f * (float)rank);
    advance(&memory, &step, 1);
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

/* Lanes 0 and 1 of sentence 0 have read 7 and 9; both of the best go on from lane 1. */
static void two_steps_in(struct memory *memory)
{
    struct step step;
    begin(memory, 1, 7);
    step_of(&step, 0, 1);
    offer(&step, 0, 0, 7, -1);
    offer(&step, 0, 1, 9, -1.5f);
    offer(&step, 0, 2, 5, -2);
    advance(memory, &step, 1);
}

static void lanes_swap_their_pasts(void **state)
{
    (void)state;
    struct memory memory;
    struct step step;
    two_steps_in(&memory);
    step_of(&step, 0, B);
    offer(&step, 1, 0, 20, -0.25f); // -1.75
    offer(&step, 0, 0, 21, -1);     // -2
    offer(&step, 1, 1, 22, -1);     // -2.5
    offer(&step, 2, 0, 23, -1);     // -3
    advance(&memory, &step, 1);
    check_lane(&memory, 0, 20, 2, -1.75f, (const int32_t[]){0, 11, 20});
    check_lane(&memory, 1, 21, 2, -2, (const int32_t[]){0, 10, 21});
    check_lane(&memory, 2, 22, 2, -2.5f, (const int32_t[]){0, 11, 22});
}

static void ties_go_to_the_lower_lane_then_the_lower_id(void **state)
{
    (void)state;
    struct memory memory;
    struct step step;
    two_steps_in(&memory);
    step_of(&step, 0, B);
    offer(&step, 2, 0, 3, -1); // all of them -3
    offer(&step, 1, 0, 8, -1.5f);
    offer(&step, 1, 1, 6, -1.5f);
    offer(&step, 0, 0, 9, -2);
    advance(&memory, &step, 1);
    check_lane(&memory, 0, 9, 2, -3, (const int32_t[]){0, 10, 20});
    check_lane(&memory, 1, 6, 2, -3, (const int32_t[]){0, 11, 21});
    check_lane(&memory, 2, 8, 2, -3, (const int32_t[]){0, 11, 22});
}

/* The less likely token has the lower id and, rounded, the same score; after it the ranking is full. */
static void the_last_of_a_full_ranking_may_tie_with_what_comes_later(void **state)
{
    (void)state;
    struct memory memory;
    struct step step;
    two_steps_in(&memory);
    step_of(&step, 0, B);
    for (int beam = 0; beam < B; beam++)
        offer(&step, beam, 0, EOS, -1);
    offer(&step, 0, 1, 20, -1.5f);
    offer(&step, 1, 1, 21, -1.5f);
    offer(&step, 2, 1, 22, -6);
    offer(&step, 2, 2, 19, nextafterf(-6, -7)); // -8, as the former
    advance(&memory, &step, 1);
    check_lane(&memory, 0, 20, 2, -2.5f, (const int32_t[]){0, 10, 20});
    check_lane(&memory, 1, 21, 2, -3, (const int32_t[]){0, 11, 21});
    check_lane(&memory, 2, 19, 2, -8, (const int32_t[]){0, 12, 22});
}

static void an_early_end_is_finished_with_its_tokens(void **state)
{
    (void)state;
    struct memory memory;
    struct step step;
    two_steps_in(&memory);
    step_of(&step, 0, B);
    offer(&step, 0, 0, 20, -0.5f);   // -1.5
    offer(&step, 1, 0, EOS, -0.25f); // -1.75, rank 1
    offer(&step, 0, 1, 21, -1);      // -2
    offer(&step, 2, 0, EOS, -0.5f);  // -2.5, rank 3: dropped
    offer(&step, 2, 1, 22, -1);      // -3
    advance(&memory, &step, 1);
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
    (void)state;
    struct memory memory;
    struct step step;
    begin(&memory, 2, 2);
    step_of(&step, 0, 1);
    offer(&step, 0, 0, 7, -1);
    offer(&step, 0, 1, 9, -1.5f);
    advance(&memory, &step, 2);
    assert_int_equal(memory.done[0], 0);
    assert_true(memory.score[2] == -INFINITY); // two continuations only
    step_of(&step, 0, B);
    for (int b = 0; b < B; b++) {
        offer(&step, b, 0, 30, -0.125f);
        step.eos_lp[b] = -4 + (float)b;
    }
    advance(&memory, &step, 2);
    assert_int_equal(memory.done[0], 1);
    assert_int_equal(memory.count[0], 2);
    const float scores[2] = {-5, -4.5f};
    for (int f = 0; f < 2; f++) {
        assert_true(memory.finished_score[0][f] == scores[f]);
        assert_int_equal(memory.finished_length[0][f], 2);
        assert_int_equal(memory.finished_token[0][f][0], f ? 9 : 7);
        assert_int_equal(memory.finished_token[0][f][1], EOS);
        assert_true(memory.finished_lp[0][f][1] == -4 + (float)f);
    }
    for (int b = 0; b < B; b++)
        assert_true(memory.score[b] == -INFINITY);
}

static void a_limit_of_one_ends_after_the_start_tokens(void **state)
{
    (void)state;
    struct memory memory;
    struct step step;
    begin(&memory, 3, 1);
    step_of(&step, 2, 1);
    offer(&step, 0, 0, 7, -1);
    step.eos_lp[0] = -9;
    advance(&memory, &step, 3);
    assert_int_equal(memory.done[2], 1);
    assert_int_equal(memory.count[2], 1);
    assert_int_equal(memory.finished_length[2][0], 1);
    assert_int_equal(memory.finished_token[2][0][0], EOS);
    assert_true(memory.finished_score[2][0] == -9);
}

static void a_sentence_is_done_when_enough_have_finished(void **state)
{
    (void)state;
    struct memory memory;
    struct step step;
    two_steps_in(&memory);
    step_of(&step, 0, B);
    for (int b = 0; b < B; b++) {
        offer(&step, b, 0, EOS, -0.125f);
        offer(&step, b, 1, 20, -6);
    }
    advance(&memory, &step, 1);
    assert_int_equal(memory.count[0], B);
    assert_int_equal(memory.done[0], 1);
    struct memory before = memory;
    advance(&memory, &step, 1); // and nothing happens any more
    ops_assert_same("state", &memory, &before, sizeof memory);
}

static void a_sentence_is_done_when_no_lane_lives(void **state)
{
    (void)state;
    struct memory memory;
    struct step step;
    two_steps_in(&memory);
    step_of(&step, 0, B);
    offer(&step, 0, 0, EOS, -0.125f);
    advance(&memory, &step, 1);
    assert_int_equal(memory.count[0], 1);
    assert_int_equal(memory.done[0], 1);
}

static void scores_that_are_no_numbers_count_as_impossible(void **state)
{
    (void)state;
    struct memory memory;
    struct step step;
    two_steps_in(&memory);
    memory.score[2] = NAN;
    step_of(&step, 0, B);
    offer(&step, 0, 0, 20, NAN);
    offer(&step, 0, 1, 21, -1);
    offer(&step, 1, 0, EOS, NAN);
    offer(&step, 1, 1, -1, -0.5f);
    offer(&step, 2, 0, 22, -1);
    advance(&memory, &step, 1);
    check_lane(&memory, 0, 21, 2, -2, (const int32_t[]){0, 10, 20});
    assert_true(memory.score[1] == -INFINITY && memory.score[2] == -INFINITY);
    assert_int_equal(memory.count[0], 0);
    assert_int_equal(memory.done[0], 0);
}

static void idle_groups_are_left_alone(void **state)
{
    (void)state;
    struct memory memory, before;
    struct step step;
    two_steps_in(&memory);
    before = memory;
    step_of(&step, 0, B);
    offer(&step, 0, 0, 20, -1);
    step.row_lane[0] = -1;
    advance(&memory, &step, 1);
    ops_assert_same("state", &memory, &before, sizeof memory);
}

/* Whole searches -------------------------------------------------------------------------------*/

enum { VOCABULARY = 7, LONGEST = T };

struct hypothesis {
    int length;
    int32_t tokens[LONGEST];
    float lps[LONGEST], score;
};

/* A made-up model: log-probabilities in steps of 1/4, so that sums are exact and ties frequent. */
static float model_lp(const int32_t *tokens, int length, int id, unsigned seed)
{
    unsigned hash = seed;
    for (int i = 0; i < length; i++)
        hash = hash * 31 + (unsigned)tokens[i] + 7;
    hash = (hash * 31 + (unsigned)id) * 2654435761u;
    return -0.25f * (float)((hash >> 20) % 12 + (id == EOS) * 2);
}

struct candidate {
    float score;
    int parent, id;
};

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->parent != b->parent ? a->parent - b->parent : a->id - b->id;
}

static struct hypothesis extended(const struct hypothesis *parent, int id, unsigned seed)
{
    struct hypothesis child = *parent;
    child.lps[child.length] = model_lp(parent->tokens, parent->length, id, seed);
    child.score += child.lps[child.length];
    child.tokens[child.length++] = id;
    return child;
}

/* Section 2.6 of the design, literally; gives the number of finished hypotheses. */
static int search_by_lists(struct hypothesis *finished, int limit, unsigned seed)
{
    struct hypothesis live[B] = {{0}}, next[B];
    int living = 1, count = 0;
    for (int length = 1;; length++) {
        struct candidate all[B * VOCABULARY];
        int candidates = 0, surviving = 0;
        for (int b = 0; b < living; b++) {
            if (length == limit)
                finished[count++] = extended(&live[b], EOS, seed);
            for (int id = 0; id < VOCABULARY; id++)
                all[candidates++] = (struct candidate){
                    live[b].score + model_lp(live[b].tokens, live[b].length, id, seed), b, id};
        }
        if (length == limit)
            return count;
        qsort(all, (size_t)candidates, sizeof *all, compare_candidates);
        for (int rank = 0; rank < 2 * B && rank < candidates; rank++) {
            if (all[rank].id != EOS && surviving < B)
                next[surviving++] = extended(&live[all[rank].parent], all[rank].id, seed);
            else if (all[rank].id == EOS && rank < B)
                finished[count++] = extended(&live[all[rank].parent], EOS, seed);
        }
        living = surviving;
        memcpy(live, next, sizeof live);
        if (count >= B || living == 0)
            return count;
    }
}

/* What the model says after the tokens on a lane's path, best first as logprob ranks it. */
static void ask_model(const struct memory *memory, struct step *step, int row, int lane, int starts,
                      unsigned seed)
{
    struct candidate all[VOCABULARY];
    int32_t tokens[T];
    int length = 0;
    for (int p = starts; p <= memory->lane[lane][LANE_POS]; p++)
        tokens[length++] = memory->token[memory->path[lane][p]];
    for (int id = 0; id < VOCABULARY; id++)
        all[id] = (struct candidate){model_lp(tokens, length, id, seed), 0, id};
    step->row_lane[row] = lane;
    step->eos_lp[row] = all[EOS].score;
    qsort(all, VOCABULARY, sizeof *all, compare_candidates);
    for (int rank = 0; rank < TOPS; rank++)
        offer(step, row, rank, all[rank].id, all[rank].score);
}

static void search_by_steps(struct memory *memory, int starts, unsigned seed)
{
    for (int round = 0; round <= T; round++) {
        struct step step = {.width = round ? B : 1};
        for (int s = 0; s < S; s++)
            for (int b = 0; b < step.width && !memory->done[s]; b++)
                ask_model(memory, &step, step.rows++, s * B + b, starts, seed + (unsigned)s);
        if (step.rows == 0)
            return;
        advance(memory, &step, starts);
    }
    fail_msg("the search does not end");
}

static void whole_searches_find_what_lists_of_tokens_find(void **state)
{
    (void)state;
    for (unsigned seed = 0; seed < 300; seed++) {
        const int starts = 1 + (int)(seed % 2);
        struct memory memory;
        begin(&memory, starts, 0);
        for (int s = 0; s < S; s++)
            memory.limit[s] = 1 + (int)(seed + (unsigned)s) % (T - starts + 1);
        search_by_steps(&memory, starts, 1000 * seed);
        for (int s = 0; s < S; s++) {
            struct hypothesis expected[2 * B];
            int count = search_by_lists(expected, memory.limit[s], 1000 * seed + (unsigned)s);
            assert_int_equal(memory.count[s], count);
            for (int f = 0; f < count; f++) {
                assert_true(memory.finished_score[s][f] == expected[f].score);
                assert_int_equal(memory.finished_length[s][f], expected[f].length);
                for (int i = 0; i < expected[f].length; i++) {
                    assert_int_equal(memory.finished_token[s][f][i], expected[f].tokens[i]);
                    assert_true(memory.finished_lp[s][f][i] == expected[f].lps[i]);
                }
            }
        }
    }
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
        cmocka_unit_test(scores_that_are_no_numbers_count_as_impossible),
        cmocka_unit_test(idle_groups_are_left_alone),
        cmocka_unit_test(whole_searches_find_what_lists_of_tokens_find),
    };
    int failed = 0;
    while (ops_next_order())
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
