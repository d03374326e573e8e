/* Converts text to a model's token ids, and token ids to text. */
#ifndef ATTNSCOPE_SENTENCE_H
#define ATTNSCOPE_SENTENCE_H

#include "base/status.h"
#include "model/checkpoint/checkpoint.h"
#include "model/checkpoint/config_languages.h"
#include "model/text/conllu/conllu.h"

enum { LANGUAGE_CODE_BYTES = 32 };

/* Zero-initialise before the first use; sentence_encode replaces the content. */
struct sentence {
    struct strings pieces; // from the tokeniser; prefix and suffix as in the vocabulary
    int *ids;              // (count), unknown pieces as unk
    int *words;            // (count), 0-based word of each token
    int count;             // with prefix and suffix; may be 0
    int before,
        behind; // number of prefix tokens, including a language that the text names, and of suffix
                // tokens
    struct language_pair languages;    // source and target language
    char unknown[LANGUAGE_CODE_BYTES]; // the unknown language that the text names, or ""
};

/* True if the model's sources may begin with language tokens and the text begins with one that the
 * model does not know. Writes that language to `code`. */
bool sentence_names_unknown(const struct checkpoint *checkpoint, const char *text,
                            char code[LANGUAGE_CODE_BYTES]);

/* Encodes with the languages of the configuration. If the model's sources begin with a language
 * token, a text may name its target language with one (">>fra<< the cat"); the target of
 * `languages` is then not prepended. */
bool sentence_encode(const struct checkpoint *checkpoint, const char *text,
                     struct sentence *sentence, struct status *status);
/* Encodes a source for a model. Fails if the text is not valid UTF-8 or has more tokens than
 * max_positions. */
bool source_encode(const struct checkpoint *checkpoint, const struct language_pair *languages,
                   const char *text, struct sentence *sentence, struct status *status);
/* words: (sentence->count) receives the 0-based CoNLL-U word of each token, as defined in
 * piece_words.h; -1 for prefix, suffix and end-of-sentence. `text`: the encoded text, which both
 * share. */
bool sentence_conllu_words(const struct checkpoint *checkpoint, const struct sentence *sentence,
                           const char *text, const struct conllu_sentence *conllu, int *words,
                           struct status *status);
/* Start token `i` of a sentence's translations. */
int start_token(const struct config *config, int i, const struct sentence *sentence);
void sentence_free(struct sentence *sentence); // leaves it empty

/* Encodes a given translation with the target vocabulary and appends end-of-sentence. The caller
 * frees *ids. Returns the count, or -1. */
int target_encode(const struct checkpoint *checkpoint, const char *text, int **ids,
                  struct status *status);
/* Checks that the decoder has positions for a target of `count` tokens. */
bool target_check(const struct checkpoint *checkpoint, int count, struct status *status);
/* Like target_encode, but fails if the text is not valid UTF-8 or is too long. */
int given_encode(const struct checkpoint *checkpoint, const char *text, int **ids,
                 struct status *status);
/* Word boundaries on the target side: target_class returns the WORD_… bits of a vocabulary piece;
 * number_target_words writes the 0-based word of each decoder input (start tokens, then the target
 * without its last token). inputs and words: (count). */
uint8_t target_class(const struct checkpoint *checkpoint, int id);
void number_target_words(const struct checkpoint *checkpoint, const int *inputs, int count,
                         int *words);

/* The text of target ids. Special tokens (pad, end-of-sentence) and start tokens are omitted; an
 * unknown token appears as the vocabulary spells it. The caller frees it; NULL on failure. */
char *target_text(const struct checkpoint *checkpoint, const int *ids, int count,
                  struct status *status);

#endif
