/* Lays out tensors one after another in one allocation. Internal to model/net.
 *
 *     struct layout layout = {0};           // counts: layout.used, in bytes
 *     layout_take(&layout, &tensor, rows, columns); …
 *     layout = (struct layout){.buffer = arena.buffer};
 *     layout_take(&layout, &tensor, rows, columns); … // the same calls: assigns places
 */
#ifndef ATTNSCOPE_LAYOUT_H
#define ATTNSCOPE_LAYOUT_H

#include "base/status.h"
#include "gpu/backend.h"

struct layout {
    struct buffer *buffer; // NULL: only count
    size_t used;
    bool overflow; // the total does not fit into size_t
};

static inline void layout_take_elements(struct layout *layout, struct tensor *tensor, size_t rows,
                                        size_t columns, size_t element)
{
    size_t bytes;
    *tensor = (struct tensor){layout->buffer, layout->used};
    if (!size_multiply(rows, columns, &bytes) || !size_multiply(bytes, element, &bytes) ||
        !size_add(bytes, 63, &bytes) || !size_add(layout->used, bytes & ~(size_t)63, &layout->used))
        layout->overflow = true;
}

/* Elements of 4 bytes. */
static inline void layout_take(struct layout *layout, struct tensor *tensor, size_t rows,
                               size_t columns)
{
    layout_take_elements(layout, tensor, rows, columns, 4);
}

#endif
