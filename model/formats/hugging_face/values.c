/* Values of config.json, for all model types. */
#include <string.h>

#include "model/formats/hugging_face/reader.h"
#include "model/text/quote.h"

bool hf_need(struct hf_reader *reader, const char *key, int64_t *value)
{
    *value = family_integer(reader->config, key, -1);
    return *value >= 0 || status_fail(reader->status, STATUS_INVALID,
                                      "config.json: %s: missing, expected a number", key);
}

bool hf_need_or(struct hf_reader *reader, const char *key, int64_t otherwise, int64_t *value)
{
    *value = otherwise;
    return !json_object_get(reader->config, key) || hf_need(reader, key, value);
}

bool hf_read_activation(struct hf_reader *reader, const char *key, const char *name)
{
    static const char *const known[][2] = {
        {"relu", "relu"},
        {"gelu", "gelu"},
        {"gelu_python", "gelu"},
        {"gelu_new", "gelu_tanh"},
        {"gelu_fast", "gelu_tanh"},
        {"gelu_accurate", "gelu_tanh"},
        {"gelu_pytorch_tanh", "gelu_tanh"},
        {"gelu_python_tanh", "gelu_tanh"},
        {"quick_gelu", "gelu_sigmoid"},
        {"swish", "swish"},
        {"silu", "swish"},
        {"tanh", "tanh"},
        {"sigmoid", "sigmoid"},
    };
    for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
        if (strcmp(name, known[i][0]) == 0)
            reader->plain.activation = known[i][1];
    return reader->plain.activation ||
           status_fail(reader->status, STATUS_INVALID,
                       "config.json: %s: %s is not supported, expected relu, gelu, gelu_new, "
                       "quick_gelu, swish, silu, tanh or sigmoid",
                       key, name ? QUOTED(name) : "nothing");
}
