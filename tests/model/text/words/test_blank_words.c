/* Words of a text, separated by blanks, and the pieces that belong to them. */
#include "model/text/words/blank_words.h"
#include "tests/support/test.h"

enum { PIECES_MOST = 12 };

struct example {
    const char *text;
    const char *pieces[PIECES_MOST]; // NULL at the end
    int words[PIECES_MOST];
};

static void find_words(const char *text, const char *const *pieces, int count, int *words)
{
    struct text_words of_text;
    struct status status;
    assert_true(blank_words_find(text, &of_text, &status));
    assert_true(piece_words(&of_text, MARKS_NONE, pieces, count, words, &status));
    free(of_text.ranges);
}

static void check(const struct example *example)
{
    int words[PIECES_MOST], count = 0;
    while (example->pieces[count])
        count++;
    find_words(example->text, example->pieces, count, words);
    for (int i = 0; i < count; i++)
        if (words[i] != example->words[i])
            fail_msg("\"%s\": piece %d, \"%s\", is of word %d, expected %d", example->text, i,
                     example->pieces[i], words[i], example->words[i]);
}

static void pieces_are_of_the_words_that_they_spell(void **state)
{
    static const struct example examples[] = {
        {"the dog sleeps.", {"the", "dog", "sleep", "s", "."}, {0, 1, 2, 2, 2}},
        {"  a\tb  ", {"a", "b"}, {0, 1}},
        {"ein Haus", {"", "ein", "", "Haus", ""}, {0, 0, 1, 1, 1}},
        {"a b", {"ab"}, {0}}, // of two words: of the first
        {"x", {"x"}, {0}},
        {"", {"x"}, {-1}},
        {"gut", {NULL}, {0}},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check(&examples[i]);
}

static void forms_of_letters_do_not_matter(void **state)
{
    static const struct example examples[] = {
        {"Die GROẞE Straße", {"die", "grosse", "straß", "e"}, {0, 1, 2, 2}},
        {"ﬁne Caf\u00e9", {"fi", "ne", "cafe\u0301"}, {0, 0, 1}},
        {"½ ｋｍ …", {"1\u20442", "km", "..", "."}, {0, 1, 2, 2}},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check(&examples[i]);
}

static void pieces_that_spell_otherwise_stand_where_the_text_has_what_they_are_for(void **state)
{
    static const struct example examples[] = {
        {"it 's a test", {"it", "&apos;s", "a", "test"}, {0, 1, 2, 3}},
        {"see \u732b now", {"see", "<unk>", "now"}, {0, 1, 2}},
        {"naïve idea", {"naive", "idea"}, {0, 1}},
        {"a \U0001F600 b", {"a", "\xf0\x9f", "\x98\x80", "b"}, {0, 1, 1, 2}},
        {"one two three", {"one", "three"}, {0, 2}},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check(&examples[i]);
}

/* Too long to be compared letter by letter: in proportion. */
static void long_texts_that_differ_end(void **state)
{
    enum { BYTES = 200000 };
    char *text = malloc(BYTES + 1), *piece = malloc(BYTES + 1);
    int word;
    assert_true(text && piece);
    memset(text, 'a', BYTES);
    memset(piece, 'b', BYTES);
    text[BYTES] = piece[BYTES] = '\0';
    find_words(text, (const char *const[]){piece}, 1, &word);
    assert_int_equal(word, 0);
    free(text);
    free(piece);
}

static void check_ranges(const char *text, const char *const *words)
{
    struct text_words found;
    struct status status;
    int count = 0;
    assert_true(blank_words_find(text, &found, &status));
    for (; words[count]; count++) {
        const struct text_range *range = &found.ranges[count];
        assert_true(count < found.count);
        assert_int_equal(range->end - range->begin, strlen(words[count]));
        assert_memory_equal(text + range->begin, words[count], strlen(words[count]));
    }
    assert_int_equal(found.count, count);
    free(found.ranges);
}

static void blanks_separate_words(void **state)
{
    check_ranges("", (const char *[]){NULL});
    check_ranges(" \t ", (const char *[]){NULL});
    check_ranges("Das ist  gut .\r", (const char *[]){"Das", "ist", "gut", ".", NULL});
    check_ranges("no\u00a0break", (const char *[]){"no\u00a0break", NULL});
}

static void texts_without_blanks_are_told_apart(void **state)
{
    static const struct {
        const char *text;
        bool unspaced;
    } cases[] = {
        {"カラスが屋根の上で鳴いている。", true},
        {"カラス が 屋根 の 上 で 鳴いている 。", false},
        {"the dog", false},
        {"はい", false},
        {"", false},
        {"นกกำลังบินอยู่บนฟ้า", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spacing spacing = {0};
        spacing_add(&spacing, cases[i].text);
        if (spacing_unspaced(&spacing) != cases[i].unspaced)
            fail_msg("\"%s\"", cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_of_the_words_that_they_spell),
        cmocka_unit_test(forms_of_letters_do_not_matter),
        cmocka_unit_test(pieces_that_spell_otherwise_stand_where_the_text_has_what_they_are_for),
        cmocka_unit_test(long_texts_that_differ_end),
        cmocka_unit_test(blanks_separate_words),
        cmocka_unit_test(texts_without_blanks_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
