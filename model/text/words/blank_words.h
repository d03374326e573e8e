/* Words separated by blanks, as counted in files of word alignments, and texts without blanks
 * between words. Blanks are those of ASCII. Text is UTF-8.
 */
#ifndef ATTNSCOPE_BLANK_WORDS_H
#define ATTNSCOPE_BLANK_WORDS_H

#include "model/text/words/piece_words.h"

/* Borrows the text; the caller frees the ranges; after a failure there are none. */
bool blank_words_find(const char *text, struct text_words *out, struct status *status);

/* Counts a text's letters in scripts written without blanks between words: Thai, Lao, Burmese,
 * Khmer, Han, Kana. */
int unspaced_letters(const char *text);

/* Decides if texts are in such a script and have no blanks between words, that is, have many
 * letters per word. Zero-initialise; add each text, then call spacing_unspaced. */
struct spacing {
    int64_t letters, words; // in such scripts; words with at least one of them
};
void spacing_add(struct spacing *spacing, const char *text);
bool spacing_unspaced(const struct spacing *spacing);
enum { UNSPACED_LETTERS_MOST = 8 }; // greatest mean letters per word in text with blanks

#endif
