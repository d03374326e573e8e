/* Exports on two models, and `--replay` of them, for tests of it. Every function fails the running test
 * when it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_REPLAY_SUPPORT_H
#define ATTNSCOPE_TESTS_REPLAY_SUPPORT_H

#include <jansson.h>

#include "tests/support/cli_support.h"

#define OTHER "tests/golden/vanilla_pre.bin" // the second model, beside MODEL

void replay_write(const char *path, const char *text, size_t bytes);
/* Runs a script, and exports the view to `path`. */
void replay_export(const char *script, const char *path, const char *view);
/* Free the result with outcome_free. */
struct outcome replay_run(const char *path);
/* What it says, where it ends with that code; the caller's. */
json_t *replay_object(const char *path, int code);

#endif
