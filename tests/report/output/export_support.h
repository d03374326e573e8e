/* Exporting to a folder of this process and reading back, for tests. Every function fails the
 * running test when it cannot do its work.
 *
 * export_open and export_close go around a group's tests; files are gone when they have been read.
 */
#ifndef ATTNSCOPE_TESTS_EXPORT_SUPPORT_H
#define ATTNSCOPE_TESTS_EXPORT_SUPPORT_H

#include "tests/support/commands_support.h"

/* Makes and removes the folder, which must be empty then. 0, or -1 where that fails. */
int export_open(void **state);
int export_close(void **state);

/* The path of a file in the folder, until the next call; "": the folder's. */
const char *export_path(const char *name);

/* `:export NAME VIEW`; "": the current view. */
void export_view(struct bench *bench, const char *name, const char *view);

/* The whole file, with a NUL after it, freed with free(). */
char *export_read(const char *name, size_t *bytes);

/* Exports as JSON and reads that; and the command of its provenance. */
json_t *export_json(struct bench *bench, const char *view);
const char *export_command(const json_t *object);

#endif
