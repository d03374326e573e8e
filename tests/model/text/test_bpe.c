/* Merge codes of subword-nmt: expected pieces from the package
 * (scripts/golden/make_text_golden.py). */
#include "model/text/text.h"
#include "tests/model/text/text_cases.h"
#include "tests/support/test.h"

static struct tokenizer *codes_open(const char *codes, size_t bytes, struct status *status)
{
    struct tokenizer_spec spec = {.kind = TOKENIZER_BPE, .model = codes, .model_bytes = bytes};
    return tokenizer_open(&spec, status);
}

static void expect_with(const char *codes, const char *text, const char *expected)
{
    struct status status;
    struct tokenizer *tokenizer = codes_open(codes, strlen(codes), &status);
    if (!tokenizer)
        fail_msg("\"%s\": %s", codes, status.message);
    expect_split(tokenizer, text, expected);
    tokenizer_close(tokenizer);
}

static void check_split_and_join(char *fields[CASE_FIELDS], void *context)
{
    expect_split(context, fields[0], fields[1]);
    expect_join(context, fields[1], fields[2]);
}

static void bpe_equals_the_package(void **state)
{
    static const char *const files[][2] = {{"codes", "codes.tsv"}, {"codes01", "codes01.tsv"}};
    for (int i = 0; i < 2; i++) {
        struct tokenizer *tokenizer = golden_tokenizer(TOKENIZER_BPE, files[i][0]);
        golden_each(files[i][1], 3, check_split_and_join, tokenizer);
        tokenizer_close(tokenizer);
    }
}

static void check_split(char *fields[CASE_FIELDS], void *context)
{
    expect_split(context, fields[0], fields[1]);
}

static void merges_in_any_order_equal_the_package(void **state)
{
    struct tokenizer *tokenizer = golden_tokenizer(TOKENIZER_BPE, "tangled");
    golden_each("tangled.tsv", 2, check_split, tokenizer);
    tokenizer_close(tokenizer);
}

static void every_occurrence_merges_before_more_urgent_pairs_appear(void **state)
{
    // "b c" makes "a bc" possible, which is more urgent, but the second "b c" comes first.
    expect_with("#version: 0.2\na bc\nbc b\nb c\n", "abcbcx", "abc@@ bc@@ x");
    expect_with("#version: 0.2\na a\n", "aaaab", "aa@@ aa@@ b");
    expect_with("#version: 0.2\na a\n", "aaab", "aa@@ a@@ b");
}

static void the_word_end_is_part_of_symbols(void **state)
{
    expect_with("#version: 0.2\na b</w>\n", "ab aba", "ab a@@ b@@ a");
    expect_with("#version: 0.2\na b\n", "ab abc", "a@@ b ab@@ c");
    expect_with("a b\n", "ab abc", "ab ab@@ c");
    expect_with("#version: 0.1\nb </w>\na b</w>\n", "ab abc", "ab a@@ b@@ c");
    expect_with("#version: 0.2.0\r\na b</w>\r\n", "ab", "ab");
    expect_with("#version: 0.2\nx y\n", "a \u00E4", "a \u00E4");
}

static void the_first_of_equal_merges_counts(void **state)
{
    expect_with("#version: 0.2\na b\nb c\na b\n", "abcx", "ab@@ c@@ x");
}

static void blanks_and_tabs_separate_words(void **state)
{
    expect_with("#version: 0.2\na b</w>\n", " \tab\t ab\n\nab ", "ab ab ab");
    expect_with("#version: 0.2\na b</w>\n", "", "");
    expect_with("#version: 0.2\na b</w>\n", " \t ", "");
}

static void a_marker_at_the_end_of_a_join_goes(void **state)
{
    struct tokenizer *tokenizer = golden_tokenizer(TOKENIZER_BPE, "codes");
    expect_join(tokenizer, "", "");
    expect_join(tokenizer, "a@@ b c@@", "ab c");
    expect_join(tokenizer, "@@ a @@ b", "a b");
    expect_join(tokenizer, "<unk> the", "<unk> the");
    tokenizer_close(tokenizer);
}

