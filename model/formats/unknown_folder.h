/* What a folder holds that no family reads, by the names of its files. Inside model/formats. */
#ifndef ATTNSCOPE_UNKNOWN_FOLDER_H
#define ATTNSCOPE_UNKNOWN_FOLDER_H

#include "base/status.h"

/* Fails with the first file that is known, and what it is of; or with all that a model could be. Returns
 * false. */
bool unknown_folder_fail(const char *folder, struct status *status);

#endif
