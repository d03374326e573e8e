/* Added tokens, blanks between words, and pieces that end words: expected pieces from the packages
 * (scripts/golden/make_added_tokens_golden.py). */
#include "model/text/text.h"
#include "tests/model/text/text_cases.h"
#include "tests/support/test.h"

static void check_split(char *fields[CASE_FIELDS], void *context)
{
    expect_split(context, fields[0], fields[1]);
}

static void added_tokens_are_cut_out_as_the_package_does(void **state)
{
    static const char *const files[] = {"added/always.json", "added/first.json",
                                        "added/words.json"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char table[64];
        snprintf(table, sizeof table, "%s.tsv", files[i]);
        struct tokenizer *tokenizer = golden_tokenizer(TOKENIZER_JSON, files[i]);
        golden_each(table, 2, check_split, tokenizer);
        tokenizer_close(tokenizer);
    }
}

static void an_added_token_is_a_word(void **state)
{
    struct tokenizer *tokenizer = golden_tokenizer(TOKENIZER_JSON, "added/always.json");
    assert_true(tokenizer_is_added(tokenizer, "<ent>"));
    assert_false(tokenizer_is_added(tokenizer, "<en"));
    assert_false(tokenizer_is_added(tokenizer, "the"));
    assert_int_equal(tokenizer_word_class(tokenizer, "<ent>"), WORD_BEGINS | WORD_ENDS);
    assert_int_equal(tokenizer_word_class(tokenizer, "\u2581the"), WORD_BEGINS);
    assert_int_equal(tokenizer_word_class(tokenizer, "the"), 0);
    tokenizer_close(tokenizer);
}

/* Tokens listed in a configuration, for a tokeniser without such a list of its own. */
static void a_sentencepiece_model_gets_added_tokens(void **state)
{
    static const struct added_token added[] = {{.text = "<ent>"},
                                               {.text = "<mask>", .strip_left = true}};
    size_t bytes;
    char *model = golden_read("unigram.model", &bytes);
    struct status status;
    for (int last = 0; last < 2; last++) {
        const struct tokenizer_spec spec = {.kind = TOKENIZER_SENTENCEPIECE,
                                            .model = model,
                                            .model_bytes = bytes,
                                            .added = added,
                                            .added_count = 2,
                                            .last_blank = last};
        struct tokenizer *tokenizer = tokenizer_open(&spec, &status);
        assert_non_null(tokenizer);
        expect_split(tokenizer, "the <ent>the",
                     last ? "\u2581the \u2581 <ent> \u2581the" : "\u2581the <ent> \u2581the");
        expect_split(tokenizer, "the  <mask> the", "\u2581the <mask> \u2581the");
        expect_split(tokenizer, "<ent>", "<ent>");
        expect_split(tokenizer, "the ", last ? "\u2581the \u2581" : "\u2581the");
        tokenizer_close(tokenizer);
    }
    free(model);
}

/* ">>…<<" is one piece only at the beginning, as in MarianTokenizer. */
static void a_language_stands_before_the_text(void **state)
{
    static const char *const cases[][2] = {
        {">>fra<< the", ">>fra<< \u2581the"},
        {">>fra<<the", ">>fra<< \u2581the"},
        {">>zzz<<", ">>zzz<<"},
        {">>a<< >>b<< the", NULL},
        {"the >>fra<<", NULL},
        {">>fra the", NULL},
    };
    size_t bytes;
    char *model = golden_read("unigram.model", &bytes);
    struct tokenizer_spec spec = {
        .kind = TOKENIZER_SENTENCEPIECE, .model = model, .model_bytes = bytes};
    struct status status;
    struct tokenizer *plain = tokenizer_open(&spec, &status);
    spec.language_codes = true;
    struct tokenizer *coded = tokenizer_open(&spec, &status);
    assert_true(plain && coded);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct strings pieces = {0}, rest = {0};
        assert_true(tokenizer_split(coded, cases[i][0], &pieces, &status));
        if (cases[i][1]) {
            expect_split(coded, cases[i][0], cases[i][1]);
        } else {
            bool code = strncmp(cases[i][0], ">>a<<", 5) == 0;
            assert_true(tokenizer_split(plain, cases[i][0] + (code ? 5 : 0), &rest, &status));
            assert_int_equal(pieces.count, rest.count + code);
            for (int p = 0; p < rest.count; p++)
                assert_string_equal(pieces.text[p + code], rest.text[p]);
        }
        strings_free(&pieces);
        strings_free(&rest);
    }
    tokenizer_close(plain);
    tokenizer_close(coded);
    free(model);
}

