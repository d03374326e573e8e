/* Two runs of the program on the same files, to test whether the second accepts what the first has
 * computed. */
#ifndef ATTNSCOPE_TESTS_IDENTITY_SUPPORT_H
#define ATTNSCOPE_TESTS_IDENTITY_SUPPORT_H

#include <stdbool.h>

#include "tests/support/cli_support.h"

#define PLAIN "tests/golden/vanilla_pre.bin"

extern char *identity_source, *identity_target, *identity_folder; // of the texts and the shards

/* Group set-up and tear-down: make the texts and their paths, and remove them. */
int identity_open_files(void **state);
int identity_close_files(void **state);
void identity_write_texts(void);

/* The two runs: commands before the study, and the study itself. */
struct identity_run {
    const char *model, *options[8]; // the arguments, up to NULL
    const char *before, *study;     // before NULL: nothing
};

struct outcome identity_start(const struct identity_run *run, const char *const *shard);
/* Computes the study as one shard. */
void identity_compute(const struct identity_run *run);
/* Checks that another run accepts the computed parts or, if not `taken`, refuses them with a
 * message. */
void identity_expect(const struct identity_run *run, bool taken);

#endif
