#include "tests/model/formats/open_support.h"
#include "tests/support/test.h"

#include <unistd.h>

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

static void run(const char *program, const char *first, const char *second)
{
    char command[1024];
    snprintf(command, sizeof command, "%s %s %s", program, first, second);
    assert_int_equal(system(command), 0);
}

const char *copy_model(const char *name)
{
    char golden[256];
    snprintf(golden, sizeof golden, "tests/golden/formats/%s", name);
    run("cp -r", golden, folder);
    return path_of(name);
}

void remove_model(const char *name)
{
    run("rm -r", path_of(name), "");
}

/* Any bytes. */
static void edit(const char *path, const struct change *change, bool everywhere)
{
    static char bytes[1 << 20];
    const size_t length = strlen(change->from);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    const size_t count = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_in_range(count, 1, sizeof bytes - 1);
    file = fopen(path, "wb");
    assert_non_null(file);
    int found = 0;
    for (size_t at = 0; at < count;) {
        const bool here = (everywhere || !found) && at + length <= count &&
                          memcmp(bytes + at, change->from, length) == 0;
        if (here)
            fputs(change->to, file);
        else
            fputc(bytes[at], file);
        at += here ? length : 1;
        found += here;
    }
    assert_int_equal(fclose(file), 0);
    if (!found)
        fail_msg("%s: no %s", path, change->from);
}

struct checkpoint *open_changed(const struct change *change, bool everywhere, struct status *status)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", copy_model(change->folder), change->file);
    edit(path, change, everywhere);
    struct checkpoint *checkpoint = checkpoint_open(path_of(change->folder), status);
    remove_model(change->folder);
    return checkpoint;
}

void check_changed(const struct change *change, bool everywhere)
{
    struct status status = {0};
    struct checkpoint *checkpoint = open_changed(change, everywhere, &status);
    if (checkpoint ? change->expected != NULL
                   : !change->expected || !strstr(status.message, change->expected))
        fail_msg("%s/%s: %s for %s: \"%s\", expected \"%s\"", change->folder, change->file,
                 change->to, change->from, checkpoint ? "opened" : status.message,
                 change->expected ? change->expected : "opened");
    checkpoint_close(checkpoint);
}
