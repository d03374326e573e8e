/* Words that blanks separate, as files of word alignments count them, and which of them the pieces of a tokeniser
 * are of. Blanks are those of ASCII. Text is UTF-8.
 */
#ifndef ATTNSCOPE_BLANK_WORDS_H
#define ATTNSCOPE_BLANK_WORDS_H

#include "model/text/text.h"

int blank_words_count(const char *text);

/* Writes the word (from 0) of each piece. The letters of all pieces are those of the text, or nearly: where a tokeniser
 * changes them (case, forms of Unicode, escapes) they are matched with as few edits as possible. A piece of several
 * words is of the one that most of its letters are of; one without letters is of the same word as the piece after it.
 *   pieces: (count), what each spells, without marks (tokenizer_join_word)
 *   words: (count), -1 where the text has no word */
bool blank_words_of_pieces(const char *text, const char *const *pieces, int count, int *words,
                           struct status *status);

/* Letters of scripts that are written without blanks between words, in a text: Thai, Lao, Burmese, Khmer, Han, Kana. */
int unspaced_letters(const char *text);

/* Whether texts are of such a script and have no blanks between words: few letters a word. Zero-initialised; add each
 * text, then ask. */
struct spacing {
    int64_t letters, words; // of such scripts; words with at least one of them
};
void spacing_add(struct spacing *spacing, const char *text);
bool spacing_unspaced(const struct spacing *spacing);
enum { UNSPACED_LETTERS_MOST = 8 }; // of a word where there are blanks, on average

#endif
