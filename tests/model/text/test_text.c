/* Vocabularies, UTF-8, word boundaries, SentencePiece and whitespace tokenisers. Expected pieces
 * come from the published packages (scripts/golden/make_text_golden.py). */
#include "model/text/scripts.h"
#include "model/text/text.h"
#include "tests/model/text/text_cases.h"
#include "tests/support/test.h"

static const char *const models[] = {"unigram", "bpe", "bytes", "char", "rules"};
enum { MODELS = sizeof models / sizeof *models };

static const char *file_name(const char *model, const char *ending)
{
    static char name[100];
    snprintf(name, sizeof name, "%s%s", model, ending);
    return name;
}

static void utf8_positions_of_what_is_invalid(void **state)
{
    static const struct {
        const char *text;
        size_t bytes;
        ptrdiff_t expected;
    } cases[] = {
        {"", 0, -1},
        {"plain", 5, -1},
        {"a\0b", 3, -1},
        {"\u00FC\u20AC\U0001F600\U0010FFFF\uFFFE", 16, -1},
        {"\xEF\xBF\xBF\xED\x9F\xBF\xEE\x80\x80", 9, -1},
        {"ab\x80", 3, 2},
        {"ab\xBF"
         "c",
         4, 2},
        {"\xC0\x80", 2, 0},         // overlong NUL
        {"x\xC1\xBF", 3, 1},        // overlong DEL
        {"\xE0\x9F\xBF", 3, 0},     // overlong
        {"\xF0\x8F\xBF\xBF", 4, 0}, // overlong
        {"x\xED\xA0\x80", 4, 1},    // surrogate
        {"\xED\xBF\xBF", 3, 0},     // surrogate
        {"\xF4\x90\x80\x80", 4, 0}, // above U+10FFFF
        {"\xF5\x80\x80\x80", 4, 0}, // no lead byte
        {"\xFE", 1, 0},
        {"\xFF", 1, 0},
        {"abc\xC3", 4, 3},         // truncated
        {"abc\xE2\x82", 5, 3},     // truncated
        {"abc\xF0\x9F\x98", 6, 3}, // truncated
        {"\xC3"
         "a",
         2, 0},
        {"\xE2\x82"
         "a",
         3, 0},
        {"\xF0\x9F\x98"
         "a",
         4, 0},
        {"\xC3\xBC\xC3", 2, -1}, // the length counts, not what follows
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ptrdiff_t got = utf8_invalid(cases[i].text, cases[i].bytes);
        if (got != cases[i].expected)
            fail_msg("case %zu: position %td, expected %td", i, got, cases[i].expected);
    }
}

static struct vocabulary *vocabulary_of(const char *text)
{
    struct status status;
    struct vocabulary *vocabulary = vocabulary_open(text, strlen(text), &status);
    if (!vocabulary)
        fail_msg("\"%s\": %s", text, status.message);
    return vocabulary;
}

static void vocabulary_finds_the_lowest_of_duplicates(void **state)
{
    struct vocabulary *vocabulary = vocabulary_of("a\nb\na\n\u2581\u706F\nb \nb\n");
    assert_int_equal(vocabulary_size(vocabulary), 6);
    assert_int_equal(vocabulary_find(vocabulary, "a"), 0);
    assert_int_equal(vocabulary_find(vocabulary, "b"), 1);
    assert_int_equal(vocabulary_find(vocabulary, "\u2581\u706F"), 3);
    assert_int_equal(vocabulary_find(vocabulary, "b "), 4);
    assert_int_equal(vocabulary_find(vocabulary, "c"), -1);
    assert_int_equal(vocabulary_find(vocabulary, ""), -1);
    assert_string_equal(vocabulary_piece(vocabulary, 2), "a");
    assert_string_equal(vocabulary_piece(vocabulary, 5), "b");
    vocabulary_close(vocabulary);
}

static void vocabulary_needs_no_last_newline(void **state)
{
    struct vocabulary *vocabulary = vocabulary_of("one\ntwo");
    assert_int_equal(vocabulary_size(vocabulary), 2);
    assert_int_equal(vocabulary_find(vocabulary, "two"), 1);
    vocabulary_close(vocabulary);
}

