/* A temporary folder for every test, with Marian models in it. Every function fails the running
 * test if something is wrong.
 *
 *     cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)
 */
#ifndef ATTNSCOPE_TESTS_MARIAN_SUPPORT_H
#define ATTNSCOPE_TESTS_MARIAN_SUPPORT_H

#include "model/checkpoint/checkpoint.h"

extern const char golden[]; // the folder of the golden models
extern char marian_folder[64];

int make_folder(void **state);
int remove_folder(void **state); // also removes all files in it

/* "FOLDER/NAME" */
void path_in_folder(char *path, size_t size, const char *name);
void write_file(const char *name, const void *bytes, size_t count);
void write_text(const char *name, const char *text);
void remove_file(const char *name);
/* The caller frees the bytes. */
unsigned char *read_file(const char *path, size_t *count);
/* Copies a file of a golden model to a name in the folder. */
void copy_golden(const char *model, const char *from, const char *to);

/* Returns the golden student, an 8-bit model as browsermt's Marian writes it, and copies its
 * vocabularies to the folder. The caller frees the bytes. */
unsigned char *take_student(size_t *count);

/* Opens marian_folder; the caller closes the checkpoint. */
struct checkpoint *open_folder(void);
void assert_opens(const char *path); // opened as a Marian model
void assert_refused(const char *path, const char *expected);

#endif
