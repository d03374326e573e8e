/* Files that the sessions of test_memory write, in the test's folder (cli_support.h). */
#ifndef ATTNSCOPE_TESTS_MADE_FILES_H
#define ATTNSCOPE_TESTS_MADE_FILES_H

#include <stddef.h>

enum { MADE = 8 };

struct made_file {
    char *bytes;
    size_t size;
};

void remove_made(void);
/* What commands replace: one that is refused leaves it as it was. */
void write_made(void);
/* Freed with free_made. */
void read_made(struct made_file files[MADE]);
void free_made(struct made_file files[MADE]);
/* The name of the first file that is another one, or NULL. */
const char *find_other(const struct made_file is[MADE], const struct made_file wanted[MADE]);

#endif
