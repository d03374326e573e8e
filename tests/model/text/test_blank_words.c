/* Which words of a text, as blanks separate them, pieces are of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/text/blank_words.h"

enum { PIECES_MOST = 12 };

struct example {
    const char *text;
    const char *pieces[PIECES_MOST]; // NULL at the end
    int words[PIECES_MOST];
};

static void check(const struct example *example)
{
    int words[PIECES_MOST], count = 0;
    struct status status;
    while (example->pieces[count])
        count++;
    assert_true(blank_words_of_pieces(example->text, example->pieces, count, words, &status));
    for (int i = 0; i < count; i++)
        if (words[i] != example->words[i])
            fail_msg("\"%s\": piece %d, \"%s\", is of word %d, expected %d", example->text, i,
                     example->pieces[i], words[i], example->words[i]);
}

static void pieces_are_of_the_words_that_they_spell(void **unused)
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
    (void)unused;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check(&examples[i]);
}

static void forms_of_letters_do_not_matter(void **unused)
{
    static const struct example examples[] = {
        {"Die GROẞE Straße", {"die", "grosse", "straß", "e"}, {0, 1, 2, 2}},
        {"ﬁne Caf\u00e9", {"fi", "ne", "cafe\u0301"}, {0, 0, 1}},
        {"½ ｋｍ …", {"1\u20442", "km", "..", "."}, {0, 1, 2, 2}},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check(&examples[i]);
}

static void pieces_that_spell_otherwise_stand_where_the_text_has_what_they_are_for(void **unused)
{
    static const struct example examples[] = {
        {"it 's a test", {"it", "&apos;s", "a", "test"}, {0, 1, 2, 3}},
        {"see \u732b now", {"see", "<unk>", "now"}, {0, 1, 2}},
        {"naïve idea", {"naive", "idea"}, {0, 1}},
        {"a \U0001F600 b", {"a", "\xf0\x9f", "\x98\x80", "b"}, {0, 1, 1, 2}},
        {"one two three", {"one", "three"}, {0, 2}},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check(&examples[i]);
}

/* Too long to be compared letter by letter: in proportion. */
static void long_texts_that_differ_end(void **unused)
{
    enum { BYTES = 200000 };
    char *text = malloc(BYTES + 1), *piece = malloc(BYTES + 1);
    int word;
    struct status status;
    (void)unused;
    assert_true(text && piece);
    memset(text, 'a', BYTES);
    memset(piece, 'b', BYTES);
    text[BYTES] = piece[BYTES] = '\0';
    assert_true(blank_words_of_pieces(text, (const char *const[]){piece}, 1, &word, &status));
    assert_int_equal(word, 0);
    free(text);
    free(piece);
}

static void words_are_counted_by_blanks(void **unused)
{
    (void)unused;
    assert_int_equal(blank_words_count(""), 0);
    assert_int_equal(blank_words_count(" \t "), 0);
    assert_int_equal(blank_words_count("Das ist  gut .\r"), 4);
    assert_int_equal(blank_words_count("no\u00a0break"), 1);
}

static void texts_without_blanks_are_told_apart(void **unused)
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
    (void)unused;
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
        cmocka_unit_test(words_are_counted_by_blanks),
        cmocka_unit_test(texts_without_blanks_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
