/* Files of CTranslate2 folders in the folder of open_support.h, and what such a folder opens as.
 * Every function fails the running test if something is wrong. */
#ifndef ATTNSCOPE_TESTS_CT2_SUPPORT_H
#define ATTNSCOPE_TESTS_CT2_SUPPORT_H

#include <stddef.h>

void write_bytes(const char *name, const void *bytes, size_t count);
/* Checks a part of the folder's configuration, given as JSON. */
void check_part(const char *part, const char *expected);
/* Checks the kind of tokeniser that a path opens with, as in the configuration, and the model's
 * name. */
void check_tokenizer(const char *path, const char *expected, const char *name);

#endif
