/* Errors as values, checked arithmetic on sizes, and checked allocation, for all of attnscope.
 *
 * A function that can fail returns bool (or NULL for a pointer) and takes a `struct status *` as
 * its last argument. On failure the status holds a code and one line for the user: what, where, and
 * what was expected. It travels up unchanged; whoever speaks to the user prints it once.
 * A status need not be initialised before the call; it is written on failure only.
 */
#ifndef ATTNSCOPE_STATUS_H
#define ATTNSCOPE_STATUS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

enum status_code {
    STATUS_OK,
    STATUS_INVALID,   // an input (file, text, argument) is not what it should be
    STATUS_IO,        // the operating system refused
    STATUS_MEMORY,    // an allocation failed, or a size does not fit
    STATUS_CANCELLED, // the user stopped the work
    STATUS_DEVICE,    // the device failed or does not exist
    STATUS_BUSY       // other work is under way; later it may succeed
};

struct status {
    enum status_code code;
    char message[600];
};

/* Writes code and message (printf format); always returns false, so that callers can
 * `return status_fail(...)`. A message that does not fit is cut at a UTF-8 boundary. */
bool status_fail(struct status *status, enum status_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Fails with STATUS_MEMORY, "out of memory". Returns false. */
bool status_no_memory(struct status *status);

/* Puts `prefix` (printf format) before the message already there, as "PREFIX: MESSAGE". Returns
 * false. */
bool status_prefix(struct status *status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* a * b and a + b without overflow; false (and *out untouched) when the result does not fit. */
bool size_multiply(size_t a, size_t b, size_t *out);
bool size_add(size_t a, size_t b, size_t *out);

/* Zeroed memory for count objects of `size` bytes; NULL and a STATUS_MEMORY status when there is
 * none or the product overflows. count 0 gives a valid pointer. Freed with free(). */
void *memory_new(size_t count, size_t size, struct status *status);

/* Grows *pointer (capacity *capacity objects of `size` bytes) to hold at least `needed` objects,
 * at least doubling. The new part is zeroed. On failure both stay as they were. */
bool memory_grow(void **pointer, size_t *capacity, size_t needed, size_t size,
                 struct status *status);

#endif
