/* The models that are found without a path: in the folders that ATTNSCOPE_MODELS names, in the
 * current one, and among the installed samples, where translateLocally and Argos Translate keep
 * theirs, and in the cache of the Hugging Face hub (below), in this order. A model's name is
 * that of its file, without ".bin", or of its folder; in the cache the hub's, such as ORG/NAME.
 */
#ifndef ATTNSCOPE_MODEL_FOLDERS_H
#define ATTNSCOPE_MODEL_FOLDERS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/status.h"

/* Writes a line for each model that is found, and how to open one. Of files the headers alone are
 * read; what is no model is left out, and so is what two seconds are not enough for. False: there
 * is none, or memory is short. */
bool models_write_list(FILE *stream, struct status *status);

/* The path that `name` means: of a file that is there itself, else of a model with that name;
 * without either the name. A folder of the hub's cache means the snapshot that is used. The caller
 * frees it. NULL: a name spelt as the hub spells them is not in its cache, or is not there as a
 * whole; out of memory. */
char *model_find_path(const char *name, struct status *status);

/* Models in the cache of the Hugging Face hub, as its own client keeps them:
 * models--ORG--NAME/refs/main names one of models--ORG--NAME/snapshots/, whose files are links into
 * models--ORG--NAME/blobs/. Nothing is downloaded here.
 */

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
