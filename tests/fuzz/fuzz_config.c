/* The configuration of a model, as JSON. */
#include "model/checkpoint/config.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    struct config *config = config_parse((const char *)data, size, &status);
    if (!config || !config_check_ids(config, 64, 48, &status))
        fuzz_refused(&status);
    config_free(config);
    return 0;
}
