/* Operations that bring rows to their places. */
#include <math.h>

#include "tests/gpu/ops_support.h"
#include "tests/support/test.h"

#define PUT(ops, array) ops_put(ops, array, sizeof(array))

static const int sizes[] = {1, 3, 17, 33, 129, 831};
enum { SIZES = sizeof sizes / sizeof *sizes, LARGEST = 831, VOCABULARY = 41, EMBEDDED = 5 };

static void embed_scales_the_table_and_adds_the_position(void **state)
{
    static float table[VOCABULARY * LARGEST], positions[7 * LARGEST], y[EMBEDDED * LARGEST];
    const int32_t ids[EMBEDDED] = {40, 0, -1, 33, 33}, pos[EMBEDDED] = {6, 0, 3, 1, 2};
    ops_random_fill(table, VOCABULARY * LARGEST, 1, 1);
    ops_random_fill(positions, 7 * LARGEST, 1, 2);
    for (int s = 0; s < 2 * SIZES; s++) {
        const int d = sizes[s / 2];
        const bool with_positions = s % 2;
        struct ops ops;
        struct status status;
        ops_open(&ops, NULL, 2);
        struct weight *weight = ops.backend->weight(
            ops.device,
            &(struct weight_spec){
                .data = table, .dtype = DTYPE_F32, .n = VOCABULARY, .k = d, .use = WEIGHT_TABLE},
            &status);
        assert_non_null(weight);
        struct embed_args args = {.y = ops_floats(&ops, (size_t)(EMBEDDED * d)),
                                  .ids = PUT(&ops, ids),
                                  .pos = PUT(&ops, pos),
                                  .table = weight,
                                  .scale = 2.5f,
                                  .rows = EMBEDDED};
        if (with_positions)
            args.positions = PUT(&ops, positions);
        ops.backend->embed(ops.device, &args);
        ops_get(&ops, y, args.y, (size_t)(EMBEDDED * d) * sizeof *y);
        ops.backend->forget(ops.device, weight);
        ops_close(&ops);
        for (int m = 0; m < EMBEDDED; m++) {
            for (int c = 0; c < d; c++) {
                double expected = 0;
                if (ids[m] >= 0)
                    expected = 2.5 * table[ids[m] * d + c] +
                               (with_positions ? positions[pos[m] * d + c] : 0);
                assert_true(fabs(y[m * d + c] - expected) < 1e-6);
            }
        }
    }
}

static const int32_t places[] = {4, -1, 0, 2, 2};
enum { MANY = 800, MOVED = 5, COLUMNS = 3, LDX = 4, LDY = 5 };

static void gather_brings_rows_and_makes_zeros_of_negative_ones(void **state)
{
    float x[5 * LDX], y[MOVED * LDY];
    struct ops ops;
    ops_random_fill(x, 5 * LDX, 1, 1);
    ops_open(&ops, NULL, 1);
    struct move_args args = {.y = ops_floats(&ops, MOVED * LDY),
                             .x = PUT(&ops, x),
                             .ldy = LDY,
                             .ldx = LDX,
                             .index = PUT(&ops, places),
                             .rows = MOVED,
                             .columns = COLUMNS};
    ops.backend->gather(ops.device, &args);
    ops_get(&ops, y, args.y, sizeof y);
    ops_close(&ops);
    for (int m = 0; m < MOVED; m++) {
        for (int c = 0; c < COLUMNS; c++)
            assert_true(y[m * LDY + c] == (places[m] < 0 ? 0 : x[places[m] * LDX + c]));
        assert_true(isnan(y[m * LDY + COLUMNS])); // what lies beside a row stays
    }
}

static void scatter_stores_rows_and_leaves_out_negative_ones(void **state)
{
    const int32_t to[MOVED] = {3, -1, 0, 5, 1};
    float x[MOVED * LDX], y[6 * LDY];
    struct ops ops;
    ops_random_fill(x, MOVED * LDX, 1, 1);
    ops_open(&ops, NULL, 1);
    struct move_args args = {.y = ops_floats(&ops, 6 * LDY),
                             .x = PUT(&ops, x),
                             .ldy = LDY,
                             .ldx = LDX,
                             .index = PUT(&ops, to),
                             .rows = MOVED,
                             .columns = COLUMNS};
    ops.backend->scatter(ops.device, &args);
    ops_get(&ops, y, args.y, sizeof y);
    ops_close(&ops);
    for (int m = 0; m < MOVED; m++)
        for (int c = 0; c < COLUMNS && to[m] >= 0; c++)
            assert_true(y[to[m] * LDY + c] == x[m * LDX + c]);
    for (int c = 0; c < LDY; c++)
        assert_true(isnan(y[2 * LDY + c]) && isnan(y[4 * LDY + c]));
}

