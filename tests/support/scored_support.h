/* A session on a golden model with a test set in files, for tests of everything that scores
 * translations. Every function fails the running test if it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_SCORED_SUPPORT_H
#define ATTNSCOPE_TESTS_SCORED_SUPPORT_H

#include "tests/support/commands_support.h"

struct scored {
    struct bench bench;
    char source[64], reference[64]; // the files
    char line[400];
};

/* Opens tests/golden/MODEL.bin, connected; `sources` and `references` hold lines. */
void scored_open(struct scored *scored, const char *model, const char *sources,
                 const char *references);
void scored_close(struct scored *scored);

/* Returns "COMMAND SOURCE REFERENCE REST", valid until the next call; REST begins with a blank. */
const char *scored_line(struct scored *scored, const char *command, const char *rest);

/* Sets texts to what a separate run of the program on tests/golden/MODEL.bin prints for each source
 * (source_count), one at a time, after commands (before_count); "" for an empty source. */
enum { APART_BYTES = 400 };
void scored_apart(const char *model, const char *const *before, int before_count,
                  const char *const *sources, int source_count, char texts[][APART_BYTES]);

#endif
