/* Words that blanks separate, as files of word alignments count them, and texts that have no blanks
 * between words. Blanks are those of ASCII. Text is UTF-8.
 */
#ifndef ATTNSCOPE_BLANK_WORDS_H
#define ATTNSCOPE_BLANK_WORDS_H

#include "model/text/words/piece_words.h"

/* The text is borrowed, the ranges are the caller's to free; after a failure there are none. */
bool blank_words_find(const char *text, struct text_words *out, struct status *status);

/* Letters of scripts that are written without blanks between words, in a text: Thai, Lao, Burmese,
 * Khmer, Han, Kana. */
int unspaced_letters(const char *text);

/* True if texts are of such a script and have no blanks between words: few letters a word.
 * Zero-initialised; add each text, then ask. */
struct spacing {
    int64_t letters, words; // of such scripts; words with at least one of them
};
void spacing_add(struct spacing *spacing, const char *text);
bool spacing_unspaced(const struct spacing *spacing);
enum { UNSPACED_LETTERS_MOST = 8 }; // of a word where there are blanks, on average

#endif
