#include "tui/command/study/align_heads.h"

bool align_heads_add(struct align_heads *heads, int layer, int head, bool is_shifted,
                     struct status *status)
{
    if (!memory_grow((void **)&heads->heads, &heads->capacity, (size_t)heads->count + 1,
                     sizeof *heads->heads, status))
        return false;
    heads->heads[heads->count++] =
        (struct align_head){.layer = layer, .head = head, .shifted = is_shifted};
    return true;
}

/* Adds a head with the shift and, unless `only_shifted`, without. */
static bool add_both(struct align_heads *heads, int layer, int head, bool only_shifted,
                     struct status *status)
{
    return (only_shifted || align_heads_add(heads, layer, head, false, status)) &&
           align_heads_add(heads, layer, head, true, status);
}

/* Returns how the heads of a layer are merged. */
static int together(const struct config *config, enum method method, int layer)
{
    if (method != METHOD_WEIGHTS)
        return HEADS_TOGETHER;
    return config->attention[MODULE_CROSS][layer].dhicm ? HEADS_WEIGHTED : HEADS_MEAN;
}

/* Adds the selected heads, if the method has a matrix for each, and the merged ones. */
static bool add_layer(struct align_heads *heads, const struct config *config,
                      const struct selector *selector, int layer, bool only_shifted,
                      struct status *status)
{
    const struct merged_heads *merged = merged_by(selector->head);
    bool dhicm = config->attention[MODULE_CROSS][layer].dhicm;
    if (merged && merged->head == HEADS_WEIGHTED && !dhicm)
        return true;
    if (merged)
        return add_both(heads, layer, merged->head, only_shifted, status);
    int count = method_table[selector->method].of_heads ? module_heads(config, MODULE_CROSS) : 0;
    for (int h = 0; h < count; h++)
        if (selector_has_head(selector, h) && !add_both(heads, layer, h, only_shifted, status))
            return false;
    return selector->head == PART_LIST ||
           add_both(heads, layer, together(config, selector->method, layer), only_shifted, status);
}

bool align_heads_select(struct align_heads *heads, const struct config *config,
                        const struct selector *selector, bool only_shifted, struct status *status)
{
    if (!selector_check(selector, config, status) || !selector_check_heads(selector, status) ||
        !method_check(selector->method, config, MODULE_CROSS, status))
        return false;
    for (int i = 0; i < module_layers(config, MODULE_CROSS); i++)
        if (selector_has_layer(selector, i) &&
            !add_layer(heads, config, selector, i, only_shifted, status))
            return false;
    return heads->count > 0 ||
           status_fail(status, STATUS_INVALID,
                       "head importance: no such layer of cross-attention combines its heads by "
                       "dhicm");
}
