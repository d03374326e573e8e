/* A model on a device: its weights, and the passes over them.
 *
 * Order of calls: model_open once; then search_run and force_run (search.h, force.h) from one thread at
 * a time; model_close. The checkpoint and the device must outlive the model.
 *
 * All passes give, on the CPU, the same bits whatever else runs beside a sentence.
 */
#ifndef ATTNSCOPE_MODEL_H
#define ATTNSCOPE_MODEL_H

#include "gpu/backend.h"
#include "gpu/status.h"
#include "model/net/checkpoint.h"
#include "model/net/dials.h"
#include "model/net/sentence.h"

struct model;

/* Hands every weight to the backend, once. NULL on failure. */
struct model *model_open(const struct checkpoint *checkpoint, const struct backend *backend,
                         struct device *device, struct status *status);
void model_close(struct model *model); // NULL: nothing

const struct checkpoint *model_checkpoint(const struct model *model);
/* The dials the checkpoint came with. */
const struct dials *model_dials(const struct model *model);

#endif
