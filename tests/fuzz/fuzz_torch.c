/* Files of torch.save in both layouts: every tensor in a dict of theirs, with every byte of it. */
#include "model/formats/archive/torch_file.h"
#include "tests/fuzz/fuzz.h"

static void read_tensors(struct torch_file *torch, const struct pickle_value *dict)
{
    struct status status = {0};
    int count = 0;
    const struct stored_tensor *tensors = torch_tensors(torch, dict, &count, &status);
    for (int i = 0; tensors && i < count; i++)
        fuzz_read(tensors[i].data, tensors[i].bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    const struct mapped_file file = {.data = size ? data : NULL, .bytes = size, .descriptor = -1};
    struct torch_file *torch = torch_file_open(&file, &status);
    if (!torch) {
        fuzz_refused(&status);
        return 0;
    }
    read_tensors(torch, torch_root(torch));
    read_tensors(torch, pickle_get(torch_root(torch), "model"));
    torch_file_close(torch);
    return 0;
}
