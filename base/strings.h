/* A list of strings, and a string written as a stream. */
#ifndef ATTNSCOPE_STRINGS_H
#define ATTNSCOPE_STRINGS_H

#include <stdio.h>

#include "base/status.h"

/* Zero-initialise before the first use, reuse freely, free with strings_free. */
struct strings {
    char **text; // (count), each owned by the list
    int count;
    size_t capacity;
};
/* Appends a zero-terminated copy of `bytes` bytes. */
bool strings_add(struct strings *strings, const char *text, size_t bytes, struct status *status);
void strings_clear(struct strings *strings); // leaves it empty, with its capacity
void strings_free(struct strings *strings);  // leaves it empty

/* A string under construction: written_open, fprintf and the like to its stream, written_close. */
struct written {
    FILE *stream;
    char *text;
    size_t size;
};
/* Returns the stream; NULL: out of memory, and nothing needs to be closed. */
FILE *written_open(struct written *written);
/* Returns the text, which the caller frees; NULL: out of memory. */
char *written_close(struct written *written);

/* The shortest decimal number, of six digits or more, that is read as exactly this one. Returns
 * `text`. */
enum { EXACT_BYTES = 32 };
const char *exact_double(double number, char text[EXACT_BYTES]);
const char *exact_float(float number, char text[EXACT_BYTES]);

#endif
