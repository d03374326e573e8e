/* The distinct head settings of the jobs of one run, numbered as on the device. Internal to
 * model/net and model/search. */
#ifndef ATTNSCOPE_VARIANTS_H
#define ATTNSCOPE_VARIANTS_H

#include "model/net/head_settings.h"

struct variants {
    const struct head_settings **head_settings; // (count); NULL: the checkpoint's own
    size_t capacity;
    int count;
};

/* Returns the number of `head_settings`, adding them if they are new; -1: out of memory. */
int variants_number(struct variants *variants, const struct head_settings *head_settings,
                    struct status *status);
void variants_free(struct variants *variants);

#endif
