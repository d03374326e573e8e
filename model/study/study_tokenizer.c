#include "model/study/study_tokenizer.h"

#include <stdint.h>
#include <string.h>

#include "model/text/utf8.h"
#include "model/text/words/blank_words.h"

/* Letters, by script. */
struct letters {
    int64_t all, hangul, kana, han;
};

static bool is_in(uint32_t character, uint32_t first, uint32_t last)
{
    return character >= first && character <= last;
}

static void count_letters(struct letters *letters, const char *text)
{
    size_t length;
    for (; *text; text += length) {
        uint32_t c = utf8_decode(text, &length);
        if (c <= ' ' || utf8_is_space(c) || utf8_is_punctuation(c))
            continue;
        letters->all++;
        letters->hangul += is_in(c, 0xAC00, 0xD7A3);
        letters->kana += is_in(c, 0x3041, 0x30FF);
        letters->han += is_in(c, 0x3400, 0x9FFF);
    }
}

/* Texts that were cut into words before have fewer letters between two blanks. */
static bool lacks_blanks(const struct spacing *spacing)
{
    enum { LETTERS_OF_CUT_WORDS = 4 };
    return spacing->letters > LETTERS_OF_CUT_WORDS * spacing->words;
}

const char *better_tokenizer(enum bleu_tokenizer used, const char *const *texts, int count)
{
    enum { SHARE = 20 }; // Japanese has more kana than one letter in twenty
    struct letters letters = {0};
    struct spacing spacing = {0};
    if (used != BLEU_13A && used != BLEU_INTL && used != BLEU_NONE)
        return NULL;
    for (int i = 0; i < count; i++) {
        count_letters(&letters, texts[i]);
        spacing_add(&spacing, texts[i]);
    }
    if (letters.hangul > letters.all / 2)
        return "ko-mecab";
    if (spacing.letters <= letters.all / 2 || !lacks_blanks(&spacing))
        return NULL;
    if (letters.kana > letters.all / SHARE)
        return "ja-mecab";
    return letters.han > letters.all / 2 ? "zh" : "flores200";
}
