/* What the device knows of the target's tokens: which of them the search never produces, and the
 * classes that decide where words begin. */
#include <stdlib.h>

#include "model/net/weights.h"

/* Tokens of languages may be produced, as in the toolkits, though translations begin with them. */
static void mark_specials(const struct config *config, uint8_t *excluded)
{
    excluded[config->special[SPECIAL_PAD][SIDE_TARGET]] = 1;
    for (int i = 0; i < config->start.count; i++)
        if (config->start.ids[i] >= 0)
            excluded[config->start.ids[i]] = 1;
}

/* search.specials and search.excluded. */
static void mark_excluded(const struct config *config, uint8_t *excluded)
{
    int eos = config->special[SPECIAL_EOS][SIDE_TARGET];
    if (!config->search.specials_allowed)
        mark_specials(config, excluded);
    for (int i = 0; i < config->excluded.count; i++)
        excluded[config->excluded.ids[i]] = 1;
    excluded[eos] = 0;
}

bool target_tables_load(struct model *model, struct status *status)
{
    const struct vocabulary *vocabulary = model->checkpoint->vocabulary[SIDE_TARGET];
    size_t size = vocabulary_size(vocabulary);
    uint8_t *bytes = memory_new(2 * size, 1, status);
    if (!bytes)
        return false;
    uint8_t *excluded = bytes, *classes = bytes + size;
    mark_excluded(model->config, excluded);
    for (size_t id = 0; id < size; id++)
        classes[id] = target_class(model->checkpoint, (int)id);
    bool ok = model->backend->allocate(model->device, size, &model->excluded, status) &&
              model->backend->allocate(model->device, size, &model->classes, status);
    if (ok) {
        model->backend->put(model->device, model->excluded, excluded, size);
        model->backend->put(model->device, model->classes, classes, size);
    }
    free(bytes);
    return ok;
}
