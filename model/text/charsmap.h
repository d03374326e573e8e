/* SentencePiece's compiled table of normalisation rules (precompiled_charsmap), applied as in
 * Hugging Face's tokenizers: to short grapheme clusters as a whole, or else character by character.
 *
 * The table: the size in bytes of a double array (Darts-clone) in 32 bits, its units, and
 * NUL-terminated replacements.
 */
#ifndef ATTNSCOPE_CHARSMAP_H
#define ATTNSCOPE_CHARSMAP_H

#include "model/text/buffer.h"

/* Refuses a table that leads outside itself or in circles, or that makes libsentencepiece write
 * beyond its arrays. An empty table has no rules. Messages do not name the table's owner. */
bool charsmap_check(const void *table, size_t bytes, struct status *status);

/* Appends the text (valid UTF-8) with the rules of a checked table applied. */
bool charsmap_apply(const void *table, size_t bytes, const char *text, struct text_buffer *out,
                    struct status *status);

#endif
