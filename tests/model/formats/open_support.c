#include "tests/model/formats/open_support.h"
#include "tests/support/test.h"

#include <unistd.h>

#include "model/checkpoint/checkpoint.h"

char folder[] = "/tmp/attnscope-formats-XXXXXX";

int open_make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

int open_remove_folder(void **state)
{
    return rmdir(folder);
}

const char *path_of(const char *name)
{
    static char paths[2][256];
    static int turn;
    turn = !turn;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
    return paths[turn];
}

void copy_file(const char *from, const char *name)
{
    char bytes[1 << 16];
    FILE *in = fopen(from, "rb"), *out = fopen(path_of(name), "wb");
    assert_non_null(in);
    assert_non_null(out);
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, in)) > 0;)
        assert_int_equal(fwrite(bytes, 1, got, out), got);
    fclose(in);
    assert_int_equal(fclose(out), 0);
}

void refused(const char *path, const char *expected)
{
    struct status status = {0};
    struct checkpoint *checkpoint = checkpoint_open(path, &status);
    if (checkpoint || !strstr(status.message, expected))
        fail_msg("%s: %s, expected %s", path, checkpoint ? "opened" : status.message, expected);
    checkpoint_close(checkpoint);
}
