/* Sentences that the user walks through: sources, optional references, and the sentence shown last.
 * Call testset_open, or testset_add on a NULL pointer; then read it and set `current`; then
 * testset_close. */
#ifndef ATTNSCOPE_TESTSET_H
#define ATTNSCOPE_TESTSET_H

#include "base/status.h"
#include "model/text/lines.h"

struct testset {
    char *path;           // of the sources, as the user named it; NULL: typed
    char *reference_path; // of the references; NULL: none
    struct lines sources, references;
    bool has_references;
    int current; // 0-based
};

/* Reads both files (reference NULL: none). They must have the same number of lines, at least one.
 * NULL on failure. */
struct testset *testset_open(const char *source, const char *reference, struct status *status);
/* Adds a typed sentence and makes it the current one, unless the current one is the same. Keeps the
 * last TYPED_MOST. */
enum { TYPED_MOST = 200 };
bool testset_add(struct testset **testset, const char *text, struct status *status);
/* Goes back to a typed sentence, or adds it if it is no longer kept. */
bool testset_return(struct testset **testset, const char *text, struct status *status);
void testset_close(struct testset *testset); // NULL: nothing

/* The current sentence, and its reference (NULL: none). */
const char *testset_source(const struct testset *testset);
const char *testset_reference(const struct testset *testset);

#endif
