/* Exporting to a folder of this process and reading back, for tests. Every function fails the
 * running test if it cannot do its work.
 *
 * export_open and export_close are a group's set-up and tear-down; files are removed once they are
 * read.
 */
#ifndef ATTNSCOPE_TESTS_EXPORT_SUPPORT_H
#define ATTNSCOPE_TESTS_EXPORT_SUPPORT_H

#include "tests/support/commands_support.h"

/* Make and remove the folder, which must be empty by then. Return 0, or -1 on failure. */
int export_open(void **state);
int export_close(void **state);

/* Returns the path of a file in the folder ("": of the folder); valid until the next call. */
const char *export_path(const char *name);

/* Runs `:export NAME VIEW`; "": the current view. */
void export_view(struct bench *bench, const char *name, const char *view);

/* Returns the whole file with a NUL after it; freed with free(). */
char *export_read(const char *name, size_t *bytes);

/* Exports as JSON and returns it. The second function returns the command of its provenance. */
json_t *export_json(struct bench *bench, const char *view);
const char *export_command(const json_t *object);

#endif
