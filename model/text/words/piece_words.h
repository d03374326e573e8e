/* The words of a text that a tokeniser's pieces belong to: words that blanks separate
 * (blank_words.h), or those of a CoNLL-U file (conllu.h). They are compared letter by letter
 * (piece_letters.h, letter_places.h).
 */
#ifndef ATTNSCOPE_PIECE_WORDS_H
#define ATTNSCOPE_PIECE_WORDS_H

#include "model/text/text.h"

/* Words of a text, in their order. */
struct text_words {
    const char *text; // UTF-8
    struct text_range {
        int begin, end; // bytes of the text
    } * ranges;         // (count)
    int count;
};

/* of_piece: (count) gets the word of each piece, from 0; -1: none.
 *   pieces: (count), UTF-8, as the tokeniser cut the text; NULL: a special token, which belongs to
 *     no word; "": one whose characters are not known. `marks`: as of tokenizer_marks
 * A piece that spells letters of several words belongs to that of most of them, of equals to the
 * first. One that spells none belongs to the word that comes next (the last word if none does). A
 * word may have no piece. */
bool piece_words(const struct text_words *words, enum piece_marks marks, const char *const *pieces,
                 int count, int *of_piece, struct status *status);

#endif
