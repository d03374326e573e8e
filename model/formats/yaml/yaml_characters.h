/* Characters that libyaml, a reader of YAML 1.1, takes as line breaks or refuses, although other
 * YAML readers treat them as ordinary: control characters, U+0085, U+2028, U+2029, U+FFFE and
 * U+FFFF, and bytes that are not UTF-8. Vocabularies have them in pieces. While libyaml reads the
 * text, private-use characters replace them: from U+F0000 for characters, U+10FF80 to U+10FFFF for
 * bytes.
 */
#ifndef ATTNSCOPE_YAML_CHARACTERS_H
#define ATTNSCOPE_YAML_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* *copy: the text with these replaced; the caller frees it. NULL: the text has none of them, or
 * already has replacement characters. A zero byte stays, and libyaml refuses it. False: out of
 * memory. */
bool yaml_characters_hide(const char *text, size_t bytes, char **copy, size_t *copied,
                          struct status *status);
/* Restores the characters in a zero-terminated text, which gets shorter. Does not restore bytes, so
 * that it stays UTF-8. */
void yaml_characters_show(char *text);
/* Also restores the bytes; the text may then no longer be UTF-8. */
void yaml_characters_restore(char *text);

#endif
