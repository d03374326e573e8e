#include "model/formats/tensor_set.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

bool tensor_set_add(struct tensor_set *set, const struct stored_tensor *tensors, int count,
                    struct status *status)
{
    struct tensor_part *grown = realloc(set->parts, ((size_t)set->part_count + 1) * sizeof *grown);
    if (!grown)
        return status_no_memory(status);
    set->parts = grown;
    bool *used = memory_new((size_t)count, sizeof *used, status);
    if (!used)
        return false;
    grown[set->part_count++] = (struct tensor_part){tensors, count, used};
    return true;
}

void tensor_set_free(struct tensor_set *set)
{
    for (int i = 0; i < set->part_count; i++)
        free(set->parts[i].used);
    free(set->parts);
}

static int by_name(const void *a, const void *b)
{
    const struct stored_tensor *first = a, *second = b;
    return strcmp(first->name, second->name);
}

const struct stored_tensor *tensor_set_find(struct tensor_set *set, const char *name)
{
    const struct stored_tensor key = {.name = (char *)name};
    for (int i = 0; i < set->part_count; i++) {
        const struct tensor_part *part = &set->parts[i];
        const struct stored_tensor *tensor =
            part->count ? bsearch(&key, part->tensors, (size_t)part->count, sizeof key, by_name)
                        : NULL;
        if (tensor) {
            part->used[tensor - part->tensors] = true;
            return tensor;
        }
    }
    return NULL;
}

static bool matches_any(const char *name, const char *const *patterns)
{
    for (; *patterns; patterns++)
        if (fnmatch(*patterns, name, 0) == 0)
            return true;
    return false;
}

const struct stored_tensor *tensor_set_left(const struct tensor_set *set,
                                            const char *const *harmless)
{
    for (int i = 0; i < set->part_count; i++) {
        const struct tensor_part *part = &set->parts[i];
        for (int t = 0; t < part->count; t++)
            if (!part->used[t] && !matches_any(part->tensors[t].name, harmless))
                return &part->tensors[t];
    }
    return NULL;
}