static void malformed_codes_name_the_line(void **state)
{
    static const struct {
        const char *codes;
        size_t bytes;
        const char *expected;
    } cases[] = {
        {"", 0, "line 1: \"\", expected two symbols separated by one blank"},
        {"#version: 0.2\n", 14, "line 2: \"\", expected two symbols separated by one blank"},
        {"#version: 0.2\na b\nabc\n", 22,
         "line 3: \"abc\", expected two symbols separated by one blank"},
        {"a b\n\nb c\n", 9, "line 2: \"\", expected two symbols separated by one blank"},
        {"a b c\n", 6, "line 1: \"a b c\", expected two symbols separated by one blank"},
        {"a  b\n", 5, "line 1: \"a  b\", expected two symbols separated by one blank"},
        {"a\tb\n", 4, "line 1: \"a\tb\", expected two symbols separated by one blank"},
        {"#version: 0.3\na b\n", 18, "line 1: version \"0.3\" of merge codes, expected 0.1 or 0.2"},
        {"#version:", 9, "line 1: version \"\" of merge codes, expected 0.1 or 0.2"},
        {"a b\na \xC3\n", 8, "line 2: invalid UTF-8 at byte 2 of the line"},
        {"a b\na\0 b\n", 9, "line 2: NUL at byte 1 of the line"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status;
        assert_null(codes_open(cases[i].codes, cases[i].bytes, &status));
        assert_int_equal(status.code, STATUS_INVALID);
        assert_string_equal(status.message, cases[i].expected);
    }
}

static void a_long_word_takes_no_quadratic_time(void **state)
{
    enum { CHARACTERS = 200000 };
    struct status status;
    struct tokenizer *tokenizer = golden_tokenizer(TOKENIZER_BPE, "tangled");
    char *word = calloc(CHARACTERS + 1, 1);
    for (int i = 0; i < CHARACTERS; i++)
        word[i] = "aabc"[(unsigned)i * 2654435761u >> 30];
    struct strings pieces = {0};
    assert_true(tokenizer_split(tokenizer, word, &pieces, &status));
    char *joined =
        tokenizer_join(tokenizer, (const char *const *)pieces.text, pieces.count, &status);
    assert_non_null(joined);
    assert_string_equal(joined, word);
    free(joined);
    free(word);
    strings_free(&pieces);
    tokenizer_close(tokenizer);
}

static void hostile_codes_are_errors_or_work(void **state)
{
    size_t size;
    char *data = golden_read("codes", &size);
    for (uint32_t seed = 0; seed < 200; seed++) {
        size_t bytes = size;
        struct status status;
        struct strings pieces = {0};
        char *copy = malloc(size);
        memcpy(copy, data, size);
        mutate(copy, &bytes, seed);
        copy = realloc(copy, bytes + 1);
        struct tokenizer *tokenizer = codes_open(copy, bytes, &status);
        free(copy);
        if (!tokenizer) {
            assert_int_equal(strncmp(status.message, "line ", 5), 0);
            continue;
        }
        assert_true(tokenizer_split(tokenizer, "the lighthouse \u706F\u53F0", &pieces, &status));
        strings_free(&pieces);
        tokenizer_close(tokenizer);
    }
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bpe_equals_the_package),
        cmocka_unit_test(merges_in_any_order_equal_the_package),
        cmocka_unit_test(every_occurrence_merges_before_more_urgent_pairs_appear),
        cmocka_unit_test(the_word_end_is_part_of_symbols),
        cmocka_unit_test(the_first_of_equal_merges_counts),
        cmocka_unit_test(blanks_and_tabs_separate_words),
        cmocka_unit_test(a_marker_at_the_end_of_a_join_goes),
        cmocka_unit_test(malformed_codes_name_the_line),
        cmocka_unit_test(a_long_word_takes_no_quadratic_time),
        cmocka_unit_test(hostile_codes_are_errors_or_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
