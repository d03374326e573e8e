/* The memory of a pickle's values, which is limited. Inside the reader of pickles. */
#ifndef ATTNSCOPE_PICKLE_STORE_H
#define ATTNSCOPE_PICKLE_STORE_H

#include "model/formats/archive/pickle.h"

struct pickle {
    struct block *blocks; // of values and texts, the newest first
    size_t left;          // bytes of the newest block that are free
    size_t room;          // bytes that may still be taken, in all
    struct pickle_value *root;
    struct pickle_value **persistent; // (persistent_count)
    size_t persistent_count, persistent_capacity;
};

struct pickle *pickle_store_new(size_t room, struct status *status);

/* Zeroed memory that lives as long as the pickle, aligned for every object of it. NULL: the limit, or no memory. */
void *pickle_store(struct pickle *pickle, size_t bytes, struct status *status);

/* A list of pointers with room for one more, at least doubled as it grows. */
bool pickle_store_pointer(struct pickle *pickle, struct pickle_value ***list, size_t *capacity,
                          size_t needed, struct status *status);

/* A value with an object of its own where `object`. */
struct pickle_value *pickle_store_value(struct pickle *pickle, enum pickle_kind kind, bool object,
                                        struct status *status);
struct pickle_value *pickle_store_text(struct pickle *pickle, enum pickle_kind kind,
                                       const unsigned char *text, size_t bytes,
                                       struct status *status);
/* `more` elements at the end of a container: values of a list, or keys and values, as `width` (1 or 2) says. */
bool pickle_store_append(struct pickle *pickle, struct pickle_value *container,
                         struct pickle_value *const *more, size_t count, size_t width,
                         struct status *status);

#endif
