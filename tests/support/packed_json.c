#include "tests/support/packed_json.h"

#include <stdio.h>

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
