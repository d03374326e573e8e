/* Text as a list of characters, and their classes.
 *
 * Blanks and lower case follow Python (str.split, str.lower), which published scores rely on; other
 * classes are Unicode categories from utf8proc.
 */
#ifndef ATTNSCOPE_CHARACTERS_H
#define ATTNSCOPE_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Zero-initialise before the first use; free with characters_free. */
struct characters {
    uint32_t *at; // (count)
    size_t count, capacity;
};
void characters_free(struct characters *characters); // leaves it empty

bool characters_add(struct characters *characters, uint32_t character, struct status *status);

/* Adds the characters of a text (valid UTF-8). */
bool characters_add_text(struct characters *characters, const char *text, struct status *status);

/* Converts all to lower case, including the two Unicode rules beyond single letters: İ becomes i
 * and a combining dot above; Σ at the end of a word becomes ς. */
bool characters_lower(struct characters *characters, struct status *status);

/* Removes trailing blanks. */
void characters_trim(struct characters *characters);

bool character_is_space(uint32_t character);
bool character_is_number(uint32_t character);      // \p{N}
bool character_is_punctuation(uint32_t character); // \p{P}
bool character_is_symbol(uint32_t character);      // \p{S}

#endif
