#include "model/net/variants.h"

#include <stdlib.h>

int variants_number(struct variants *variants, const struct dials *dials, struct status *status)
{
    /* Jobs with the same dials mostly come one after the other. */
    for (int i = variants->count - 1; i >= 0; i--)
        if (variants->dials[i] == dials)
            return i;
    if (!memory_grow((void **)&variants->dials, &variants->capacity, (size_t)variants->count + 1,
                     sizeof *variants->dials, status))
        return -1;
    variants->dials[variants->count] = dials;
    return variants->count++;
}

void variants_free(struct variants *variants)
{
    free(variants->dials);
    *variants = (struct variants){0};
}
