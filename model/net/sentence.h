/* Text to token ids of a model, and token ids to text. */
#ifndef ATTNSCOPE_SENTENCE_H
#define ATTNSCOPE_SENTENCE_H

#include "base/status.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/config_languages.h"
#include "model/text/conllu/conllu.h"

enum { LANGUAGE_CODE_BYTES = 32 };

/* Zero-initialise before the first use; sentence_encode replaces the content. */
struct sentence {
    struct strings pieces; // of the tokeniser; prefix and suffix as in the vocabulary
    int *ids;              // (count), unknown pieces as unk
    int *words;            // (count), 0-based word of each token
    int count;             // with prefix and suffix; may be 0
    int before,
        behind; // tokens around its text: prefix, with a language that the text names, and suffix
    struct language_pair languages; // its language, and that of its translations
    char unknown
        [LANGUAGE_CODE_BYTES]; // the language that the text names and the model does not know; or ""
};

/* True if a text begins with the token of a language that the model does not know, of a model whose
 * sources may begin with such tokens; `code` gets it. */
bool sentence_names_unknown(const struct checkpoint *checkpoint, const char *text,
                            char code[LANGUAGE_CODE_BYTES]);

/* With the languages of the configuration. A text that begins with the token of a language
 * (">>fra<< the cat") names the one to translate into, where sources begin with such a token; that
 * of `languages` is then not put before it. */
bool sentence_encode(const struct checkpoint *checkpoint, const char *text,
                     struct sentence *sentence, struct status *status);
/* A source that a model is to read: text that is no UTF-8, and more tokens than max_positions, are
 * errors. */
bool source_encode(const struct checkpoint *checkpoint, const struct language_pair *languages,
                   const char *text, struct sentence *sentence, struct status *status);
/* words: (sentence->count) gets the word of a CoNLL-U sentence, from 0, that each token belongs to,
 * as piece_words.h says; -1: prefix, suffix and end-of-sentence, which belong to none. `text`: what
 * was encoded, the text of both. */
bool sentence_conllu_words(const struct checkpoint *checkpoint, const struct sentence *sentence,
                           const char *text, const struct conllu_sentence *conllu, int *words,
                           struct status *status);
/* Start token `i` of a sentence's translations. */
int start_token(const struct config *config, int i, const struct sentence *sentence);
bool sentence_copy(const struct sentence *from, struct sentence *to, struct status *status);
void sentence_free(struct sentence *sentence); // leaves it empty

/* A given translation as ids of the target vocabulary, end-of-sentence appended; *ids is freed by
 * the caller. Returns the count, or -1. */
int target_encode(const struct checkpoint *checkpoint, const char *text, int **ids,
                  struct status *status);
/* Checks that the decoder has positions for a target of so many tokens. */
bool target_check(const struct checkpoint *checkpoint, int count, struct status *status);
/* target_encode of a text that may not be UTF-8 or too long: these are errors. */
int given_encode(const struct checkpoint *checkpoint, const char *text, int **ids,
                 struct status *status);
/* The beginnings of words on the target side: the WORD_… bits of a piece of the vocabulary, and
 * the 0-based word of each decoder input (start tokens, then the target without its last token).
 * inputs and words: (count). */
uint8_t target_class(const struct checkpoint *checkpoint, int id);
void number_target_words(const struct checkpoint *checkpoint, const int *inputs, int count,
                         int *words);

/* The text that target ids spell; special tokens (pad, end-of-sentence) and start tokens are left
 * out, an unknown token shows as the vocabulary spells it. The caller frees it; NULL: status. */
char *target_text(const struct checkpoint *checkpoint, const int *ids, int count,
                  struct status *status);

#endif
