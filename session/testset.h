/* Sentences that the user walks through: sources, optional references, and the sentence that was
 * shown last. testset_open, or testset_add to what is NULL at first; then read it, and set
 * `current`; testset_close. */
#ifndef ATTNSCOPE_TESTSET_H
#define ATTNSCOPE_TESTSET_H

#include "base/status.h"
#include "model/text/lines.h"

struct testset {
    char *path;           // of the sources, as the user named it; NULL: they were typed
    char *reference_path; // likewise; NULL: none
    struct lines sources, references;
    bool has_references;
    int current; // 0-based
};

/* Reads both files (reference NULL: none). They must have the same number of lines, at least one.
 * NULL on failure. */
struct testset *testset_open(const char *source, const char *reference, struct status *status);
/* Adds a sentence that was typed, which becomes the current one, unless the current one is the
 * same. The last TYPED_MOST are kept. */
enum { TYPED_MOST = 200 };
bool testset_add(struct testset **testset, const char *text, struct status *status);
/* Goes back to a sentence that was typed, or adds it where it is none of the last any more. */
bool testset_return(struct testset **testset, const char *text, struct status *status);
void testset_close(struct testset *testset); // NULL: nothing

/* The current sentence, and its reference. NULL: there are no references. */
const char *testset_source(const struct testset *testset);
const char *testset_reference(const struct testset *testset);

#endif
