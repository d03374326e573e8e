/* Opens models of every supported toolkit: a table of families, each with its own reader.
 *
 *     struct contents *contents = contents_open(path, status);
 *     ...
 *     contents_close(contents);
 *
 * A path's family is recognised by content, not by name. A path is a file or a folder; a file of a
 * family whose models are folders means its folder. checkpoint_open, not this, checks the tensors
 * against the configuration, for all families.
 */
#ifndef ATTNSCOPE_FORMATS_H
#define ATTNSCOPE_FORMATS_H

#include "model/formats/contents.h"

/* NULL on failure; messages do not name the path. */
struct contents *contents_open(const char *path, struct status *status);

/* True if a file is in our own format; reads only its header. */
bool own_begins(const char *path);

#endif
