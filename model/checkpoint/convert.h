/* Writing a checkpoint of any family in our own format. */
#ifndef ATTNSCOPE_CONVERT_H
#define ATTNSCOPE_CONVERT_H

#include "model/checkpoint/digests.h"

/* Writes every tensor as it is, without a copy in memory, the vocabularies, and the configuration.
 * The configuration of another toolkit's model gets the origin: family, files and their hashes;
 * that of a model in our format stays as it is. Atomic (new_file.h); reports to the checkpoint's
 * watch. Refuses a path that is one of the checkpoint's own files, and files that have been written
 * to since they were opened. Messages begin with a path. */
bool checkpoint_convert(const struct checkpoint *checkpoint, const struct digests *digests,
                        const char *path, struct status *status);

#endif
