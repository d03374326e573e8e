/* A checkpoint and its weights on a device.
 *
 * Order of calls: loaded_open reads and checks the file; model_open, by the session, puts it on a device;
 * loaded_close.
 */
#ifndef ATTNSCOPE_LOADED_H
#define ATTNSCOPE_LOADED_H

#include "model/net/model.h"

struct loaded {
    char *path; // as the user named it
    struct checkpoint *checkpoint;
    struct dials *dials; // as the file has them
    struct model *model; // NULL: on no device yet
    char digest[65];     // of the file, once asked for (loaded_digest)
};

/* NULL on failure; messages begin with the path. */
struct loaded *loaded_open(const char *path, struct status *status);
void loaded_close(struct loaded *loaded); // NULL: nothing

/* The path without its folders. Borrowed. */
const char *loaded_name(const struct loaded *loaded);

/* SHA-256 of the checkpoint's file in hexadecimal digits, computed when first asked for. NULL: failure. */
const char *loaded_digest(struct loaded *loaded, struct status *status);

#endif