static void without_an_index_rows_stay_in_order(void **state)
{
    static float x[MANY * LARGEST], y[MANY * LARGEST];
    ops_random_fill(x, MANY * LARGEST, 1, 1);
    for (int way = 0; way < 2; way++) {
        struct ops ops;
        ops_open(&ops, NULL, 2);
        struct move_args args = {.y = ops_floats(&ops, MANY * LARGEST),
                                 .x = PUT(&ops, x),
                                 .ldy = LARGEST,
                                 .ldx = LARGEST,
                                 .rows = MANY,
                                 .columns = LARGEST};
        (way ? ops.backend->scatter : ops.backend->gather)(ops.device, &args);
        ops_get(&ops, y, args.y, sizeof y);
        ops_close(&ops);
        ops_assert_same("y", y, x, sizeof x);
    }
}

static void select_reads_the_records_of_the_lanes(void **state)
{
    enum { LANES = 3, T = 4, ROWS = 4 };
    const int32_t lane[LANES][LANE_FIELDS] = {
        {70, 2, 0, 5, 1}, {71, 0, 5, 9, 0}, {72, 3, 9, 10, 2}};
    const int32_t path[LANES][T] = {{0, 5, 2, -7}, {4, -7, -7, -7}, {0, 1, 2, 11}};
    const int32_t row_lane[ROWS] = {2, -1, 0, 1};
    const int32_t expected[LANE_FIELDS][ROWS] = {
        {72, -1, 70, 71}, {3, 0, 2, 0}, {9, 0, 0, 5}, {10, 0, 5, 9}, {2, 0, 1, 0}};
    const int32_t expected_slot[ROWS] = {11, -1, 2, 4};
    int32_t columns[LANE_FIELDS][ROWS], slot[ROWS];
    struct ops ops;
    ops_open(&ops, NULL, 1);
    struct search_state search = {.sentences = 1,
                                  .beam = LANES,
                                  .positions = T,
                                  .lane = PUT(&ops, lane),
                                  .path = PUT(&ops, path)};
    struct select_args args = {.state = &search,
                               .row_lane = PUT(&ops, row_lane),
                               .columns = ops_floats(&ops, LANE_FIELDS * ROWS),
                               .slot = ops_floats(&ops, ROWS),
                               .rows = ROWS};
    ops.backend->select(ops.device, &args);
    ops_get(&ops, columns, args.columns, sizeof columns);
    ops_get(&ops, slot, args.slot, sizeof slot);
    ops_close(&ops);
    ops_assert_same("columns", columns, expected, sizeof expected);
    ops_assert_same("slot", slot, expected_slot, sizeof expected_slot);
}

/* Tokens of a made-up vocabulary, as `▁` marks them (BEGINS) and as `@@` does (ENDS). */
enum { INNER, BEGIN, END, BOTH, JOIN, HAN, KANA, OKURIGANA, THAI, WORD_CLASSES };

struct words_case {
    int starts, count;
    int32_t ids[8];
    int32_t words[8];
};

static const struct words_case words_cases[] = {
    /* a start token is a word of its own, and what follows it begins one */
    {1, 4, {INNER, INNER, INNER, INNER}, {0, 1, 1, 1}},
    {2, 4, {INNER, INNER, INNER, INNER}, {0, 1, 2, 2}},
    {1, 6, {INNER, BEGIN, INNER, BEGIN, BEGIN, INNER}, {0, 1, 1, 2, 3, 3}},
    {1, 6, {INNER, INNER, END, INNER, INNER, END}, {0, 1, 1, 2, 2, 2}},
    {1, 5, {INNER, BOTH, BOTH, INNER, BEGIN}, {0, 1, 2, 3, 4}},
    /* after a joiner no word begins, unless the token is a start token */
    {1, 6, {JOIN, BEGIN, JOIN, BEGIN, BEGIN, INNER}, {0, 1, 2, 2, 3, 3}},
    /* where blanks tell nothing, a word ends where the script changes */
    {1, 7, {BOTH, HAN, HAN, KANA, OKURIGANA, KANA, INNER}, {0, 1, 1, 2, 3, 3, 4}},
    {1, 5, {BOTH, THAI, THAI, INNER, JOIN}, {0, 1, 2, 3, 4}},
    {1, 1, {BEGIN}, {0}},
};

#define SCRIPTS(first, last) (first << CLASS_FIRST_SCRIPT | last << CLASS_LAST_SCRIPT)
#define CLASSES                                                                                    \
    {                                                                                              \
        0, CLASS_BEGINS, CLASS_ENDS, CLASS_BEGINS | CLASS_ENDS, CLASS_BEGINS | CLASS_JOINS,        \
            SCRIPTS(3, 3), SCRIPTS(1, 1), SCRIPTS(3, 1), SCRIPTS(3, 3) | CLASS_APART               \
    }

