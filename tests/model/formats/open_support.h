/* Files in a temporary folder, and models that must be refused. Every function fails the running
 * test if something is wrong.
 *
 *     cmocka_run_group_tests(tests, open_make_folder, open_remove_folder)
 */
#ifndef ATTNSCOPE_TESTS_OPEN_SUPPORT_H
#define ATTNSCOPE_TESTS_OPEN_SUPPORT_H

#include <stdbool.h>

#include "model/checkpoint/checkpoint.h"

extern char folder[];

int open_make_folder(void **state);
int open_remove_folder(void **state); // the test has removed what it wrote

/* Returns "FOLDER/NAME"; valid until the second call after this one. */
const char *path_of(const char *name);
/* Copies a file to a name in the folder. */
void copy_file(const char *from, const char *name);

/* Opens a path; checks that it is refused with a message containing `expected`. */
void refused(const char *path, const char *expected);

/* Copies tests/golden/formats/NAME to a folder in the folder; returns its path, as path_of. */
const char *copy_model(const char *name);
void remove_model(const char *name);

/* In a file of such a copy, `from` is replaced by `to`. expected: a part of the message about it;
 * NULL: the model opens. */
struct change {
    const char *folder, *file, *from, *to, *expected;
};
/* Replaces it once, or wherever it is. NULL with a message. The copy is removed. */
struct checkpoint *open_changed(const struct change *change, bool everywhere,
                                struct status *status);
void check_changed(const struct change *change, bool everywhere);

#endif
