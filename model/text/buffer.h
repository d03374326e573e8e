/* A growing byte string. Zero-initialise before the first use; `data` is NUL-terminated after every
 * successful call, NULL before the first one. The owner frees `data`. */
#ifndef ATTNSCOPE_TEXT_BUFFER_H
#define ATTNSCOPE_TEXT_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct text_buffer {
    char *data;
    size_t count; // without the NUL
    size_t capacity;
};

bool buffer_add(struct text_buffer *buffer, const char *bytes, size_t count, struct status *status);
bool buffer_add_text(struct text_buffer *buffer, const char *text, struct status *status);
bool buffer_add_character(struct text_buffer *buffer, uint32_t character, struct status *status);

/* Appends the text (valid UTF-8) in lower case, character by character, regardless of context. A
 * capital I with dot becomes two characters, as in Unicode's SpecialCasing, Perl and Python. */
bool buffer_add_lowercase(struct text_buffer *buffer, const char *text, struct status *status);

/* Empties without freeing. */
bool buffer_clear(struct text_buffer *buffer, struct status *status);
void buffer_swap(struct text_buffer *a, struct text_buffer *b);

/* FNV-1a, for the tables of vocabularies and merge codes. */
uint64_t bytes_hash(const char *bytes, size_t count);

#endif
