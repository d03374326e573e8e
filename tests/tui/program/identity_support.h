/* Two runs of the program over the same files: whether the second takes what the first has
 * computed. */
#ifndef ATTNSCOPE_TESTS_IDENTITY_SUPPORT_H
#define ATTNSCOPE_TESTS_IDENTITY_SUPPORT_H

#include <stdbool.h>

#include "tests/support/cli_support.h"

#define PLAIN "tests/golden/vanilla_pre.bin"

extern char *identity_source, *identity_target, *identity_folder; // paths: texts, and the shards

/* For groups of tests: makes the texts and their paths, and removes them. */
int identity_open_files(void **state);
int identity_close_files(void **state);
void identity_write_texts(void);

/* Two runs: what is done before them all, and a study. */
struct identity_run {
    const char *model, *options[8]; // those up to NULL
    const char *before, *study;     // before NULL: nothing
};

struct outcome identity_start(const struct identity_run *run, const char *const *shard);
/* Computes the study as one shard. */
void identity_compute(const struct identity_run *run);
/* Another run takes what was computed, or does not and says so. */
void identity_expect(const struct identity_run *run, bool taken);

#endif
