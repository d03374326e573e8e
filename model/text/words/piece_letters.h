/* Letters that can be compared whatever a tokeniser does to a text (NFKC, lower case, Moses' escapes, bytes for rare
 * characters): without blanks, accents and marks, in Unicode's compatibility decomposition, without case.
 */
#ifndef ATTNSCOPE_PIECE_LETTERS_H
#define ATTNSCOPE_PIECE_LETTERS_H

#include "model/text/text.h"

/* A letter, and the words or pieces first … last (from 0) that it belongs to. */
struct letter {
    int32_t code;
    int first, last;
};

/* Zero-initialise before the first use. */
struct letters {
    struct letter *list; // (count)
    int count;
    size_t capacity;
};
void letters_free(struct letters *letters); // leaves it empty

/* Adds the letters of `bytes` bytes of a text, of one word. A byte that is no UTF-8 is a letter, too. */
bool letters_add_text(struct letters *letters, const char *text, size_t bytes, int word,
                      struct status *status);

/* Adds what the pieces of a tokeniser spell. A letter whose bytes are in several pieces belongs to all of them.
 *   pieces: (count), UTF-8; NULL: one that spells nothing; `marks`: as of tokenizer_marks */
bool letters_add_pieces(struct letters *letters, enum piece_marks marks, const char *const *pieces,
                        int count, struct status *status);

#endif
