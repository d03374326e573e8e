/* A model with its weights on a device.
 *
 * Order of calls: model_open once; then search_run and force_run (search.h, force.h) from one
 * thread at a time; model_close. The checkpoint and the device must outlive the model.
 *
 * On the CPU the results for a sentence are bit-identical whatever else is in the batch. On a GPU
 * they are bit-identical for the same jobs in the same order and batch; see gpu/backend.h for what
 * differs otherwise.
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

/* While a model is reserved, every search and forced pass fails with STATUS_BUSY. This stops
 * callbacks in the middle of a run from starting another. */
void model_reserve(struct model *model, bool reserved);

const struct checkpoint *model_checkpoint(const struct model *model);
/* The checkpoint's own head settings. */
const struct head_settings *model_head_settings(const struct model *model);

/* The precision of a model's products on a device: PRECISION_INT8 applies only to models with
 * integers (checkpoint.h); others use PRECISION_FP32 there. */
enum precision model_precision(const struct checkpoint *checkpoint, const struct device_info *info);

/* True if the model's products are in PRECISION_INT8. They have no derivatives, and cannot be
 * divided among heads. */
bool model_is_integer(const struct model *model);
/* Fails for such a model. what: names what cannot be computed. */
bool model_check_floats(const struct model *model, const char *what, struct status *status);

/* Writes what the last bits of results depend on besides the model: "cpu fp32", "cuda NVIDIA H100
 * fp32 cuBLAS 120405 5f7". Returns true if they do not depend on the batch (gpu/backend.h). */
bool model_device(const struct model *model, char text[DEVICE_TEXT]);

#endif
