#include "tests/model/formats/ctranslate2/ct2_support.h"

#include <jansson.h>

#include "model/checkpoint/checkpoint.h"
#include "tests/model/formats/open_support.h"
#include "tests/support/test.h"

void write_bytes(const char *name, const void *bytes, size_t count)
{
    FILE *out = fopen(path_of(name), "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, count, out), count);
    assert_int_equal(fclose(out), 0);
}

void check_part(const char *part, const char *expected)
{
    struct status status = {0};
    struct checkpoint *checkpoint = checkpoint_open(folder, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    json_t *config = json_loads(checkpoint->config->json, 0, NULL);
    json_t *value = json_loads(expected, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    if (!json_equal(json_object_get(config, part), value))
        fail_msg("%s: expected %s", part, expected);
    json_decref(value);
    json_decref(config);
    checkpoint_close(checkpoint);
}

void check_tokenizer(const char *path, const char *expected, const char *name)
{
    struct status status = {0};
    struct checkpoint *checkpoint = checkpoint_open(path, &status);
    if (!checkpoint)
        fail_msg("%s", status.message);
    json_t *config = json_loads(checkpoint->config->json, 0, NULL);
    json_t *kind = json_object_get(json_object_get(config, "tokenizer"), "kind");
    assert_string_equal(json_string_value(kind), expected);
    assert_string_equal(checkpoint->config->name, name);
    json_decref(config);
    checkpoint_close(checkpoint);
}
