/* YAML: configurations of toolkits, and vocabularies. */
#include "model/formats/yaml/yaml.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct status status = {0};
    json_t *value = yaml_parse((const char *)data, size, &status);
    if (!value)
        fuzz_refused(&status);
    json_decref(value);
    return 0;
}
