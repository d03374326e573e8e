/* The part that readers of both kinds of Marian's files share. */
#include <string.h>

#include "model/formats/marian/items.h"
#include "model/text/quote.h"

struct marian_item *marian_items_next(struct marian_items *items, const char *name, size_t length,
                                      struct status *status)
{
    if (!memory_grow((void **)&items->items, &items->capacity, (size_t)items->count + 1,
                     sizeof *items->items, status))
        return NULL;
    struct marian_item *item = &items->items[items->count];
    *item = (struct marian_item){.name = strndup(name, length)};
    if (!item->name) {
        status_no_memory(status);
        return NULL;
    }
    items->count++;
    return item;
}

bool marian_item_count(struct marian_item *item, struct status *status)
{
    item->elements = 1;
    for (int i = 0; i < item->dimensions; i++) {
        if (item->shape[i] < 0 ||
            __builtin_mul_overflow(item->elements, item->shape[i], &item->elements) ||
            item->elements > INT64_MAX / 8)
            return status_fail(
                status, STATUS_INVALID,
                "%s: a dimension that is negative or too large, expected the shape of a tensor",
                QUOTED(item->name));
    }
    return true;
}

bool marian_is_quantised(const struct marian_item *item)
{
    return item->type == MARIAN_INT8 || item->type == MARIAN_INT16;
}
