/* Completes a path that is being typed. */
#ifndef ATTNSCOPE_COMPLETE_FILES_H
#define ATTNSCOPE_COMPLETE_FILES_H

#include <stdbool.h>

/* Calls `offer` with every path that begins with `typed`, until it returns false. Folders end in a slash. Names
 * that begin with a dot are skipped unless the dot is typed. A folder that cannot be read offers nothing. Returns
 * false if `offer` did. */
bool complete_files(const char *typed, bool (*offer)(void *context, const char *path),
                    void *context);

#endif
