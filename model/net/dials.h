/* The dials of a session: what every head attends by, and its gain, in every module.
 *
 * A checkpoint has its own dials (dials_new); a session copies and changes them. Nothing here reaches
 * a device: passes take dials as an argument, and one batch may mix sentences with different ones.
 */
#ifndef ATTNSCOPE_DIALS_H
#define ATTNSCOPE_DIALS_H

#include "gpu/backend.h"
#include "gpu/status.h"
#include "model/net/config.h"

struct dials {
    int layers[MODULE_COUNT], count[MODULE_COUNT]; // layers and heads of each module
    struct head *heads[MODULE_COUNT];              // (layers, H)
    float *gains[MODULE_COUNT];                    // (layers, H), >= 0; 0 is off
};

/* The checkpoint's own heads, all gains 1. NULL: out of memory. */
struct dials *dials_new(const struct config *config, struct status *status);
struct dials *dials_copy(const struct dials *dials, struct status *status);
void dials_free(struct dials *dials); // NULL: nothing
bool dials_equal(const struct dials *a, const struct dials *b);
/* Layers of a module, from the first on, in which they are equal; both are of one model. */
int dials_common_layers(const struct dials *a, const struct dials *b, enum module module);

/* Replaces what a head attends by. Fails for a learned head where the checkpoint has no queries and keys
 * for it; dials must not get one otherwise, as passes rely on that. */
bool dials_set_head(struct dials *dials, const struct config *config, enum module module, int layer,
                    int head, struct head value, struct status *status);

/* Head `head` of 0-based `layer`. */
static inline const struct head *dials_head(const struct dials *dials, enum module module,
                                            int layer, int head)
{
    return &dials->heads[module][layer * dials->count[module] + head];
}

static inline float *dials_gain(const struct dials *dials, enum module module, int layer, int head)
{
    return &dials->gains[module][layer * dials->count[module] + head];
}

#endif
