#include "model/net/head_settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"

static size_t module_size(const struct head_settings *head_settings, enum module module)
{
    return (size_t)head_settings->layers[module] * head_settings->count[module];
}

static struct head_settings *head_settings_allocate(const int layers[MODULE_COUNT],
                                                    const int count[MODULE_COUNT],
                                                    struct status *status)
{
    struct head_settings *head_settings = memory_new(1, sizeof *head_settings, status);
    for (int m = 0; head_settings && m < MODULE_COUNT; m++) {
        head_settings->layers[m] = layers[m];
        head_settings->count[m] = count[m];
        head_settings->heads[m] =
            memory_new(module_size(head_settings, m), sizeof *head_settings->heads[m], status);
        head_settings->gains[m] =
            memory_new(module_size(head_settings, m), sizeof *head_settings->gains[m], status);
        if (!head_settings->heads[m] || !head_settings->gains[m]) {
            head_settings_free(head_settings);
            return NULL;
        }
    }
    return head_settings;
}

struct head_settings *head_settings_new(const struct config *config, struct status *status)
{
    int layers[MODULE_COUNT], count[MODULE_COUNT];
    for (int m = 0; m < MODULE_COUNT; m++) {
        layers[m] = module_layers(config, m);
        count[m] = module_heads(config, m);
    }
    struct head_settings *head_settings = head_settings_allocate(layers, count, status);
    if (!head_settings)
        return NULL;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (int layer = 0; layer < layers[m]; layer++)
            for (int h = 0; h < count[m]; h++) {
                head_settings->heads[m][layer * count[m] + h] =
                    config->attention[m][layer].heads[h];
                *head_settings_gain(head_settings, m, layer, h) = 1;
            }
    return head_settings;
}

struct head_settings *head_settings_copy(const struct head_settings *head_settings,
                                         struct status *status)
{
    struct head_settings *copy =
        head_settings_allocate(head_settings->layers, head_settings->count, status);
    for (int m = 0; copy && m < MODULE_COUNT; m++) {
        size_t size = module_size(head_settings, m);
        memcpy(copy->heads[m], head_settings->heads[m], size * sizeof *copy->heads[m]);
        memcpy(copy->gains[m], head_settings->gains[m], size * sizeof *copy->gains[m]);
    }
    return copy;
}

void head_settings_free(struct head_settings *head_settings)
{
    if (!head_settings)
        return;
    for (int m = 0; m < MODULE_COUNT; m++) {
        free(head_settings->heads[m]);
        free(head_settings->gains[m]);
    }
    free(head_settings);
}

/* Fields that this kind of energy does not use become 0. */
void head_numbers(const struct head *head, double numbers[HEAD_NUMBERS])
{
    const bool fixed = head->energy == ENERGY_FIXED;
    numbers[0] = head->energy;
    numbers[1] = fixed ? head->pattern : 0;
    numbers[2] = fixed ? head->unit : 0;
    numbers[3] = fixed ? 0 : head->mask;
    numbers[4] = !fixed && head->mask == MASK_LOCAL ? head->window : 0;
    const bool gaussian = fixed && head->pattern == PATTERN_GAUSSIAN;
    numbers[5] = gaussian ? head->offset : 0;
    numbers[6] = gaussian ? head->deviation : 0;
    numbers[7] = fixed ? 0 : head->entmax;
}

bool head_settings_sparse(const struct head_settings *settings)
{
    bool sparse = false;
    for (int m = 0; m < MODULE_COUNT; m++)
        for (size_t i = 0; i < module_size(settings, m); i++)
            sparse |= head_has_entmax(&settings->heads[m][i]);
    return sparse;
}

bool heads_equal(const struct head *a, const struct head *b)
{
    double first[HEAD_NUMBERS], second[HEAD_NUMBERS];
    head_numbers(a, first);
    head_numbers(b, second);
    return memcmp(first, second, sizeof first) == 0;
}

static bool layers_equal(const struct head_settings *a, const struct head_settings *b,
                         enum module module, int layer)
{
    size_t first = (size_t)layer * a->count[module];
    for (size_t i = first; i < first + a->count[module]; i++)
        if (a->gains[module][i] != b->gains[module][i] ||
            !heads_equal(&a->heads[module][i], &b->heads[module][i]))
            return false;
    return true;
}

int head_settings_common_layers(const struct head_settings *a, const struct head_settings *b,
                                enum module module)
{
    int layer = 0, layers = int_min(a->layers[module], b->layers[module]);
    while (layer < layers && (a == b || layers_equal(a, b, module, layer)))
        layer++;
    return layer;
}

bool head_settings_equal(const struct head_settings *a, const struct head_settings *b)
{
    for (int m = 0; m < MODULE_COUNT; m++)
        if (a->layers[m] != b->layers[m] || a->count[m] != b->count[m] ||
            head_settings_common_layers(a, b, m) < a->layers[m])
            return false;
    return true;
}

bool head_settings_set_head(struct head_settings *head_settings, const struct config *config,
                            enum module module, int layer, int head, struct head value,
                            struct status *status)
{
    if (value.energy == ENERGY_LEARNED &&
        config->attention[module][layer].heads[head].energy != ENERGY_LEARNED)
        return status_fail(status, STATUS_INVALID,
                           "%s layer %d head %d is fixed: it has no queries and keys to mask",
                           module_names[module], layer + 1, head + 1);
    head_settings->heads[module][layer * head_settings->count[module] + head] = value;
    return true;
}
