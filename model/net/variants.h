/* The distinct dials of the jobs of one run, numbered as the device sees them. Inside model/net alone. */
#ifndef ATTNSCOPE_VARIANTS_H
#define ATTNSCOPE_VARIANTS_H

#include "model/net/dials.h"

struct variants {
    const struct dials **dials; // (count); NULL: the checkpoint's own
    size_t capacity;
    int count;
};

/* The number of `dials`, added when it is new; -1: out of memory. */
int variants_number(struct variants *variants, const struct dials *dials, struct status *status);
void variants_free(struct variants *variants);

#endif
