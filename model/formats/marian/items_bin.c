/* Marian's .bin. */
#include <string.h>

#include "model/formats/marian/items.h"
#include "model/text/quote.h"

enum { MAX_ITEMS = 1 << 16, MAX_RANK = 8 };

/* Types as Marian's src/common/types.h composes them: a class and the bytes of an element. For
 * intgemm's integers, marian-nmt and browsermt, whose Marian makes the students of Bergamot and
 * Firefox, use different numbers. */
enum {
    TYPE_SIGNED = 0x100,
    TYPE_FLOAT = 0x400,
    TYPE_FBGEMM = 0x800,
    TYPE_PROCESSOR = 0xF000, // laid out for one kind of processor
    TYPE_INTGEMM = 0x10000,
    TYPE_INTGEMM_BROWSERMT = 0x4000 | TYPE_SIGNED,
};

struct header {
    uint64_t name_bytes, type, rank, bytes;
};

/* The rest of the file. */
struct cursor {
    const unsigned char *at, *end;
};

static bool cut(struct status *status)
{
    return status_fail(status, STATUS_INVALID, "the file ends too early, expected all of it");
}

static const unsigned char *take(struct cursor *cursor, uint64_t bytes, struct status *status)
{
    const unsigned char *at = cursor->at;
    if (bytes > (uint64_t)(cursor->end - at)) {
        cut(status);
        return NULL;
    }
    cursor->at += bytes;
    return at;
}

static uint64_t number_at(const unsigned char *at, int bytes)
{
    uint64_t number = 0;
    for (int i = bytes - 1; i >= 0; i--)
        number = number << 8 | at[i];
    return number;
}

bool marian_bin_begins(const unsigned char head[16])
{
    uint64_t count = number_at(head + 8, 8);
    return number_at(head, 8) == 1 && count >= 1 && count <= MAX_ITEMS;
}

static struct header header_at(const unsigned char *at)
{
    return (struct header){number_at(at, 8), number_at(at + 8, 8), number_at(at + 16, 8),
                           number_at(at + 24, 8)};
}

static bool read_names(struct marian_items *items, const unsigned char *headers, uint64_t count,
                       struct cursor *cursor, struct status *status)
{
    for (uint64_t i = 0; i < count; i++) {
        const struct header header = header_at(headers + 32 * i);
        const unsigned char *name = take(cursor, header.name_bytes, status);
        if (!name)
            return false;
        if (header.name_bytes < 2 ||
            memchr(name, 0, header.name_bytes) != name + header.name_bytes - 1)
            return status_fail(status, STATUS_INVALID,
                               "item %d: a name without an end, expected a text", (int)i);
        if (!marian_items_next(items, (const char *)name, header.name_bytes - 1, status))
            return false;
    }
    return true;
}

static bool read_shapes(struct marian_items *items, const unsigned char *headers,
                        struct cursor *cursor, struct status *status)
{
    for (int i = 0; i < items->count; i++) {
        const struct header header = header_at(headers + 32 * (size_t)i);
        struct marian_item *item = &items->items[i];
        if (header.rank > MAX_RANK)
            return status_fail(status, STATUS_INVALID, "%s: more than %d dimensions",
                               QUOTED(item->name), MAX_RANK);
        const unsigned char *shape = take(cursor, 4 * header.rank, status);
        if (!shape)
            return false;
        item->dimensions = (int)header.rank;
        for (int d = 0; d < item->dimensions; d++)
            item->shape[d] = (int32_t)number_at(shape + 4 * d, 4);
        if (!marian_item_count(item, status))
            return false;
    }
    return true;
}

/* True if the type is that of integers of so many bytes, not laid out for any processor. */
static bool is_intgemm(uint64_t type, uint64_t bytes)
{
    return (type & ~(uint64_t)TYPE_SIGNED) == (TYPE_INTGEMM | bytes) ||
           type == (TYPE_INTGEMM_BROWSERMT | bytes);
}

/* Elements laid out for one processor, or for FBGEMM, are in an order that only their own products
 * know. */
static bool set_type(struct marian_items *items, struct marian_item *item, uint64_t type,
                     struct status *status)
{
    items->browsermt |= (type & TYPE_INTGEMM_BROWSERMT) == TYPE_INTGEMM_BROWSERMT;
    if (type == (TYPE_FLOAT | 4))
        item->type = MARIAN_FLOAT32;
    else if (type == (TYPE_FLOAT | 2))
        item->type = MARIAN_FLOAT16;
    else if (type == (TYPE_SIGNED | 1))
        item->type = MARIAN_TEXT;
    else if (is_intgemm(type, 1))
        items->integers = true, item->type = MARIAN_INT8;
    else if (is_intgemm(type, 2))
        item->type = MARIAN_INT16;
    else if (type & (TYPE_PROCESSOR | TYPE_FBGEMM))
        return status_fail(
            status, STATUS_INVALID,
            "%s: packed for one kind of processor (%s), expected float32, intgemm8 or intgemm16, "
            "as marian-conv --gemm-type intgemm8 writes it",
            QUOTED(item->name), type & TYPE_FBGEMM ? "FBGEMM" : "intgemm");
    else
        return status_fail(status, STATUS_INVALID,
                           "%s: elements of type 0x%llx, expected float32, float16, intgemm8 or "
                           "intgemm16",
                           QUOTED(item->name), (unsigned long long)type);
    return true;
}

static bool read_data(struct marian_items *items, const unsigned char *headers,
                      struct cursor *cursor, struct status *status)
{
    static const size_t sizes[] = {[MARIAN_FLOAT32] = 4,
                                   [MARIAN_FLOAT16] = 2,
                                   [MARIAN_INT8] = 1,
                                   [MARIAN_INT16] = 2,
                                   [MARIAN_TEXT] = 1};
    for (int i = 0; i < items->count; i++) {
        const struct header header = header_at(headers + 32 * (size_t)i);
        struct marian_item *item = &items->items[i];
        item->data = take(cursor, header.bytes, status);
        if (!item->data || !set_type(items, item, header.type, status))
            return false;
        item->bytes = (size_t)item->elements * sizes[item->type];
        size_t needed = item->bytes + (marian_is_quantised(item) ? sizeof(float) : 0);
        if (needed > header.bytes)
            return status_fail(status, STATUS_INVALID, "%s: %llu bytes, expected %zu or more",
                               QUOTED(item->name), (unsigned long long)header.bytes, needed);
    }
    return true;
}

bool marian_read_bin(struct marian_items *items, const struct mapped_file *file,
                     struct status *status)
{
    struct cursor cursor = {file->data + 16, file->data + file->bytes};
    if (file->bytes < 16)
        return cut(status);
    uint64_t count = number_at(file->data + 8, 8);
    const unsigned char *headers = take(&cursor, 32 * count, status);
    if (!headers || !read_names(items, headers, count, &cursor, status) ||
        !read_shapes(items, headers, &cursor, status))
        return false;
    const unsigned char *gap = take(&cursor, 8, status);
    return gap && take(&cursor, number_at(gap, 8), status) &&
           read_data(items, headers, &cursor, status);
}