static void words_begin_where_the_classes_say(void **state)
{
    const uint8_t classes[WORD_CLASSES] = CLASSES;
    for (size_t c = 0; c < sizeof words_cases / sizeof *words_cases; c++) {
        const struct words_case *words = &words_cases[c];
        int32_t lane[8] = {0}, pos[8], row_word[8];
        struct ops ops;
        for (int p = 0; p < 8; p++)
            pos[p] = p;
        ops_open(&ops, NULL, 1);
        struct word_args args = {.ids = PUT(&ops, words->ids),
                                 .classes = PUT(&ops, classes),
                                 .token = ops_floats(&ops, 8),
                                 .word = ops_floats(&ops, 8),
                                 .row_word = ops_floats(&ops, 8),
                                 .rows = {.rows = words->count,
                                          .lane = PUT(&ops, lane),
                                          .pos = PUT(&ops, pos),
                                          .slot = PUT(&ops, pos),
                                          .path = PUT(&ops, pos),
                                          .positions = 8},
                                 .starts = words->starts};
        ops.backend->words(ops.device, &args);
        ops_get(&ops, row_word, args.row_word, sizeof row_word);
        ops_close(&ops);
        for (int p = 0; p < words->count; p++)
            if (row_word[p] != words->words[p])
                fail_msg("case %zu: token %d is of word %d, expected %d", c, p, row_word[p],
                         words->words[p]);
    }
}

/* Two hypotheses go on from one: the word before is found along the path, not in the own lane. */
static void words_are_counted_along_the_path(void **state)
{
    enum { T = 4 };
    const uint8_t classes[WORD_CLASSES] = CLASSES;
    const int32_t path[2][T] = {{0, 1, 2, 3}, {0, 1, 6, 7}};
    const int32_t ids[] = {INNER, INNER, INNER, BEGIN, 0, INNER}, lane[] = {0, 0, 0, 1, -1, 1};
    const int32_t pos[] = {0, 1, 2, 2, 0, 3}, slot[] = {0, 1, 2, 6, -1, 7};
    const int32_t expected[] = {0, 1, 1, 2, 0, 2};
    int32_t row_word[6], word[2 * T], token[2 * T];
    struct ops ops;
    ops_open(&ops, NULL, 1);
    struct word_args args = {.ids = PUT(&ops, ids),
                             .classes = PUT(&ops, classes),
                             .token = ops_floats(&ops, 2 * T),
                             .word = ops_floats(&ops, 2 * T),
                             .row_word = ops_floats(&ops, 6),
                             .rows = {.rows = 6,
                                      .lane = PUT(&ops, lane),
                                      .pos = PUT(&ops, pos),
                                      .slot = PUT(&ops, slot),
                                      .path = PUT(&ops, path),
                                      .positions = T},
                             .starts = 1};
    ops.backend->words(ops.device, &args);
    ops_get(&ops, row_word, args.row_word, sizeof row_word);
    ops_get(&ops, word, args.word, sizeof word);
    ops_get(&ops, token, args.token, sizeof token);
    ops_close(&ops);
    ops_assert_same("row_word", row_word, expected, sizeof expected);
    for (int m = 0; m < 6; m++)
        if (slot[m] >= 0)
            assert_true(word[slot[m]] == expected[m] && token[slot[m]] == ids[m]);
}

static void a_cancelled_device_does_nothing_until_it_goes_on(void **state)
{
    static float x[MANY * LARGEST], y[MANY * LARGEST];
    ops_random_fill(x, MANY * LARGEST, 1, 1);
    for (int threads = 1; threads <= 2; threads++) {
        struct ops ops;
        ops_open(&ops, NULL, threads);
        struct move_args args = {.y = ops_floats(&ops, MANY * LARGEST),
                                 .x = PUT(&ops, x),
                                 .ldy = LARGEST,
                                 .ldx = LARGEST,
                                 .rows = MANY,
                                 .columns = LARGEST};
        ops.backend->cancel(ops.device, true);
        ops.backend->gather(ops.device, &args);
        ops_get(&ops, y, args.y, sizeof y);
        assert_true(isnan(y[0]) && isnan(y[MANY * LARGEST - 1]));
        ops.backend->cancel(ops.device, false);
        ops.backend->gather(ops.device, &args);
        ops_get(&ops, y, args.y, sizeof y);
        ops_assert_same("y", y, x, sizeof x);
        ops_close(&ops);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(embed_scales_the_table_and_adds_the_position),
        cmocka_unit_test(gather_brings_rows_and_makes_zeros_of_negative_ones),
        cmocka_unit_test(scatter_stores_rows_and_leaves_out_negative_ones),
        cmocka_unit_test(without_an_index_rows_stay_in_order),
        cmocka_unit_test(select_reads_the_records_of_the_lanes),
        cmocka_unit_test(words_begin_where_the_classes_say),
        cmocka_unit_test(words_are_counted_along_the_path),
        cmocka_unit_test(a_cancelled_device_does_nothing_until_it_goes_on),
    };
    int failed = 0;
    while (ops_next_order())
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
