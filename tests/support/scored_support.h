/* A session on a golden model and a test set in files, for tests of what scores translations. Every
 * function fails the running test when it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_SCORED_SUPPORT_H
#define ATTNSCOPE_TESTS_SCORED_SUPPORT_H

#include "tests/support/commands_support.h"

struct scored {
    struct bench bench;
    char source[64], reference[64]; // the files
    char line[400];
};

/* tests/golden/MODEL.bin, connected; `sources` and `references` are lines. */
void scored_open(struct scored *scored, const char *model, const char *sources,
                 const char *references);
void scored_close(struct scored *scored);

/* "COMMAND SOURCE REFERENCE REST", until the next call; REST begins with a blank. */
const char *scored_line(struct scored *scored, const char *command, const char *rest);

/* What a program of its own prints in tests/golden/MODEL.bin for each source (source_count) after
 * commands (before_count), one sentence after the other; of one that is empty "". */
enum { APART_BYTES = 400 };
void scored_apart(const char *model, const char *const *before, int before_count,
                  const char *const *sources, int source_count, char texts[][APART_BYTES]);

#endif
