/* A test set that the user walks through: sources, optional references, and the sentence that was
 * shown last.
 *
 * Order of calls: testset_open; then read it, and set `current`; testset_close.
 */
#ifndef ATTNSCOPE_TESTSET_H
#define ATTNSCOPE_TESTSET_H

#include "model/text/lines.h"

struct testset {
    char *path;           // of the sources, as the user named it
    char *reference_path; // likewise; NULL: none
    struct lines sources, references;
    bool has_references;
    int current; // 0-based
};

/* Reads both files (reference NULL: none). They must have the same number of lines, at least one.
 * NULL on failure. */
struct testset *testset_open(const char *source, const char *reference, struct status *status);
void testset_close(struct testset *testset); // NULL: nothing

/* The current sentence, and its reference. NULL: there are no references. */
const char *testset_source(const struct testset *testset);
const char *testset_reference(const struct testset *testset);

#endif
