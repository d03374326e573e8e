/* Pieces and the words that they belong to: expected words are worked out on paper. */
#include "model/text/words/piece_words.h"
#include "tests/support/test.h"

enum { TOKENS_MOST = 24, NONE = -1 };
static const char special[] = "special";

static const struct {
    const char *what;
    enum piece_marks marks;
    const char *words;               // as they are in the text; / between two without a blank
    const char *pieces[TOKENS_MOST]; // special: NULL to the function
    int expected[TOKENS_MOST];
} cases[] = {
    {"pieces of SentencePiece",
     MARKS_SENTENCEPIECE,
     "The gardener/.",
     {special, "▁The", "▁gar", "den", "er", ".", special},
     {NONE, 0, 1, 1, 1, 2, NONE}},
    {"a piece of two words is of the longer part, of equals of the first",
     MARKS_SENTENCEPIECE,
     "I do/n't/. a/b",
     {"▁I", "▁don", "'", "t.", "▁ab"},
     {0, 1, 2, 2, 4}},
    {"a piece of one more of the second", MARKS_SENTENCEPIECE, "do/n't", {"▁don't"}, {1}},
    {"a mark alone belongs to what comes next",
     MARKS_SENTENCEPIECE,
     "a 漢 b",
     {"▁a", "▁", "漢", "▁b", "▁"},
     {0, 1, 1, 2, 2}},
    {"bytes of one character",
     MARKS_SENTENCEPIECE,
     "a 漢/字",
     {"▁a", "▁", "<0xE6>", "<0xBC>", "<0xA2>", "字"},
     {0, 1, 1, 1, 1, 2}},
    {"bytes that are no character",
     MARKS_SENTENCEPIECE,
     "a b c",
     {"▁a", "▁", "<0xE6>", "▁c"},
     {0, 1, 1, 2}},
    {"compatibility forms, case and accents",
     MARKS_SENTENCEPIECE,
     "Ｃａｆé ½ … STRAẞE",
     {"▁caf", "e", "▁1", "⁄2", "▁...", "▁stra", "ss", "e"},
     {0, 0, 1, 1, 2, 3, 3, 3}},
    {"composed and decomposed",
     MARKS_SENTENCEPIECE,
     "Caf\u00e9 au",
     {"▁Cafe\u0301", "▁au"},
     {0, 1}},
    {"continuations of BPE",
     MARKS_BPE,
     "waters roses/.",
     {"wat@@", "ers", "ro@@", "ses", "."},
     {0, 0, 1, 1, 2}},
    {"escapes of Moses, cut or not",
     MARKS_BPE,
     "neighbor/'s \"/a/& b/\"",
     {"neighbor", "&apos;s", "&quot;", "a@@", "&am@@", "p;", "b", "&quot;"},
     {0, 1, 2, 3, 4, 4, 5, 6}},
    {"joiners", MARKS_JOINER, "well/-/known/.", {"well", "￭-￭", "known", "￭."}, {0, 1, 2, 3}},
    {"bytes of GPT-2", MARKS_BYTE_BPE, "a é b", {"a", "ĠÃ", "©", "Ġb"}, {0, 1, 1, 2}},
    {"unknown tokens take what is left out",
     MARKS_SENTENCEPIECE,
     "the zyx sees",
     {"▁the", "", "▁sees", special},
     {0, 1, 2, NONE}},
    {"other characters, as a normaliser may write them",
     MARKS_SENTENCEPIECE,
     "He said – “no/” now",
     {"▁He", "▁said", "▁-", "▁\"", "no", "\"", "▁now"},
     {0, 1, 2, 3, 3, 4, 5}},
    {"nothing alike", MARKS_NONE, "abc def", {"xyz", "uvw"}, {0, 1}},
    {"a token inserted", MARKS_NONE, "one two three", {"one", "@-@", "two", "three"}, {0, 1, 1, 2}},
    {"nothing but special tokens", MARKS_NONE, "one", {special}, {NONE}},
};

/* A text, and its words. */
struct text {
    char text[200];
    struct text_range ranges[TOKENS_MOST];
    struct text_words words;
};

static void make_text(const char *words, struct text *out)
{
    int at = 0, count = 0;
    *out = (struct text){.words = {out->text, out->ranges, 0}};
    out->ranges[0].begin = 0;
    for (const char *c = words; *c; c++) {
        if (*c == '/' || *c == ' ') {
            out->ranges[count].end = at;
            at += *c == ' ';
            out->text[at - (*c == ' ')] = *c == ' ' ? ' ' : '\0';
            out->ranges[++count].begin = at;
        } else {
            out->text[at++] = *c;
        }
    }
    out->ranges[count].end = at;
    out->text[at] = '\0';
    out->words.count = count + 1;
}

static void tokens_belong_to_words(void **state)
{
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct text text;
        struct status status;
        const char *pieces[TOKENS_MOST] = {NULL};
        int words[TOKENS_MOST], count = 0;
        make_text(cases[c].words, &text);
        for (; count < TOKENS_MOST && cases[c].pieces[count]; count++)
            pieces[count] = cases[c].pieces[count] == special ? NULL : cases[c].pieces[count];
        assert_true(piece_words(&text.words, cases[c].marks, pieces, count, words, &status));
        for (int i = 0; i < count; i++)
            if (words[i] != cases[c].expected[i])
                fail_msg("%s: \"%s\": token %d, \"%s\": word %d, expected %d", cases[c].what,
                         text.text, i, cases[c].pieces[i], words[i], cases[c].expected[i]);
    }
}

/* Word after word, from the first to the last: a token is never of a word before that of the token
 * before it. */
static void a_long_difference_does_not_spoil_the_rest(void **state)
{
    enum { LENGTH = 150 };
    char text[LENGTH + 16] = "abc";
    struct text_range ranges[3] = {{0, 3}, {3, 3 + LENGTH}};
    const struct text_words words = {text, ranges, 3};
    struct status status;
    int out[3];
    memset(text + 3, 'x', LENGTH);
    strcat(text, "the end");
    ranges[2] = (struct text_range){3 + LENGTH, (int)strlen(text)};
    const char *const pieces[] = {"abc", "", "the end"};
    assert_true(piece_words(&words, MARKS_NONE, pieces, 3, out, &status));
    for (int i = 0; i < 3; i++)
        assert_int_equal(out[i], i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_belong_to_words),
        cmocka_unit_test(a_long_difference_does_not_spoil_the_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
