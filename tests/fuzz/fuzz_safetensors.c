/* The header of a safetensors file, with every byte that its tensors claim to have. */
#include "model/formats/safetensors.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    const struct mapped_file file = {.data = size ? data : NULL, .bytes = size, .descriptor = -1};
    struct safetensors *tensors = safetensors_read(&file, &status);
    if (!tensors)
        fuzz_refused(&status);
    for (int i = 0; tensors && i < safetensors_count(tensors); i++) {
        const struct stored_tensor *tensor = safetensors_tensor(tensors, i);
        fuzz_read(tensor->data, tensor->bytes);
        fuzz_check(safetensors_find(tensors, tensor->name) != NULL, "a tensor that is not found");
    }
    safetensors_close(tensors);
    return 0;
}
