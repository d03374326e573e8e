/* Checkpoints of OpenNMT-py: pickles, and weights beside them. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_model("opennmt-", data, size);
}
