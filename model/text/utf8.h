/* Decoding and encoding single UTF-8 characters. Text is valid UTF-8 unless said
 * otherwise (utf8_invalid of text.h checks it). Nothing here but check_utf8 fails; nothing
 * allocates. */
#ifndef ATTNSCOPE_UTF8_H
#define ATTNSCOPE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Bytes of the character that begins with `lead`: 1 to 4. */
size_t utf8_length(char lead);

/* Bytes of the valid character that `text`, of any bytes, begins with; 0: it begins with none. */
size_t utf8_valid_length(const char *text, size_t bytes);

/* The character at `text`; *length gets its bytes. */
uint32_t utf8_decode(const char *text, size_t *length);

/* Writes `character` (a code point) to out (4 bytes at most) and returns the bytes written. */
size_t utf8_encode(uint32_t character, char *out);

/* True if a character is white space, as Unicode's property of that name has it. */
bool utf8_is_space(uint32_t character);

/* True if a character is punctuation: of one of Unicode's categories Pc, Pd, Ps, Pe, Pi, Pf and
 * Po. */
bool utf8_is_punctuation(uint32_t character);

/* Checks that text is UTF-8; the message gives the 1-based byte position. */
bool check_utf8(const char *text, struct status *status);

#endif
