#include "tests/support/packed.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/test.h"

json_t *packed_json_load(const char *path)
{
    char command[256];
    json_error_t error;
    assert_true((size_t)snprintf(command, sizeof command, "gzip -dc %s", path) < sizeof command);
    FILE *file = popen(command, "r");
    json_t *json = file ? json_loadf(file, 0, &error) : NULL;
    if (!json)
        fail_msg("%s: %s", path, file ? error.text : "cannot be read");
    assert_int_equal(pclose(file), 0);
    return json;
}

struct safetensors *packed_safetensors_open(const char *path)
{
    char command[256], copy[] = "/tmp/attnscope-packed-XXXXXX";
    struct status status;
    int file = mkstemp(copy);
    assert_true(file >= 0);
    close(file);
    assert_true((size_t)snprintf(command, sizeof command, "gzip -dc %s >%s", path, copy) <
                sizeof command);
    assert_int_equal(system(command), 0);
    struct safetensors *opened = safetensors_open(copy, &status);
    unlink(copy);
    if (!opened)
        fail_msg("%s: %s", path, status.message);
    return opened;
}
