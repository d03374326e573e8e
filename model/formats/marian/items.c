#include "model/formats/marian/items.h"

#include <stdlib.h>
#include <string.h>

#include "model/formats/archive/zip_reader.h"
#include "model/text/quote.h"

static int by_name(const void *a, const void *b)
{
    const struct marian_item *first = a, *second = b;
    return strcmp(first->name, second->name);
}

static bool sort(struct marian_items *items, struct status *status)
{
    if (items->count)
        qsort(items->items, (size_t)items->count, sizeof *items->items, by_name);
    for (int i = 1; i < items->count; i++)
        if (strcmp(items->items[i - 1].name, items->items[i].name) == 0)
            return status_fail(status, STATUS_INVALID, "%s: present twice; expected once",
                               QUOTED(items->items[i].name));
    return true;
}

struct marian_items *marian_items_open(const struct mapped_file *file, struct status *status)
{
    unsigned char head[16] = {0};
    struct marian_items *items = memory_new(1, sizeof *items, status);
    if (!items)
        return NULL;
    if (file->bytes)
        memcpy(head, file->data, file->bytes < sizeof head ? file->bytes : sizeof head);
    bool good = marian_npz_begins(head) ? marian_read_npz(items, file, status)
                : marian_bin_begins(head)
                    ? marian_read_bin(items, file, status)
                    : status_fail(status, STATUS_INVALID,
                                  "neither .npz nor .bin, expected a model of Marian");
    if (good && sort(items, status))
        return items;
    marian_items_close(items);
    return NULL;
}

void marian_items_close(struct marian_items *items)
{
    if (!items)
        return;
    for (int i = 0; i < items->count; i++)
        free(items->items[i].name);
    zip_reader_close(items->zip);
    free(items->items);
    free(items);
}

struct marian_item *marian_items_find(const struct marian_items *items, const char *name)
{
    const struct marian_item key = {.name = (char *)name};
    return items->count ? bsearch(&key, items->items, (size_t)items->count, sizeof key, by_name)
                        : NULL;
}
