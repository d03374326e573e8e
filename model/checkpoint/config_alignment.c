#include "model/checkpoint/config_alignment.h"

#include <stdint.h>

static const struct config_field alignment_fields[] = {
    {"layer", FIELD_INTEGER, .offset = offsetof(struct config, alignment.layer), .high = INT32_MAX},
    {"heads", FIELD_IDS, .offset = offsetof(struct config, alignment.heads)},
};

bool alignment_read(const json_t *json, const struct place *place, struct config *config,
                    struct status *status)
{
    const struct place layer = {place, "layer", 0}, heads = {place, "heads", 0};
    const struct stack_config *decoder = &config->stacks[STACK_DECODER];
    const struct id_list *list = &config->alignment.heads;
    if (!json)
        return true;
    if (!fields_read(json, place, alignment_fields,
                     sizeof alignment_fields / sizeof *alignment_fields, config, status))
        return false;
    if (config->alignment.layer >= decoder->layers)
        return place_fail(&layer, status, "%d, expected 0 to %d (decoder.layers)",
                          config->alignment.layer, decoder->layers - 1);
    if (list->count < 1)
        return place_fail(&heads, status, "none, expected at least one head");
    for (int i = 0; i < list->count; i++) {
        const struct place at = {&heads, NULL, i};
        if (list->ids[i] >= decoder->heads)
            return place_fail(&at, status, "%d, expected 0 to %d (decoder.heads)", list->ids[i],
                              decoder->heads - 1);
    }
    return true;
}
