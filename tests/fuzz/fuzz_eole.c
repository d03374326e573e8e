/* Folders of Eole: configuration, vocabularies, weights and subword models. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_model("eole", data, size);
}
