/* Maps a tokeniser's pieces to the words of a text: words separated by blanks (blank_words.h), or
 * those of a CoNLL-U file (conllu.h). Compares letter by letter (piece_letters.h, letter_places.h).
 */
#ifndef ATTNSCOPE_PIECE_WORDS_H
#define ATTNSCOPE_PIECE_WORDS_H

#include "model/text/text.h"

/* Words of a text, in order. */
struct text_words {
    const char *text; // UTF-8
    struct text_range {
        int begin, end; // bytes of the text
    } * ranges;         // (count)
    int count;
};

/* of_piece: (count), receives the word of each piece, from 0; -1: none.
 *   pieces: (count), UTF-8, as split by the tokeniser; NULL: a special token, which belongs to
 *     no word; "": a piece with unknown characters. `marks`: from tokenizer_marks
 * A piece with letters of several words belongs to the word with most of them, the first of equals.
 * One without letters belongs to the next word (or the last, if there is none). A word may have no
 * piece. */
bool piece_words(const struct text_words *words, enum piece_marks marks, const char *const *pieces,
                 int count, int *of_piece, struct status *status);

#endif
