/* Models of every toolkit that can be opened: a table of families, each with a reader of its own.
 *
 *     struct contents *contents = contents_open(path, status);
 *     ...
 *     contents_close(contents);
 *
 * What a path holds is recognised by what is in it, not by its name. A path is a file or a folder;
 * a file of a family whose models are folders stands for its folder. The tensors are not checked
 * here against the configuration: checkpoint_open does that for every family alike.
 */
#ifndef ATTNSCOPE_FORMATS_H
#define ATTNSCOPE_FORMATS_H

#include "model/formats/contents.h"

/* NULL on failure; messages do not name the path. */
struct contents *contents_open(const char *path, struct status *status);

/* True if a file is one of our own format: reads its header alone. */
bool own_begins(const char *path);

#endif
