/* Scripts written without blanks between words, and the words of pieces in such texts.
 *
 * In a text without blanks, a piece begins a word when the script changes: in Japanese, runs of
 * Han, Hiragana, Katakana and other letters are words. Thai, Lao, Burmese, Khmer and Chinese have
 * no such runs: each piece of their letters is a word. No dictionaries are used, so that results
 * are the same on every machine.
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

/* How words are separated. */
enum spacing_kind { SPACED, UNSPACED_PIECES, UNSPACED_RUNS };

/* The scripts of a piece's first and last letter, without its marks, as bits of its class (text.h);
 * with UNSPACED_PIECES also WORD_APART if the first one is in SCRIPT_UNSPACED. */
uint8_t script_class(enum spacing_kind spacing, enum piece_marks marks, const char *piece);

/* Classifies a vocabulary by its pieces that begin or end with letters of unspaced scripts. It is
 * for texts without blanks if at most a quarter of these begin or end a word by their marks, and
 * Japanese (UNSPACED_RUNS) if at least a quarter begin or end with Kana. */
enum spacing_kind scripts_spacing(const struct vocabulary *vocabulary, enum piece_marks marks);

#endif
