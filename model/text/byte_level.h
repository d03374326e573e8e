/* Text as seen by GPT-2's byte-level BPE (Radford et al. 2019): a printable character represents
 * each byte, "Ġ" a blank, so that no text is unknown. Text is cut into words before merges apply.
 *
 * Pure functions on valid UTF-8, except that byte_level_decode may append bytes that are not UTF-8.
 */
#ifndef ATTNSCOPE_BYTE_LEVEL_H
#define ATTNSCOPE_BYTE_LEVEL_H

#include "model/text/buffer.h"

/* Bytes of the first word of a non-empty text, including the blank before it: GPT-2's pattern
 * 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ */
size_t byte_level_word(const char *text, size_t bytes);

/* Appends the characters that represent the bytes. */
bool byte_level_encode(const char *text, size_t bytes, struct text_buffer *out,
                       struct status *status);

/* Appends the bytes that characters represent; writes other characters unchanged. */
bool byte_level_decode(const char *text, struct text_buffer *out, struct status *status);

#endif