/* Fields: a text, "KIND BLANKS", pieces a line each. */
static void check_blanks(char *fields[CASE_FIELDS], void *context)
{
    const char *codes = context, *blanks = strchr(fields[1], ' ') + 1;
    bool bpe = strncmp(fields[1], "bpe", 3) == 0;
    struct tokenizer_spec spec = {.kind = bpe ? TOKENIZER_BPE : TOKENIZER_WHITESPACE,
                                  .model = bpe ? codes : NULL,
                                  .model_bytes = bpe ? strlen(codes) : 0};
    struct strings pieces = {0};
    struct status status;
    char got[300] = "";
    while (strcmp(blanks_names[spec.blanks], blanks) != 0)
        spec.blanks++;
    struct tokenizer *tokenizer = tokenizer_open(&spec, &status);
    assert_non_null(tokenizer);
    assert_true(tokenizer_split(tokenizer, fields[0], &pieces, &status));
    for (int i = 0; i < pieces.count; i++)
        sprintf(got + strlen(got), "%s%s", i ? "\n" : "", pieces.text[i]);
    if (strcmp(got, fields[2]) != 0)
        fail_msg("\"%s\" (%s):\n%s\nexpected\n%s", fields[0], fields[1], got, fields[2]);
    strings_free(&pieces);
    tokenizer_close(tokenizer);
}

static void blanks_are_those_of_the_toolkit(void **state)
{
    char *codes = golden_read("codes", NULL);
    golden_each("added/blanks.tsv", 3, check_blanks, codes);
    free(codes);
}

/* Fields: a text, its pieces, its words. */
static void check_words(char *fields[CASE_FIELDS], void *context)
{
    struct tokenizer *tokenizer = context;
    struct strings pieces = {0}, words = {0};
    struct status status;
    int word = 0, begin = 0;
    expect_split(tokenizer, fields[0], fields[1]);
    pieces_from(&pieces, fields[1]);
    pieces_from(&words, fields[2]);
    for (int i = 0; i < pieces.count; i++) {
        if (!(tokenizer_word_class(tokenizer, pieces.text[i]) & WORD_ENDS) && i + 1 < pieces.count)
            continue;
        char *text = tokenizer_join_word(tokenizer, (const char *const *)pieces.text + begin,
                                         i + 1 - begin, &status);
        assert_true(word < words.count);
        assert_string_equal(text, words.text[word++]);
        free(text);
        begin = i + 1;
    }
    assert_int_equal(word, words.count);
    strings_free(&pieces);
    strings_free(&words);
}

static void a_mark_at_the_end_ends_a_word(void **state)
{
    struct tokenizer *suffix = golden_tokenizer(TOKENIZER_SENTENCEPIECE, "added/suffix.model");
    struct tokenizer *prefix = golden_tokenizer(TOKENIZER_SENTENCEPIECE, "unigram.model");
    assert_int_equal(tokenizer_marks(suffix), MARKS_SENTENCEPIECE_SUFFIX);
    assert_int_equal(tokenizer_marks(prefix), MARKS_SENTENCEPIECE);
    golden_each("added/suffix.model.tsv", 3, check_words, suffix);
    tokenizer_close(suffix);
    tokenizer_close(prefix);
}

/* Pieces that others have cut, whose marks the configuration says. */
static void given_pieces_that_end_words_are_joined(void **state)
{
    static const struct {
        enum piece_marks marks;
        const char *pieces, *text;
    } cases[] = {
        {MARKS_WORD_END, "light house</w>", "lighthouse"},
        {MARKS_WORD_END, "the</w>", "the"},
        {MARKS_SENTENCEPIECE_SUFFIX, "light house\u2581", "lighthouse"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct tokenizer_spec spec = {.kind = TOKENIZER_WHITESPACE, .marks = cases[i].marks};
        struct status status;
        struct strings pieces = {0};
        struct tokenizer *tokenizer = tokenizer_open(&spec, &status);
        pieces_from(&pieces, cases[i].pieces);
        char *text =
            tokenizer_join_word(tokenizer, (const char *const *)pieces.text, pieces.count, &status);
        assert_string_equal(text, cases[i].text);
        const char *last = pieces.text[pieces.count - 1];
        assert_int_equal(tokenizer_word_class(tokenizer, last), WORD_ENDS);
        assert_int_equal(tokenizer_word_class(tokenizer, "light"), 0);
        free(text);
        strings_free(&pieces);
        tokenizer_close(tokenizer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(added_tokens_are_cut_out_as_the_package_does),
        cmocka_unit_test(an_added_token_is_a_word),
        cmocka_unit_test(a_sentencepiece_model_gets_added_tokens),
        cmocka_unit_test(a_language_stands_before_the_text),
        cmocka_unit_test(blanks_are_those_of_the_toolkit),
        cmocka_unit_test(a_mark_at_the_end_ends_a_word),
        cmocka_unit_test(given_pieces_that_end_words_are_joined),
    };
    return cmocka_run_group_tests_name("added tokens", tests, NULL, NULL);
}
