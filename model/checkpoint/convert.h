/* Writes a checkpoint of any family in our own format. */
#ifndef ATTNSCOPE_CONVERT_H
#define ATTNSCOPE_CONVERT_H

#include "model/checkpoint/digests.h"

/* Writes every tensor unchanged and without a copy in memory, the vocabularies, and the
 * configuration. Adds the origin (family, files and their hashes) to the configuration of another
 * toolkit's model; that of a model in our format is unchanged. Atomic (new_file.h); reports to the
 * checkpoint's watch. Fails if `path` is one of the checkpoint's own files, or if these have been
 * modified since they were opened. Messages begin with a path. */
bool checkpoint_convert(const struct checkpoint *checkpoint, const struct digests *digests,
                        const char *path, struct status *status);

#endif
