/* CoNLL-U files, and the assignment of their words to tokens. */
#include <stdlib.h>
#include <string.h>

#include "model/text/conllu/conllu.h"
#include "model/text/utf8.h"
#include "tests/fuzz/fuzz.h"

/* Assigns words to tokens made from the text itself: cut at a character after every fourth byte,
 * with some special and some empty ones. */
static void find_words(const struct conllu_sentence *sentence, const char *text,
                       enum piece_marks marks)
{
    enum { TOKENS_MOST = 64, BYTES = 4, BYTES_MOST = BYTES + 3 };
    char pieces[TOKENS_MOST][BYTES_MOST + 1] = {""};
    const char *list[TOKENS_MOST];
    int words[TOKENS_MOST], count = 0;
    struct text_words of_text;
    struct status status = {0};
    for (size_t at = 0, bytes; text[at] && count < TOKENS_MOST; at += bytes) {
        for (bytes = 0; text[at + bytes] && bytes < BYTES;)
            bytes += utf8_length(text[at + bytes]);
        memcpy(pieces[count], text + at, bytes);
        list[count] = pieces[count][0] == '~' ? NULL : pieces[count];
        if (pieces[count][0] == '!')
            pieces[count][0] = '\0';
        count++;
    }
    if (!conllu_words(sentence, text, &of_text, &status)) {
        fuzz_refused(&status);
        return;
    }
    bool ok = piece_words(&of_text, marks, list, count, words, &status);
    free(of_text.ranges);
    if (!ok) {
        fuzz_refused(&status);
        return;
    }
    for (int i = 0; i < count; i++)
        fuzz_check(words[i] >= -1 && words[i] < sentence->count && (list[i] || words[i] == -1),
                   "a token of a word that is not there");
}

static void check_words(const struct conllu_sentence *sentence, const char *text,
                        const struct conllu *conllu)
{
    for (int i = 0; i < sentence->count; i++) {
        const struct conllu_word *word = &sentence->words[i];
        fuzz_check(word->begin >= 0 && word->begin <= word->end &&
                       (size_t)word->end <= strlen(text),
                   "a word outside its text");
        fuzz_check(word->head <= sentence->count && word->upos < conllu->tags.count &&
                       word->relation < conllu->relations.count,
                   "a number out of range");
        fuzz_check(*word->form != '\0', "a word without a form");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    struct lines lines = {0};
    struct conllu conllu = {0};
    if (!sentences_read(fuzz_write("text.conllu", data, size), NULL, &lines, &conllu, &status))
        fuzz_refused(&status);
    else
        fuzz_check(conllu.count == 0 || conllu.count == lines.count, "sentences without words");
    for (int i = 0; i < lines.count && i < conllu.count; i++) {
        check_words(&conllu.sentences[i], lines.text[i], &conllu);
        for (int marks = 0; marks <= MARKS_JOINER; marks++)
            find_words(&conllu.sentences[i], lines.text[i], marks);
    }
    lines_free(&lines);
    conllu_free(&conllu);
    return 0;
}
