/* Words made of tokens: where words end, and what to do in texts without spaces. */
#include "report/labels.h"
#include "tests/support/test.h"

enum { TOKENS_MOST = 12 };

/* Tokens as they are in a sentence, and how many words they are shown as. */
static const struct {
    const char *texts[TOKENS_MOST];
    int words[TOKENS_MOST];
    int shown;
    bool unspaced;
} cases[] = {
    {{"▁The", "▁dog", "s", "</s>"}, {0, 1, 1, 2}, 3, false},
    {{"▁dog", "s", "</s>"}, {0, 0, 1}, 2, false}, // one word of several tokens is one
    {{"▁彼は", "歌", "も", "歌", "える", "。", "</s>"}, {0, 0, 0, 0, 0, 0, 1}, 7, true},
    {{"▁犬", "</s>"}, {0, 1}, 2, false},                                // a word as any
    {{"▁彼", "▁は", "▁歌", "える", "</s>"}, {0, 1, 2, 2, 3}, 4, false}, // cut into words before
    {{"▁私はここで働いて", "います", "▁Android", "です", "</s>"}, {0, 0, 1, 1, 2}, 3, false},
    {{"▁私はここで働いて", "いますが、", "▁あの", "人はどこで", "働いていますか", "</s>"},
     {0, 0, 1, 1, 1, 2},
     6,
     true}, // hardly any space
    {{"▁ฉัน", "รัก", "คุณ", "</s>"}, {0, 0, 0, 1}, 4, true},
    {{"▁the", "▁ｶﾞ", "▁dog", "</s>"}, {0, 1, 2, 3}, 4, false},              // a word among others
    {{"▁나는", "▁학교", "에", "▁간다", "</s>"}, {0, 1, 1, 2, 3}, 4, false}, // Korean has spaces
};

static struct token_list tokens_of(size_t i)
{
    struct token_list tokens = {.texts = cases[i].texts, .words = cases[i].words};
    while (tokens.count < TOKENS_MOST && cases[i].texts[tokens.count])
        tokens.count++;
    return tokens;
}

static void words_are_told_apart_by_spaces_where_there_are_any(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct token_list tokens = tokens_of(i);
        struct word_list words;
        struct status status;
        assert_true(words_of(&tokens, &words, &status));
        if (words.count != cases[i].shown || words_unspaced(&tokens) != cases[i].unspaced)
            fail_msg("%s: %d words, %s spaces", cases[i].texts[0], words.count,
                     words_unspaced(&tokens) ? "no" : "with");
        assert_int_equal(words.begin[words.count], tokens.count);
        free(words.begin);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_told_apart_by_spaces_where_there_are_any),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
