/* Text as GPT-2's byte-level BPE sees it (Radford et al. 2019): a printable character stands for
 * every byte, "Ġ" for a blank, so that no text is unknown. Text is cut into words before merges
 * apply.
 *
 * Pure functions on valid UTF-8; only the bytes that byte_level_decode appends need not be UTF-8.
 */
#ifndef ATTNSCOPE_BYTE_LEVEL_H
#define ATTNSCOPE_BYTE_LEVEL_H

#include "model/text/buffer.h"

/* Bytes of the first word of a text that is not empty, its blank before it included: GPT-2's
 * pattern 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
size_t byte_level_word(const char *text, size_t bytes);

/* Appends the characters that stand for bytes. */
bool byte_level_encode(const char *text, size_t bytes, struct text_buffer *out,
                       struct status *status);

/* Appends the bytes that characters stand for; one that stands for none is written as it is. */
bool byte_level_decode(const char *text, struct text_buffer *out, struct status *status);

#endif
