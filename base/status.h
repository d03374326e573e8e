/* Errors as values, checked size arithmetic, and checked allocation, for all of attnscope.
 *
 * A function that can fail returns bool (or NULL for a pointer) and takes a `struct status *` as
 * its last argument. On failure the status holds a code and one line for the user: what, where, and
 * what was expected. Callers pass it up unchanged; the user interface prints it once.
 * A status need not be initialised before the call; it is written only on failure.
 */
#ifndef ATTNSCOPE_STATUS_H
#define ATTNSCOPE_STATUS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

enum status_code {
    STATUS_OK,
    STATUS_INVALID,   // an input (file, text, argument) is invalid
    STATUS_IO,        // the operating system reported an error
    STATUS_MEMORY,    // an allocation failed, or a size does not fit
    STATUS_CANCELLED, // the user stopped the work
    STATUS_DEVICE,    // the device failed or does not exist
    STATUS_BUSY       // other work is running; may succeed later
};

struct status {
    enum status_code code;
    char message[600];
};

/* Writes code and message (printf format); always returns false, so that callers can
 * `return status_fail(...)`. A message that does not fit is truncated at a UTF-8 boundary. */
bool status_fail(struct status *status, enum status_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails with STATUS_MEMORY, "out of memory". Returns false. */
bool status_no_memory(struct status *status);

/* Prefixes the current message (printf format): "PREFIX: MESSAGE". Returns false. */
bool status_prefix(struct status *status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* a * b and a + b without overflow; false (and *out unchanged) if the result does not fit. */
bool size_multiply(size_t a, size_t b, size_t *out);
bool size_add(size_t a, size_t b, size_t *out);

/* Allocates zeroed memory for `count` objects of `size` bytes. NULL with STATUS_MEMORY if memory
 * runs out or the product overflows. count 0 gives a valid pointer. The caller frees it with
 * free(). */
void *memory_new(size_t count, size_t size, struct status *status);

/* Grows *pointer (with room for *capacity objects of `size` bytes) to hold at least `needed`
 * objects, at least doubling it. The new part is zeroed. On failure both are unchanged. */
bool memory_grow(void **pointer, size_t *capacity, size_t needed, size_t size,
                 struct status *status);

#endif
