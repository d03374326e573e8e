/* Models in the cache of the Hugging Face hub, as its own client keeps them:
 * models--ORG--NAME/refs/main names one of models--ORG--NAME/snapshots/, whose files are links into
 * models--ORG--NAME/blobs/. Nothing is downloaded here.
 */
#ifndef ATTNSCOPE_HUB_CACHE_H
#define ATTNSCOPE_HUB_CACHE_H

#include <stdbool.h>

#include "base/status.h"

/* The cache's folder: HF_HUB_CACHE, HUGGINGFACE_HUB_CACHE, HF_HOME/hub,
 * XDG_CACHE_HOME/huggingface/hub or ~/.cache/huggingface/hub. The caller frees it. NULL: HOME is
 * not set, or memory is short. */
char *hub_cache_folder(void);

/* True if a name is spelt as the hub spells models, ORG/NAME or NAME. */
bool hub_is_name(const char *name);
/* The name of a folder of the cache: "ORG/NAME" of "models--ORG--NAME". The caller frees it. NULL:
 * it is not spelt so, or memory is short. */
char *hub_name(const char *entry);

/* The snapshot that `path` means, a folder models--…, its snapshots/ or one of these; *snapshot
 * NULL: none of them. The caller frees it. False: a snapshot that is not complete, or a reference
 * that names none; memory is short. */
bool hub_snapshot(const char *path, char **snapshot, struct status *status);
/* The snapshot of a model's name, of hub_is_name. *snapshot NULL: the model is not in the cache.
 * False as above. */
bool hub_find(const char *name, char **snapshot, struct status *status);

/* The name of the model, without ORG, whose snapshot a path is:
 * "…/models--ORG--NAME/snapshots/HASH". The caller frees it. NULL: it is none, or memory is
 * short. */
char *hub_model_of(const char *path);

#endif
