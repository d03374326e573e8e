/* Characters that YAML 1.2 takes as any other, and libyaml, which reads YAML 1.1, as line breaks or not at all: U+0085,
 * U+2028, U+2029 and U+007F. Vocabularies have them as pieces. Others stand for them while libyaml reads the text: U+F0085,
 * U+F2028, U+F2029 and U+F007F, of a plane for private use.
 */
#ifndef ATTNSCOPE_YAML_CHARACTERS_H
#define ATTNSCOPE_YAML_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/status.h"

/* *copy: the text with the others in their place; the caller frees it. NULL: the text has none of them, or has the others
 * itself. False: memory is short. */
bool yaml_characters_hide(const char *text, size_t bytes, char **copy, size_t *copied,
                          struct status *status);
/* Puts them back into a text that ends with a zero byte, and becomes shorter. */
void yaml_characters_show(char *text);

#endif
