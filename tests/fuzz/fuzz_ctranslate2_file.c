/* The variables of CTranslate2's model.bin, with every byte that they claim to have. */
#include "model/formats/ctranslate2/reader.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    const struct mapped_file mapped = {.data = size ? data : NULL, .bytes = size, .descriptor = -1};
    struct ct2_file *file = ct2_open(&mapped, &status);
    if (!file)
        fuzz_refused(&status);
    for (int i = 0; file && i < file->count; i++)
        fuzz_read(file->variables[i].data, file->variables[i].bytes);
    ct2_close(file);
    return 0;
}
