/* Folders of JoeyNMT: configuration, vocabularies, checkpoint. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_model("joeynmt-", data, size);
}
