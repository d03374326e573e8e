/* Exports on two models and their `--replay`, for tests. Every function fails the running test if
 * it cannot do its work. */
#ifndef ATTNSCOPE_TESTS_REPLAY_SUPPORT_H
#define ATTNSCOPE_TESTS_REPLAY_SUPPORT_H

#include <jansson.h>

#include "tests/support/cli_support.h"

#define OTHER "tests/golden/vanilla_pre.bin" // the second model, besides MODEL

void replay_write(const char *path, const char *text, size_t bytes);
/* Runs a script and exports the view to `path`. */
void replay_export(const char *script, const char *path, const char *view);
/* The caller frees the result with outcome_free. */
struct outcome replay_run(const char *path);
/* Replays the file, which must exit with `code`, and returns the JSON output; the caller frees
 * it. */
json_t *replay_object(const char *path, int code);

#endif
