#include "model/formats/archive/pickle_machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"

enum { BLOCK = 1 << 16, ALIGN = 8 };

struct block {
    struct block *before;
    size_t used;
    max_align_t memory[];
};

struct pickle *pickle_store_new(size_t room, struct status *status)
{
    struct pickle *pickle = memory_new(1, sizeof *pickle, status);
    if (pickle)
        pickle->room = room;
    return pickle;
}

void pickle_close(struct pickle *pickle)
{
    if (!pickle)
        return;
    while (pickle->blocks) {
        struct block *before = pickle->blocks->before;
        free(pickle->blocks);
        pickle->blocks = before;
    }
    free(pickle->persistent);
    free(pickle);
}

/* Counts bytes against the limit. */
static bool take(struct pickle *pickle, size_t bytes, struct status *status)
{
    if (bytes > pickle->room)
        return status_fail(status, STATUS_INVALID,
                           "more values than a pickle of this size has, expected a checkpoint");
    pickle->room -= bytes;
    return true;
}

static bool add_block(struct pickle *pickle, size_t bytes, struct status *status)
{
    size_t size = size_max(bytes, BLOCK);
    struct block *block = memory_new(1, sizeof *block + size, status);
    if (!block)
        return false;
    block->before = pickle->blocks;
    pickle->blocks = block;
    pickle->left = size;
    return true;
}

void *pickle_store(struct pickle *pickle, size_t bytes, struct status *status)
{
    if (!take(pickle, bytes, status))
        return NULL;
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN; // at most the limit, so far from overflow
    if (bytes > pickle->left && !add_block(pickle, bytes, status))
        return NULL;
    void *memory = (char *)pickle->blocks->memory + pickle->blocks->used;
    pickle->blocks->used += bytes;
    pickle->left -= bytes;
    return memory;
}

bool pickle_store_pointer(struct pickle *pickle, struct pickle_value ***list, size_t *capacity,
                          size_t needed, struct status *status)
{
    size_t before = *capacity;
    if (needed <= before)
        return true;
    return take(pickle, (size_max(needed, 2 * before) - before) * sizeof **list, status) &&
           memory_grow((void **)list, capacity, needed, sizeof **list, status);
}

struct pickle_value *pickle_store_value(struct pickle *pickle, enum pickle_kind kind, bool object,
                                        struct status *status)
{
    struct pickle_value *value = pickle_store(pickle, sizeof *value, status);
    if (!value)
        return NULL;
    value->kind = kind;
    if (!object)
        return value;
    value->object = pickle_store(pickle, sizeof *value->object, status);
    if (!value->object)
        return NULL;
    value->object->module = value->object->name = "";
    return value;
}

struct pickle_value *pickle_store_text(struct pickle *pickle, enum pickle_kind kind,
                                       const unsigned char *text, size_t bytes,
                                       struct status *status)
{
    struct pickle_value *value = pickle_store_value(pickle, kind, false, status);
    char *copy = value ? pickle_store(pickle, bytes + 1, status) : NULL;
    if (!copy)
        return NULL;
    memcpy(copy, text, bytes);
    value->text = copy;
    value->count = (uint32_t)bytes; // the limit is below 4 GB
    return value;
}

/* Capacities are powers of two, so that they follow from the number of elements. */
static size_t room_for(size_t elements)
{
    size_t room = 4;
    while (room < elements)
        room *= 2;
    return elements ? room : 0;
}

bool pickle_store_append(struct pickle *pickle, struct pickle_value *container,
                         struct pickle_value *const *more, size_t count, size_t width,
                         struct status *status)
{
    size_t before = container->count * width, after = before + count * width;
    if (room_for(after) > room_for(before)) {
        struct pickle_value **grown = pickle_store(pickle, room_for(after) * sizeof *grown, status);
        if (!grown)
            return false;
        if (before)
            memcpy(grown, container->items, before * sizeof *grown);
        container->items = grown;
    }
    if (count)
        memcpy(container->items + before, more, count * width * sizeof *more);
    container->count += (uint32_t)count;
    return true;
}
