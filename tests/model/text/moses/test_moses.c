/* The Moses tokeniser and detokeniser, and what FSMTTokenizer does before: expected tokens and
 * texts from sacremoses and transformers (scripts/golden/make_text_golden.py). */
#include "model/text/text.h"
#include "tests/model/text/text_cases.h"
#include "tests/support/test.h"

static struct tokenizer *moses_open(const char *language, bool lowercase)
{
    struct status status;
    struct tokenizer_spec spec = {
        .kind = TOKENIZER_WHITESPACE, .moses = true, .lowercase = lowercase, .language = language};
    struct tokenizer *tokenizer = tokenizer_open(&spec, &status);
    if (!tokenizer)
        fail_msg("%s: %s", language, status.message);
    return tokenizer;
}

static void check_split(char *fields[CASE_FIELDS], void *context)
{
    (void)context;
    struct tokenizer *tokenizer = moses_open(fields[0], false);
    expect_split(tokenizer, fields[1], fields[2]);
    tokenizer_close(tokenizer);
}

static void tokens_equal_sacremoses(void **state)
{
    golden_each("moses.tsv", 3, check_split, NULL);
}

static void check_normalized(char *fields[CASE_FIELDS], void *context)
{
    struct status status;
    const struct tokenizer_spec spec = {
        .kind = TOKENIZER_WHITESPACE, .moses = true, .normalized = true, .language = fields[0]};
    struct tokenizer *tokenizer = tokenizer_open(&spec, &status);
    (void)context;
    assert_non_null(tokenizer);
    expect_split(tokenizer, fields[1], fields[2]);
    tokenizer_close(tokenizer);
}

static void normalized_tokens_equal_transformers(void **state)
{
    golden_each("moses_normalized.tsv", 3, check_normalized, NULL);
}

static void check_join(char *fields[CASE_FIELDS], void *context)
{
    (void)context;
    struct tokenizer *tokenizer = moses_open(fields[0], false);
    expect_join(tokenizer, fields[1], fields[2]);
    tokenizer_close(tokenizer);
}

static void joined_text_equals_sacremoses(void **state)
{
    golden_each("demoses.tsv", 3, check_join, NULL);
}

static void abbreviations_are_found_before_lower_casing(void **state)
{
    struct tokenizer *tokenizer = moses_open("en", true);
    expect_split(tokenizer, "Mr. Smith & Co. ARE Here.", "mr. smith &amp; co . are here .");
    tokenizer_close(tokenizer);
}

static void no_language_is_english(void **state)
{
    struct tokenizer *tokenizer = moses_open(NULL, false);
    expect_split(tokenizer, "Mr. Smith isn't.", "Mr. Smith isn &apos;t .");
    expect_join(tokenizer, "Mr. Smith isn &apos;t .", "Mr. Smith isn't.");
    tokenizer_close(tokenizer);
}

static void subwords_come_after_moses_and_go_before_it(void **state)
{
    struct status status;
    static const char codes[] = "#version: 0.2\ni s\nis n</w>\n&apos; t</w>\n";
    struct tokenizer_spec spec = {.kind = TOKENIZER_BPE,
                                  .moses = true,
                                  .language = "en",
                                  .model = codes,
                                  .model_bytes = strlen(codes)};
    struct tokenizer *tokenizer = tokenizer_open(&spec, &status);
    assert_non_null(tokenizer);
    expect_split(tokenizer, "isn't!", "isn &@@ a@@ p@@ o@@ s@@ ;@@ t !");
    expect_join(tokenizer, "isn &@@ a@@ p@@ o@@ s@@ ;@@ t !", "isn't!");
    tokenizer_close(tokenizer);
}

static void text_without_tokens_stays_empty(void **state)
{
    struct tokenizer *tokenizer = moses_open("en", false);
    expect_split(tokenizer, "", "");
    expect_split(tokenizer, " \t\u00A0\u3000\x01\x1F ", "");
    expect_join(tokenizer, "", "");
    tokenizer_close(tokenizer);
}

/* Whatever comes in, what goes out is whole. */
static void odd_text_goes_through(void **state)
{
    static const char *const parts[] = {"'", "\"", ",",      ".",         "..", "a",
                                        "5", " ",  "s",      "\u706F",    "&",  "@-@",
                                        "(", "$",  "\u201E", "\U0001F600"};
    static const char *const codes[] = {"en", "de", "fr", "it", "cs", "ja", "ko", "zh", "xx"};
    enum { PARTS = sizeof parts / sizeof *parts };
    for (size_t code = 0; code < sizeof codes / sizeof *codes; code++) {
        struct tokenizer *tokenizer = moses_open(codes[code], false);
        uint32_t seed = 1;
        for (int round = 0; round < 500; round++) {
            char text[200] = "";
            struct status status;
            struct strings pieces = {0};
            for (int i = 0; i < round % 30; i++)
                strcat(text, parts[(seed = seed * 1664525 + 1013904223) >> 16 & (PARTS - 1)]);
            assert_true(tokenizer_split(tokenizer, text, &pieces, &status));
            char *joined =
                tokenizer_join(tokenizer, (const char *const *)pieces.text, pieces.count, &status);
            assert_non_null(joined);
            assert_int_equal(utf8_invalid(joined, strlen(joined)), -1);
            free(joined);
            strings_free(&pieces);
        }
        tokenizer_close(tokenizer);
    }
}

static void a_very_long_line_is_no_trouble(void **state)
{
    enum { CHARACTERS = 100000 };
    struct status status;
    char *text = malloc(CHARACTERS + 1);
    for (int i = 0; i < CHARACTERS; i++)
        text[i] = "ab,. '5s"[(unsigned)i * 2654435761u >> 29];
    text[CHARACTERS] = '\0';
    struct tokenizer *tokenizer = moses_open("en", false);
    struct strings pieces = {0};
    assert_true(tokenizer_split(tokenizer, text, &pieces, &status));
    assert_true(pieces.count > 1000);
    strings_free(&pieces);
    free(text);
    tokenizer_close(tokenizer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_equal_sacremoses),
        cmocka_unit_test(normalized_tokens_equal_transformers),
        cmocka_unit_test(joined_text_equals_sacremoses),
        cmocka_unit_test(abbreviations_are_found_before_lower_casing),
        cmocka_unit_test(no_language_is_english),
        cmocka_unit_test(subwords_come_after_moses_and_go_before_it),
        cmocka_unit_test(text_without_tokens_stays_empty),
        cmocka_unit_test(odd_text_goes_through),
        cmocka_unit_test(a_very_long_line_is_no_trouble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
