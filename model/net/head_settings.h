/* Head settings: energy, mask, pattern and gain of every head of every module.
 *
 * A checkpoint has its own settings (head_settings_new); a session copies and changes them. They
 * are plain host data, passed to every pass; sentences of one batch may have different settings.
 */
#ifndef ATTNSCOPE_HEAD_SETTINGS_H
#define ATTNSCOPE_HEAD_SETTINGS_H

#include "base/status.h"
#include "gpu/backend.h"
#include "model/checkpoint/config.h"

struct head_settings {
    int layers[MODULE_COUNT], count[MODULE_COUNT]; // layers and heads of each module
    struct head *heads[MODULE_COUNT];              // (layers, H)
    float *gains[MODULE_COUNT];                    // (layers, H), >= 0; 0 is off
};

/* The checkpoint's own heads, all gains 1. NULL: out of memory. */
struct head_settings *head_settings_new(const struct config *config, struct status *status);
struct head_settings *head_settings_copy(const struct head_settings *head_settings,
                                         struct status *status);
void head_settings_free(struct head_settings *head_settings); // NULL: nothing
/* Everything about a head that changes results, except its gain: equal numbers mean equal heads. */
enum { HEAD_NUMBERS = 8 };
void head_numbers(const struct head *head, double numbers[HEAD_NUMBERS]);
bool heads_equal(const struct head *a, const struct head *b);
bool head_settings_equal(const struct head_settings *a, const struct head_settings *b);
/* True if any head's α is above 1. */
bool head_settings_sparse(const struct head_settings *settings);
/* The number of leading layers of a module in which two settings are equal. Both belong to one
 * model, or to a model and its first layers (model/net/first_layers.h). */
int head_settings_common_layers(const struct head_settings *a, const struct head_settings *b,
                                enum module module);

/* Replaces energy, mask and pattern of a head. Fails for learned energy if the checkpoint has no
 * queries and keys for the head. Passes rely on this check: do not write to `heads` directly. */
bool head_settings_set_head(struct head_settings *head_settings, const struct config *config,
                            enum module module, int layer, int head, struct head value,
                            struct status *status);

/* Head `head` of 0-based `layer`. */
static inline const struct head *head_settings_head(const struct head_settings *head_settings,
                                                    enum module module, int layer, int head)
{
    return &head_settings->heads[module][layer * head_settings->count[module] + head];
}

static inline float *head_settings_gain(const struct head_settings *head_settings,
                                        enum module module, int layer, int head)
{
    return &head_settings->gains[module][layer * head_settings->count[module] + head];
}

#endif
