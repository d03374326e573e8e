/* Files in a temporary folder, and models that are refused. Every function fails the running test
 * when something is not as it should be.
 *
 *     cmocka_run_group_tests(tests, open_make_folder, open_remove_folder)
 */
#ifndef ATTNSCOPE_TESTS_OPEN_SUPPORT_H
#define ATTNSCOPE_TESTS_OPEN_SUPPORT_H

extern char folder[];

int open_make_folder(void **state);
int open_remove_folder(void **state); // the test has removed what it wrote

/* "FOLDER/NAME", until the second call after this one. */
const char *path_of(const char *name);
/* A file under a name in the folder. */
void copy_file(const char *from, const char *name);

/* Opens a path, which is refused with this in the message. */
void refused(const char *path, const char *expected);

#endif
