/* Files that the sessions of test_memory write to the test's folder (cli_support.h). */
#ifndef ATTNSCOPE_TESTS_MADE_FILES_H
#define ATTNSCOPE_TESTS_MADE_FILES_H

#include <stddef.h>

enum { MADE = 8 };

struct made_file {
    char *bytes;
    size_t size;
};

void remove_made(void);
/* Writes the files that commands will replace. A command that is refused must leave its file
 * unchanged. */
void write_made(void);
/* The caller frees them with free_made. */
void read_made(struct made_file files[MADE]);
void free_made(struct made_file files[MADE]);
/* Returns the name of the first file that differs, or NULL. */
const char *find_other(const struct made_file is[MADE], const struct made_file wanted[MADE]);

#endif
