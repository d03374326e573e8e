/* Folders of Sockeye: configuration, weights and vocabularies. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_model("sockeye-", data, size);
}
