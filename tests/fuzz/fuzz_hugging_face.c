/* Hugging Face folders: configuration, vocabularies, index, weights. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_model("hf-", data, size);
}
