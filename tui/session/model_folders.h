/* The models that are found without a path: in the folders that ATTNSCOPE_MODELS names, in the
 * current one, and among the installed samples, where translateLocally and Argos Translate keep
 * theirs, and in the cache of the Hugging Face hub (hub_cache.h), in this order. A model's name is
 * that of its file, without ".bin", or of its folder; in the cache the hub's, such as ORG/NAME.
 */
#ifndef ATTNSCOPE_MODEL_FOLDERS_H
#define ATTNSCOPE_MODEL_FOLDERS_H

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

#endif
