/* UTF-8 by hand: single characters, for what walks over text. Text is valid UTF-8 unless said
 * otherwise (utf8_invalid of text.h checks it). Nothing here fails or allocates. */
#ifndef ATTNSCOPE_UTF8_H
#define ATTNSCOPE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Bytes of the character that begins with `lead`: 1 to 4. */
size_t utf8_length(char lead);

/* The character at `text`; *length gets its bytes. */
uint32_t utf8_decode(const char *text, size_t *length);

/* Writes `character` (a code point) to out (4 bytes at most) and returns the bytes written. */
size_t utf8_encode(uint32_t character, char *out);

#endif
