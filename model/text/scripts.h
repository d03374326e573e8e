/* Scripts that are written without blanks between words, and the words of pieces in such texts.
 *
 * Where a text has no blanks, a piece begins a word when the script changes: Hiragana, Katakana, and
 * all else are runs. Letters of Han, Thai, Lao, Burmese and Khmer have no such runs: their pieces are
 * words each. Nothing here depends on dictionaries, so that a model's results do not depend on which
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
    SCRIPT_PIECEWISE // Han, Thai, Lao, Burmese, Khmer
};
enum script script_of(uint32_t letter);

/* The scripts of a piece's first and last letter, its marks left out, as bits of its class (text.h).
 */
uint8_t script_class(enum piece_marks marks, const char *piece);

/* True if a vocabulary is of texts without blanks: of its pieces with letters of such scripts at most
 * a quarter begin or end a word by their marks. */
bool scripts_unspaced(const struct vocabulary *vocabulary, enum piece_marks marks);

#endif
