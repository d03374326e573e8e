/* Checkpoints of fairseq: pickles, and dictionaries beside them. */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_model("fairseq-", data, size);
}
