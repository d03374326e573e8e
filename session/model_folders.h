/* Finds models without a path. Searches, in this order, the folders in ATTNSCOPE_MODELS, the
 * current folder, the installed samples, the folders of translateLocally and Argos Translate, and
 * the cache of the Hugging Face hub (below). A model is named after its file, without ".bin", or
 * its folder; in the cache it has the hub's name, such as ORG/NAME.
 */
#ifndef ATTNSCOPE_MODEL_FOLDERS_H
#define ATTNSCOPE_MODEL_FOLDERS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

/* Writes a line for each model found, and how to open one. Reads only the headers of files; skips
 * files that are not models and stops searching after two seconds. False: no models, or out of
 * memory. */
bool models_write_list(FILE *stream, struct status *status);

/* Resolves `name` to a path: an existing file, else the model with that name, else `name` itself. A
 * folder of the hub's cache resolves to its current snapshot. The caller frees it. NULL: a name in
 * the hub's spelling is missing from its cache or incomplete there; out of memory. */
char *model_find_path(const char *name, struct status *status);

/* Models in the cache of the Hugging Face hub, as its own client keeps them:
 * models--ORG--NAME/refs/main names one of models--ORG--NAME/snapshots/, whose files are links into
 * models--ORG--NAME/blobs/. Nothing is downloaded.
 */

/* The cache's folder: HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_HOME/hub,
 * XDG_CACHE_HOME/huggingface/hub or ~/.cache/huggingface/hub. The caller frees it. NULL: HOME is
 * not set, or out of memory. */
char *hub_cache_folder(void);

/* True if a name has the hub's spelling, ORG/NAME or NAME. */
bool hub_is_name(const char *name);
/* The name of a folder of the cache: "ORG/NAME" of "models--ORG--NAME". The caller frees it. NULL:
 * not such a name, or out of memory. */
char *hub_name(const char *entry);

/* Resolves `path` to a snapshot: a folder models--…, its snapshots/ or one of these; *snapshot
 * NULL: none of them. The caller frees it. False: the snapshot is incomplete, the reference names
 * none, or out of memory. */
bool hub_snapshot(const char *path, char **snapshot, struct status *status);
/* Finds the snapshot of a model by a name that hub_is_name accepts. *snapshot NULL: the model is
 * not in the cache. False as above. */
bool hub_find(const char *name, char **snapshot, struct status *status);

/* Returns NAME for the path of a snapshot, "…/models--ORG--NAME/snapshots/HASH". The caller frees
 * it. NULL: not a snapshot, or out of memory. */
char *hub_model_of(const char *path);

#endif
