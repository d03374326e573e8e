/* Statistics of heads that are made apart: however sentences are divided, merging gives the same,
 * to the bit. */
#include <math.h>

#include "model/study/heads/head_stats_text.h"
#include "tests/support/test.h"

enum { HEADS = 3, TOKENS_MOST = 9, SENTENCES = 30 };

static void sums_do_not_depend_on_the_order(void **state)
{
    const double terms[] = {0x1p-64, 1e9, -0x1p-80, 0.1, -0.75, 3, 0x1p-60, 1e-3};
    enum { TERMS = sizeof terms / sizeof *terms };
    for (int first = 0; first < TERMS; first++) {
        struct exact_sum sum = {0, 0}, other = {0, 0};
        for (int i = 0; i < TERMS; i++)
            exact_sum_add(i % 2 ? &sum : &other, terms[(first + i) % TERMS]);
        exact_sum_merge(&sum, other);
        // 0.1 and 0.001 are multiples of 2^-55 and 2^-62; what is below 2^-64 is cut off.
        assert_float_equal(exact_sum_value(sum), 1000000002.351, 1e-6);
        assert_int_equal(sum.whole, 1000000002);
        assert_int_equal(sum.rest & 15, ((uint64_t)(0.001 * 0x1p64) + 1) & 15);
    }
}

static void sums_know_what_is_no_number(void **state)
{
    const double terms[] = {NAN, INFINITY, -INFINITY, 1e300};
    for (int i = 0; i < 4; i++) {
        struct exact_sum sum = {1, 0};
        exact_sum_add(&sum, terms[i]);
        exact_sum_add(&sum, 1);
        assert_true(isnan(exact_sum_value(sum)));
    }
}

/* Numbers that look random, the same every time. */
static float draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / (float)(1 << 24);
}

/* A sentence with rows that sum to 1, but for every seventh's first head, which attends to nothing,
 * and a tree in which every word depends on the one before. */
static void add_sentence(struct head_stats *stats, int number)
{
    static float weights[HEADS][TOKENS_MOST * TOKENS_MOST];
    bool eos[TOKENS_MOST] = {false}, comma[TOKENS_MOST] = {false}, rare[TOKENS_MOST] = {false};
    int words[TOKENS_MOST], heads[TOKENS_MOST], relations[TOKENS_MOST];
    const int count = 2 + number % (TOKENS_MOST - 1);
    uint32_t state = (uint32_t)number;
    float *rows[HEADS];
    struct status status;
    for (int h = 0; h < HEADS; h++) {
        rows[h] = weights[h];
        for (int i = 0; i < count; i++) {
            float sum = 0;
            for (int j = 0; j < count; j++)
                sum += weights[h][i * count + j] = draw(&state);
            for (int j = 0; j < count; j++)
                weights[h][i * count + j] *= h == 0 && number % 7 == 0 ? 0 : 1 / sum;
        }
    }
    for (int i = 0; i < count; i++) {
        words[i] = i;
        heads[i] = i - 1;
        relations[i] = i ? number % 3 : -1;
    }
    eos[count - 1] = rare[0] = true;
    const struct attended_tokens tokens = {eos, comma, rare, words, count};
    const struct syntax syntax = {words, count, heads, relations, count};
    struct capture capture = {.source_count = count, .target_rows = count};
    capture.weights[MODULE_ENCODER] = rows;
    const struct attended sentence = {.number = number,
                                      .source = tokens,
                                      .inputs = tokens,
                                      .starts = 1,
                                      .capture = &capture,
                                      .syntax = &syntax};
    assert_true(head_stats_add(stats, &sentence, &status));
}

static void open_stats(struct head_stats *stats)
{
    static const bool wanted[HEADS] = {true, true, true};
    const bool *const all[MODULE_COUNT] = {[MODULE_ENCODER] = wanted};
    struct config config = {.d_model = 4};
    struct status status;
    config.stacks[STACK_ENCODER] = (struct stack_config){.layers = 1, .heads = HEADS};
    config.stacks[STACK_DECODER] = (struct stack_config){.layers = 1, .heads = HEADS};
    assert_true(head_stats_open(&config, all, stats, &status));
}

static char *text_of(const struct head_stats *stats)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    head_stats_write(stats, out);
    fclose(out);
    return text;
}

/* Statistics of the sentences in blocks of that length, through text, and of a block without
 * any. */
static char *text_of_blocks(int length)
{
    struct head_stats sum, none;
    struct status status;
    open_stats(&sum);
    assert_true(head_stats_like(&sum, &none, &status));
    assert_true(head_stats_merge(&sum, &none, &status));
    head_stats_free(&none);
    for (int first = 1; first <= SENTENCES; first += length) {
        struct head_stats made, read;
        assert_true(head_stats_like(&sum, &made, &status));
        assert_true(head_stats_like(&sum, &read, &status));
        for (int number = first; number <= SENTENCES && number < first + length; number++)
            add_sentence(&made, number);
        char *text = text_of(&made);
        assert_true(head_stats_read(text, 1, 1000, 3, &read, &status));
        assert_true(head_stats_merge(&sum, &read, &status));
        free(text);
        head_stats_free(&made);
        head_stats_free(&read);
    }
    char *text = text_of(&sum);
    head_stats_free(&sum);
    return text;
}

static void blocks_merge_to_the_whole(void **state)
{
    struct head_stats whole;
    open_stats(&whole);
    for (int number = 1; number <= SENTENCES; number++)
        add_sentence(&whole, number);
    char *expected = text_of(&whole);
    head_stats_free(&whole);
    for (int length = 1; length <= SENTENCES; length++) {
        char *text = text_of_blocks(length);
        assert_string_equal(text, expected);
        free(text);
    }
    free(expected);
}

/* Every beginning of a text, and every text with one byte that belongs to no number. */
static void other_texts_are_refused(void **state)
{
    struct head_stats stats, read;
    struct status status;
    open_stats(&stats);
    add_sentence(&stats, 1);
    char *text = text_of(&stats);
    const size_t bytes = strlen(text);
    for (size_t i = 0; i < bytes; i++) {
        const char byte = text[i];
        text[i] = i % 2 ? '!' : '\0';
        assert_true(head_stats_like(&stats, &read, &status));
        bool good = head_stats_read(text, 1, 1000, 3, &read, &status);
        // The beginning of the last number is a number.
        assert_true(!good || (i % 2 == 0 && !strchr(text + i + 1, ' ')));
        head_stats_free(&read);
        text[i] = byte;
    }
    free(text);
    head_stats_free(&stats);
}

/* Every text with something else in place of one number. */
static void what_is_not_finite_is_refused(void **state)
{
    static const char *const others[] = {"nan", "inf", "1e999"};
    struct head_stats stats, read;
    struct status status;
    open_stats(&stats);
    add_sentence(&stats, 1);
    char *text = text_of(&stats);
    for (const char *at = text; *at; at += strcspn(at, " ")) {
        at += strspn(at, " ");
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
            char other[8192];
            int length = snprintf(other, sizeof other, "%.*s%s%s", (int)(at - text), text,
                                  others[i], at + strcspn(at, " "));
            assert_in_range(length, 1, sizeof other - 1);
            assert_true(head_stats_like(&stats, &read, &status));
            assert_false(head_stats_read(other, 1, 1000, 3, &read, &status));
            head_stats_free(&read);
        }
    }
    free(text);
    head_stats_free(&stats);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_do_not_depend_on_the_order),
        cmocka_unit_test(sums_know_what_is_no_number),
        cmocka_unit_test(blocks_merge_to_the_whole),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(what_is_not_finite_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
