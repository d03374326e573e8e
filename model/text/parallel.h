/* Files whose lines belong together: sources or translations, and their references. */
#ifndef ATTNSCOPE_PARALLEL_H
#define ATTNSCOPE_PARALLEL_H

#include "model/text/lines.h"
#include "model/text/text.h"

struct parallel {
    struct lines *lines; // (count)
    int count;
};

/* Reads files (at least one) that must have equally many lines, at least one. Call parallel_free in
 * any case. */
bool parallel_read(const struct strings *paths, const struct watch *watch, struct parallel *out,
                   struct status *status);
void parallel_free(struct parallel *parallel); // leaves it empty

/* On failure nothing needs to be freed. */
bool parallel_copy(const struct parallel *parallel, struct parallel *copy, struct status *status);
bool parallel_equal(const struct parallel *a, const struct parallel *b);

/* The lines of every file but the first: (count - 1, lines), borrowed; the caller frees the list.
 * NULL: out of memory. */
const char *const **parallel_others(const struct parallel *parallel, struct status *status);

#endif
