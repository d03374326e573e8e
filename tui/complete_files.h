/* Paths that begin as one that is being typed. */
#ifndef ATTNSCOPE_COMPLETE_FILES_H
#define ATTNSCOPE_COMPLETE_FILES_H

#include <stdbool.h>

/* Calls `offer` with every path that begins with `typed`, folders with a slash behind, until it says false.
 * Names that begin with a dot are passed over unless that is typed. A folder that cannot be read offers
 * nothing. False: `offer` said so. */
bool complete_files(const char *typed, bool (*offer)(void *context, const char *path),
                    void *context);

#endif
