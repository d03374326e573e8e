/* Scripts that are written without blanks between words, and the words of pieces in such texts.
 *
 * Where a text has no blanks, a piece begins a word when the script changes: in Japanese runs of Han,
 * of Hiragana, of Katakana and of other letters are words. Thai, Lao, Burmese and Khmer have no such
 * runs, nor has Chinese: pieces of their letters are words each. Nothing here depends on dictionaries, so that a model's results do not depend on which
 * of them a machine has.
 */
#ifndef ATTNSCOPE_SCRIPTS_H
#define ATTNSCOPE_SCRIPTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/text/text.h"

enum script {
    SCRIPT_OTHER,
    SCRIPT_HIRAGANA,
    SCRIPT_KATAKANA,
    SCRIPT_UNSPACED // Han, Thai, Lao, Burmese, Khmer
};
enum script script_of(uint32_t letter);

/* How words are told apart. */
enum spacing_kind { SPACED, UNSPACED_PIECES, UNSPACED_RUNS };

/* The scripts of a piece's first and last letter, its marks left out, as bits of its class (text.h);
 * with UNSPACED_PIECES also WORD_APART where the first one is of SCRIPT_UNSPACED. */
uint8_t script_class(enum spacing_kind spacing, enum piece_marks marks, const char *piece);

/* A vocabulary is of texts without blanks if of its pieces that begin or end with letters of such
 * scripts at most a quarter begin or end a word by their marks; it is Japanese (UNSPACED_RUNS) if at
 * least a quarter of them begin or end with Kana. */
enum spacing_kind scripts_spacing(const struct vocabulary *vocabulary, enum piece_marks marks);

#endif
