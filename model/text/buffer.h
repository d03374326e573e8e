/* A growing byte string. Zero-initialise before the first use; `data` is NUL-terminated after every
 * call that succeeds, NULL before the first one. The owner frees `data`. */
#ifndef ATTNSCOPE_TEXT_BUFFER_H
#define ATTNSCOPE_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct buffer {
    char *data;
    size_t count; // without the NUL
    size_t capacity;
};

bool buffer_add(struct buffer *buffer, const char *bytes, size_t count, struct status *status);
bool buffer_add_text(struct buffer *buffer, const char *text, struct status *status);
bool buffer_add_character(struct buffer *buffer, uint32_t character, struct status *status);

/* Appends the text (valid UTF-8) in lower case, character by character, whatever is around. A capital I with dot becomes
 * two characters, as Unicode's SpecialCasing and with it Perl and Python have it. */
bool buffer_add_lowercase(struct buffer *buffer, const char *text, struct status *status);

/* Empties without freeing. */
bool buffer_clear(struct buffer *buffer, struct status *status);
void buffer_swap(struct buffer *a, struct buffer *b);

/* FNV-1a, for the tables of vocabularies and merge codes. */
uint64_t bytes_hash(const char *bytes, size_t count);

#endif