static void vocabulary_keeps_every_piece_of_many(void **state)
{
    enum { COUNT = 20000 };
    char *text = calloc(COUNT, 8), *end = text;
    for (int i = 0; i < COUNT; i++)
        end += sprintf(end, "p%d\n", i);
    struct vocabulary *vocabulary = vocabulary_of(text);
    free(text);
    assert_int_equal(vocabulary_size(vocabulary), COUNT);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(vocabulary_find(vocabulary, vocabulary_piece(vocabulary, i)), i);
    vocabulary_close(vocabulary);
}

static void vocabulary_errors_name_the_line(void **state)
{
    static const struct {
        const char *text;
        size_t bytes;
        const char *expected;
    } cases[] = {
        {"", 0, "line 1: no piece, expected at least one"},
        {"\n", 1, "line 1: empty piece"},
        {"a\n\nb\n", 5, "line 2: empty piece"},
        {"a\nb\n\n", 5, "line 3: empty piece"},
        {"a\nb\0c\n", 6, "line 2: NUL in a piece"},
        {"a\nxy\xC3\n", 6, "line 2: invalid UTF-8 at byte 2 of the line"},
        {"a\r\nb\r\n", 6, "line 1: ends in a carriage return, expected \\n alone"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status;
        assert_null(vocabulary_open(cases[i].text, cases[i].bytes, &status));
        assert_int_equal(status.code, STATUS_INVALID);
        assert_string_equal(status.message, cases[i].expected);
    }
}

static void words_begin_where_the_tokeniser_says(void **state)
{
    static const struct {
        enum piece_marks marks;
        const char *piece;
        uint8_t expected;
    } cases[] = {
        {MARKS_SENTENCEPIECE, "\u2581the", WORD_BEGINS},
        {MARKS_SENTENCEPIECE, "\u2581", WORD_BEGINS},
        {MARKS_SENTENCEPIECE, "the", 0},
        {MARKS_SENTENCEPIECE, "a\u2581b", 0},
        {MARKS_SENTENCEPIECE, "_the", 0},
        {MARKS_SENTENCEPIECE, "the@@", 0},
        {MARKS_SENTENCEPIECE, "\u2582", 0},
        {MARKS_BPE, "the", WORD_ENDS},
        {MARKS_BPE, "the@@", 0},
        {MARKS_BPE, "@@", 0},
        {MARKS_BPE, "@", WORD_ENDS},
        {MARKS_BPE, "@@the", WORD_ENDS},
        {MARKS_BPE, "\u2581the", WORD_ENDS},
        {MARKS_NONE, "the", WORD_BEGINS | WORD_ENDS},
        {MARKS_NONE, "the@@", WORD_BEGINS | WORD_ENDS},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (word_class(cases[i].marks, cases[i].piece) != cases[i].expected)
            fail_msg("\"%s\" (marks %d): %d, expected %d", cases[i].piece, (int)cases[i].marks,
                     word_class(cases[i].marks, cases[i].piece), cases[i].expected);
}

/* First and last script of a piece: 0 other, 1 Hiragana, 2 Katakana, 3 Han and Thai. */
static void pieces_have_the_scripts_of_their_letters(void **state)
{
    static const struct {
        const char *piece;
        enum piece_marks marks;
        int first, last;
    } cases[] = {{"▁私の", MARKS_SENTENCEPIECE, 3, 1},  {"食べ@@", MARKS_BPE, 3, 1},
                 {"メール", MARKS_SENTENCEPIECE, 2, 2}, {"ます。", MARKS_SENTENCEPIECE, 1, 0},
                 {"▁", MARKS_SENTENCEPIECE, 0, 0},      {"@@", MARKS_BPE, 0, 0},
                 {"รัก", MARKS_SENTENCEPIECE, 3, 3},     {"￭ｶﾞ￭", MARKS_JOINER, 2, 2},
                 {"▁dog", MARKS_SENTENCEPIECE, 0, 0},   {"々</w>", MARKS_WORD_END, 3, 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const unsigned class = script_class(UNSPACED_RUNS, cases[i].marks, cases[i].piece);
        assert_int_equal(class >> WORD_FIRST_SCRIPT & 3, cases[i].first);
        assert_int_equal(class >> WORD_LAST_SCRIPT & 3, cases[i].last);
        assert_false(class & WORD_APART);
    }
    assert_true(script_class(UNSPACED_PIECES, MARKS_SENTENCEPIECE, "▁我们") & WORD_APART);
    assert_false(script_class(UNSPACED_PIECES, MARKS_SENTENCEPIECE, "ます") & WORD_APART);
}

static void vocabularies_tell_whether_texts_have_blanks(void **state)
{
    static const struct {
        const char *pieces;
        enum piece_marks marks;
        enum spacing_kind expected;
    } cases[] = {{"▁the\n▁dog\ns", MARKS_SENTENCEPIECE, SPACED},
                 {"▁私\nは\n歌\nます\n。", MARKS_SENTENCEPIECE, UNSPACED_RUNS},
                 {"▁私\n▁は\n歌\nます\n。", MARKS_SENTENCEPIECE, SPACED}, // cut into words before
                 {"▁我\n们\n唱\n歌", MARKS_SENTENCEPIECE, UNSPACED_PIECES},
                 {"รัก@@\nคุณ@@\nฉัน@@\nฉัน", MARKS_BPE, UNSPACED_PIECES},
                 {"私\nは\n歌", MARKS_NONE, SPACED}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status status;
        struct vocabulary *vocabulary =
            vocabulary_open(cases[i].pieces, strlen(cases[i].pieces), &status);
        assert_non_null(vocabulary);
        if (scripts_spacing(vocabulary, cases[i].marks) != cases[i].expected)
            fail_msg("vocabulary %zu: %d, expected %d", i,
                     (int)scripts_spacing(vocabulary, cases[i].marks), (int)cases[i].expected);
        vocabulary_close(vocabulary);
    }
}

static void check_split_and_join(char *fields[CASE_FIELDS], void *context)
{
    expect_split(context, fields[0], fields[1]);
    expect_join(context, fields[1], fields[2]);
}

static void sentencepiece_equals_the_package(void **state)
{
    for (int i = 0; i < MODELS; i++) {
        struct tokenizer *tokenizer =
            golden_tokenizer(TOKENIZER_SENTENCEPIECE, file_name(models[i], ".model"));
        golden_each(file_name(models[i], ".tsv"), 3, check_split_and_join, tokenizer);
        tokenizer_close(tokenizer);
    }
}

static void check_join(char *fields[CASE_FIELDS], void *context)
{
    expect_join(context, fields[0], fields[1]);
}

static void sentencepiece_joins_pieces_that_no_text_gives(void **state)
{
    for (int i = 0; i < MODELS; i++) {
        struct tokenizer *tokenizer =
            golden_tokenizer(TOKENIZER_SENTENCEPIECE, file_name(models[i], ".model"));
        golden_each(file_name(models[i], ".join.tsv"), 2, check_join, tokenizer);
        tokenizer_close(tokenizer);
    }
}

static void sentencepiece_shows_blanks_of_pieces_it_does_not_have(void **state)
{
    struct tokenizer *tokenizer = golden_tokenizer(TOKENIZER_SENTENCEPIECE, "unigram.model");
    expect_join(tokenizer, "\u2581unheard \u2581of \u2581the", "unheard of the");
    expect_join(tokenizer, "\u2581the \u2581unheard <unk> \u2581of", "the unheard<unk> of");
    tokenizer_close(tokenizer);
}

static void a_line_break_is_a_blank(void **state)
{
    struct tokenizer *tokenizer = golden_tokenizer(TOKENIZER_SENTENCEPIECE, "unigram.model");
    struct strings one = {0}, other = {0};
    struct status status;
    assert_true(tokenizer_split(tokenizer, "the lamp the ship ", &one, &status));
    assert_true(tokenizer_split(tokenizer, "the\nlamp\r\nthe\rship\r\n", &other, &status));
    char *first = pieces_text(&one), *second = pieces_text(&other);
    assert_string_equal(first, second);
    free(first);
    free(second);
    strings_free(&one);
    strings_free(&other);
    tokenizer_close(tokenizer);
    tokenizer = golden_tokenizer(TOKENIZER_WHITESPACE, NULL);
    expect_split(tokenizer, "the\nlamp\r\n", "the lamp");
    tokenizer_close(tokenizer);
}

static void whitespace_splits_at_blanks_and_tabs(void **state)
{
    struct tokenizer *tokenizer = golden_tokenizer(TOKENIZER_WHITESPACE, NULL);
    expect_split(tokenizer, "", "");
    expect_split(tokenizer, " \t ", "");
    expect_split(tokenizer, "\t one  two@@ \tthree ", "one two@@ three");
    expect_split(tokenizer, "no\u00A0break\u3000here \u706F", "no\u00A0break\u3000here \u706F");
    expect_join(tokenizer, "one two@@ \u2581three", "one two@@ \u2581three");
    expect_join(tokenizer, "", "");
    tokenizer_close(tokenizer);
}

static void lower_case_character_by_character(void **state)
{
    struct status status;
    struct tokenizer_spec spec = {.kind = TOKENIZER_WHITESPACE, .lowercase = true};
    struct tokenizer *tokenizer = tokenizer_open(&spec, &status);
    assert_non_null(tokenizer);
    expect_split(tokenizer, "The \u00C4PFEL STRA\u1E9EE \u039B\u0391\u03A3 \u0416 \u706F",
                 "the \u00E4pfel stra\u00DFe \u03BB\u03B1\u03C3 \u0436 \u706F");
    expect_split(tokenizer, "A\u0308 \u0130x \U00010400", "a\u0308 i\u0307x \U00010428");
    tokenizer_close(tokenizer);
}

static void invalid_text_is_an_error_with_its_position(void **state)
{
    static const enum tokenizer_kind kinds[] = {TOKENIZER_SENTENCEPIECE, TOKENIZER_BPE,
                                                TOKENIZER_WHITESPACE};
    static const char *const files[] = {"unigram.model", "codes", NULL};
    for (int i = 0; i < 3; i++) {
        struct tokenizer *tokenizer = golden_tokenizer(kinds[i], files[i]);
        struct strings pieces = {0};
        struct status status;
        assert_true(tokenizer_split(tokenizer, "fine", &pieces, &status));
        assert_false(tokenizer_split(tokenizer, "ab \xED\xA0\x80", &pieces, &status));
        assert_int_equal(status.code, STATUS_INVALID);
        assert_string_equal(status.message, "byte 3: invalid UTF-8");
        assert_int_equal(pieces.count, 0);
        assert_true(tokenizer_split(tokenizer, "fine again", &pieces, &status));
        assert_true(pieces.count >= 2);
        strings_free(&pieces);
        tokenizer_close(tokenizer);
    }
}

/* 100 000 characters, with and without blanks. */
static char *long_line(const char *unit)
{
    enum { BYTES = 100000 };
    size_t length = strlen(unit);
    char *line = calloc(BYTES + length + 1, 1);
    for (size_t at = 0; at < BYTES; at += length)
        memcpy(line + at, unit, length);
    return line;
}

static void a_very_long_line_comes_back_whole(void **state)
{
    static const char *const units[] = {"the lamp ", "a", "\u706F\u53F0", "x\u0301"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char *line = long_line(units[i]);
        for (int model = 0; model < MODELS; model++) {
            struct status status;
            struct strings pieces = {0};
            struct tokenizer *tokenizer =
                golden_tokenizer(TOKENIZER_SENTENCEPIECE, file_name(models[model], ".model"));
            assert_true(tokenizer_split(tokenizer, line, &pieces, &status));
            char *joined =
                tokenizer_join(tokenizer, (const char *const *)pieces.text, pieces.count, &status);
            assert_non_null(joined);
            size_t length = strlen(joined); // the blank at the end is normalised away
            assert_true(length + 1 >= strlen(line) && strncmp(joined, line, length) == 0);
            free(joined);
            strings_free(&pieces);
            tokenizer_close(tokenizer);
        }
        free(line);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_positions_of_what_is_invalid),
        cmocka_unit_test(vocabulary_finds_the_lowest_of_duplicates),
        cmocka_unit_test(pieces_have_the_scripts_of_their_letters),
        cmocka_unit_test(vocabularies_tell_whether_texts_have_blanks),
        cmocka_unit_test(vocabulary_needs_no_last_newline),
        cmocka_unit_test(vocabulary_keeps_every_piece_of_many),
        cmocka_unit_test(vocabulary_errors_name_the_line),
        cmocka_unit_test(words_begin_where_the_tokeniser_says),
        cmocka_unit_test(sentencepiece_equals_the_package),
        cmocka_unit_test(sentencepiece_joins_pieces_that_no_text_gives),
        cmocka_unit_test(sentencepiece_shows_blanks_of_pieces_it_does_not_have),
        cmocka_unit_test(a_line_break_is_a_blank),
        cmocka_unit_test(whitespace_splits_at_blanks_and_tabs),
        cmocka_unit_test(lower_case_character_by_character),
        cmocka_unit_test(invalid_text_is_an_error_with_its_position),
        cmocka_unit_test(a_very_long_line_comes_back_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
