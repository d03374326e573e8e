/* SentencePiece's compiled table of normalisation rules (precompiled_charsmap), applied as Hugging
 * Face's tokenizers do it: to short grapheme clusters as a whole, or else character by character.
 *
 * The table: the bytes of a double array (Darts-clone) as 32 bits, its units, and NUL-terminated
 * replacements.
 */
#ifndef ATTNSCOPE_CHARSMAP_H
#define ATTNSCOPE_CHARSMAP_H

#include "model/text/buffer.h"

/* Refuses a table that leads outside of itself or in circles, or on which libsentencepiece would
 * write beyond its arrays. No bytes are a table without rules. Messages do not say whose table it
 * is. */
bool charsmap_check(const void *table, size_t bytes, struct status *status);

/* Appends the text (valid UTF-8) with the rules of a checked table applied. */
bool charsmap_apply(const void *table, size_t bytes, const char *text, struct text_buffer *out,
                    struct status *status);

#endif
