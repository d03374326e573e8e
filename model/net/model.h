/* A model whose weights are on a device.
 *
 * Order of calls: model_open once; then search_run and force_run (search.h, force.h) from one
 * thread at a time; model_close. The checkpoint and the device must outlive the model.
 *
 * On the CPU the results for a sentence are the same to the bit, whatever else is in the batch. On
 * a GPU they are the same again for the same jobs in the same order and batch; see gpu/backend.h
 * for what differs otherwise.
 */
#ifndef ATTNSCOPE_MODEL_H
#define ATTNSCOPE_MODEL_H

#include "base/status.h"
#include "gpu/backend.h"
#include "model/checkpoint/checkpoint.h"
#include "model/net/head_settings.h"
#include "model/net/sentence.h"

struct model;

/* Copies all weights to the device. NULL on failure. */
struct model *model_open(const struct checkpoint *checkpoint, const struct backend *backend,
                         struct device *device, struct status *status);
void model_close(struct model *model); // NULL: nothing

/* While it is reserved every search and forced pass fails with STATUS_BUSY: so do those of whoever
 * is called in the middle of one. */
void model_reserve(struct model *model, bool reserved);

const struct checkpoint *model_checkpoint(const struct model *model);
/* The checkpoint's own head settings. */
const struct head_settings *model_head_settings(const struct model *model);

/* The precision of a model's products on a device: PRECISION_INT8 is of models that have integers
 * (checkpoint.h) alone; others have PRECISION_FP32 there. */
enum precision model_precision(const struct checkpoint *checkpoint, const struct device_info *info);

/* True if its products are in PRECISION_INT8: these have no derivatives, and cannot be divided among
 * heads. */
bool model_is_integer(const struct model *model);
/* Fails for such a model; what: what cannot be computed. */
bool model_check_floats(const struct model *model, const char *what, struct status *status);

/* Writes what the last bits of results depend on besides the model: "cpu fp32", "cuda NVIDIA H100
 * fp32 cuBLAS 120405 5f7". Returns whether they are the same whatever the batch (gpu/backend.h). */
bool model_device(const struct model *model, char text[DEVICE_TEXT]);

#endif
