/* The parameters of Marian's .npz and .bin, with every byte that they claim to have. */
#include "model/formats/marian/items.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    const struct mapped_file mapped = {.data = size ? data : NULL, .bytes = size, .descriptor = -1};
    struct marian_items *items = marian_items_open(&mapped, &status);
    if (!items)
        fuzz_refused(&status);
    for (int i = 0; items && i < items->count; i++)
        fuzz_read(items->items[i].data, items->items[i].bytes);
    marian_items_close(items);
    return 0;
}
