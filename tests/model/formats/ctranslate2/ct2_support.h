/* Files of CTranslate2 folders in the folder of open_support.h, and what such a folder opens as.
 * Every function fails the running test when something is not as it should be. */
#ifndef ATTNSCOPE_TESTS_CT2_SUPPORT_H
#define ATTNSCOPE_TESTS_CT2_SUPPORT_H

#include <stddef.h>

void write_bytes(const char *name, const void *bytes, size_t count);
/* A part of the folder's configuration, as JSON. */
void check_part(const char *part, const char *expected);
/* The kind of tokeniser that a path opens with, as the configuration has it, and the model's
 * name. */
void check_tokenizer(const char *path, const char *expected, const char *name);

#endif
