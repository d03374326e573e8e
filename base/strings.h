/* A list of strings. */
#ifndef ATTNSCOPE_STRINGS_H
#define ATTNSCOPE_STRINGS_H

#include "base/status.h"

/* Zero-initialise before the first use, reuse freely, free with strings_free. */
struct strings {
    char **text; // (count), each owned by the list
    int count;
    size_t capacity;
};
/* Appends a copy of `bytes` bytes, which are followed by a zero in the list. */
bool strings_add(struct strings *strings, const char *text, size_t bytes, struct status *status);
void strings_clear(struct strings *strings); // leaves it empty, with its capacity
void strings_free(struct strings *strings);  // leaves it empty

#endif
