/* Decodes and encodes single UTF-8 characters. Text is valid UTF-8 unless stated otherwise
 * (utf8_invalid of text.h checks it). Only check_utf8 can fail; nothing allocates. */
#ifndef ATTNSCOPE_UTF8_H
#define ATTNSCOPE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Length in bytes of the character that begins with `lead`: 1 to 4. */
size_t utf8_length(char lead);

/* Length in bytes of the valid character at the beginning of `text`, which may have any bytes; 0:
 * none. */
size_t utf8_valid_length(const char *text, size_t bytes);

/* The character at `text`; *length: its length in bytes. */
uint32_t utf8_decode(const char *text, size_t *length);

/* Writes `character` (a code point) to `out`, at most 4 bytes; returns the number written. */
size_t utf8_encode(uint32_t character, char *out);

/* True if a character has Unicode's property White_Space. */
bool utf8_is_space(uint32_t character);

/* True if a character is punctuation: in Unicode's categories Pc, Pd, Ps, Pe, Pi, Pf or Po. */
bool utf8_is_punctuation(uint32_t character);

/* Checks that text is UTF-8; the message gives the 1-based byte position. */
bool check_utf8(const char *text, struct status *status);

#endif
