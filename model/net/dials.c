#include "model/net/dials.h"

#include <stdlib.h>
#include <string.h>

static size_t module_size(const struct dials *dials, enum module module)
{
    return (size_t)dials->layers[module] * dials->count[module];
}

static struct dials *dials_allocate(const int layers[MODULE_COUNT], const int count[MODULE_COUNT],
                                    struct status *status)
{
    struct dials *dials = memory_new(1, sizeof *dials, status);
    for (int m = 0; dials && m < MODULE_COUNT; m++) {
        dials->layers[m] = layers[m];
        dials->count[m] = count[m];
        dials->heads[m] = memory_new(module_size(dials, m), sizeof *dials->heads[m], status);
        dials->gains[m] = memory_new(module_size(dials, m), sizeof *dials->gains[m], status);
        if (!dials->heads[m] || !dials->gains[m]) {
            dials_free(dials);
            return NULL;
        }
    }
    return dials;
}

struct dials *dials_new(const struct config *config, struct status *status)
{
    int layers[MODULE_COUNT], count[MODULE_COUNT];
    for (int m = 0; m < MODULE_COUNT; m++) {
        layers[m] = module_layers(config, m);
        count[m] = module_heads(config, m);
    }
    struct dials *dials = dials_allocate(layers, count, status);
    if (!dials)
        return NULL;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int layer = 0; layer < layers[m]; layer++)
            for (int h = 0; h < count[m]; h++) {
                dials->heads[m][layer * count[m] + h] = config->attention[m][layer].heads[h];
                *dials_gain(dials, m, layer, h) = 1;
            }
    return dials;
}

struct dials *dials_copy(const struct dials *dials, struct status *status)
{
    struct dials *copy = dials_allocate(dials->layers, dials->count, status);
    for (int m = 0; copy && m < MODULE_COUNT; m++) {
        size_t size = module_size(dials, m);
        memcpy(copy->heads[m], dials->heads[m], size * sizeof *copy->heads[m]);
        memcpy(copy->gains[m], dials->gains[m], size * sizeof *copy->gains[m]);
    }
    return copy;
}

void dials_free(struct dials *dials)
{
    if (!dials)
        return;
    for (int m = 0; m < MODULE_COUNT; m++) {
        free(dials->heads[m]);
        free(dials->gains[m]);
    }
    free(dials);
}

static bool heads_equal(const struct head *a, const struct head *b)
{
    if (a->energy != b->energy)
        return false;
    if (a->energy == ENERGY_FIXED)
        return a->pattern == b->pattern && a->unit == b->unit;
    return a->mask == b->mask && (a->mask != MASK_LOCAL || a->window == b->window);
}

static bool layers_equal(const struct dials *a, const struct dials *b, enum module module,
                         int layer)
{
    size_t first = (size_t)layer * a->count[module];
    for (size_t i = first; i < first + a->count[module]; i++)
        if (a->gains[module][i] != b->gains[module][i] ||
            !heads_equal(&a->heads[module][i], &b->heads[module][i]))
            return false;
    return true;
}

int dials_common_layers(const struct dials *a, const struct dials *b, enum module module)
{
    int layer = 0;
    while (layer < a->layers[module] && (a == b || layers_equal(a, b, module, layer)))
        layer++;
    return layer;
}

bool dials_equal(const struct dials *a, const struct dials *b)
{
    for (int m = 0; m < MODULE_COUNT; m++)
        if (a->layers[m] != b->layers[m] || a->count[m] != b->count[m] ||
            dials_common_layers(a, b, m) < a->layers[m])
            return false;
    return true;
}

bool dials_set_head(struct dials *dials, const struct config *config, enum module module, int layer,
                    int head, struct head value, struct status *status)
{
    if (value.energy == ENERGY_LEARNED &&
        config->attention[module][layer].heads[head].energy != ENERGY_LEARNED)
        return status_fail(status, STATUS_INVALID,
                           "%s layer %d head %d is fixed: it has no queries and keys to mask",
                           module_names[module], layer + 1, head + 1);
    dials->heads[module][layer * dials->count[module] + head] = value;
    return true;
}
