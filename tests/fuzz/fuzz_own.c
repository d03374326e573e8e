/* Our own format: everything in one file. */
#include "model/checkpoint/checkpoint.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    struct checkpoint *checkpoint = checkpoint_open(fuzz_write("model.bin", data, size), &status);
    if (!checkpoint)
        fuzz_refused(&status);
    checkpoint_close(checkpoint);
    return 0;
}
