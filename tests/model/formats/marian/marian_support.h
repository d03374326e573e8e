/* A temporary folder for every test, and models of Marian in it. Every function fails the running
 * test when something is not as it should be.
 *
 *     cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
 */
#ifndef ATTNSCOPE_TESTS_MARIAN_SUPPORT_H
#define ATTNSCOPE_TESTS_MARIAN_SUPPORT_H

#include "model/checkpoint/checkpoint.h"

extern const char golden[]; // the folder of the golden models
extern char marian_folder[64];

int make_folder(void **state);
int remove_folder(void **state); // with all files in it

/* "FOLDER/NAME" */
void path_in_folder(char *path, size_t size, const char *name);
void write_file(const char *name, const void *bytes, size_t count);
void write_text(const char *name, const char *text);
void remove_file(const char *name);
/* The caller frees the bytes. */
unsigned char *read_file(const char *path, size_t *count);
/* A file of a golden model under a name in the folder. */
void copy_golden(const char *model, const char *from, const char *to);

/* The golden student, a model of eight bits as browsermt's Marian writes it, whose vocabularies are
 * put into the folder. The caller frees the bytes. */
unsigned char *take_student(size_t *count);

/* Opens the marian_folder; the caller closes the checkpoint. */
struct checkpoint *open_folder(void);
void assert_opens(const char *path); // as a model of Marian
void assert_refused(const char *path, const char *expected);

#endif
