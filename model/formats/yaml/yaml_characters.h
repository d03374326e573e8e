/* Characters that libyaml, which reads YAML 1.1, takes as line breaks or refuses, and other readers
 * of YAML take as any other: control characters, U+0085, U+2028, U+2029, U+FFFE and U+FFFF, and
 * bytes that are no UTF-8. Vocabularies have them in pieces. Others stand for them while libyaml
 * reads the text: U+F0000 and what follows for characters, U+10FF80 to U+10FFFF for bytes, all of
 * planes for private use.
 */
#ifndef ATTNSCOPE_YAML_CHARACTERS_H
#define ATTNSCOPE_YAML_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

/* *copy: the text with the others in their place; the caller frees it. NULL: the text has none of
 * them, or has the others itself. A zero byte is left, and refused by libyaml. False: memory is
 * short. */
bool yaml_characters_hide(const char *text, size_t bytes, char **copy, size_t *copied,
                          struct status *status);
/* Puts the characters back into a text that ends with a zero byte, and becomes shorter. Bytes are
 * not put back, so that it stays UTF-8. */
void yaml_characters_show(char *text);
/* Puts the bytes back, too; then it may no longer be UTF-8. */
void yaml_characters_restore(char *text);

#endif
