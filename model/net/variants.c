#include "model/net/variants.h"

#include <stdlib.h>

int variants_number(struct variants *variants, const struct head_settings *head_settings,
                    struct status *status)
{
    /* Jobs with the same head settings are usually adjacent, so the search begins at the end. */
    for (int i = variants->count - 1; i >= 0; i--)
        if (variants->head_settings[i] == head_settings)
            return i;
    if (!memory_grow((void **)&variants->head_settings, &variants->capacity,
                     (size_t)variants->count + 1, sizeof *variants->head_settings, status))
        return -1;
    variants->head_settings[variants->count] = head_settings;
    return variants->count++;
}

void variants_free(struct variants *variants)
{
    free(variants->head_settings);
    *variants = (struct variants){0};
}
