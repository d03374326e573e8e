/* Digests of folders, as sha256sum of coreutils computes them. */
#include <unistd.h>

#include "model/checkpoint/digests.h"
#include "tests/support/test.h"

static char folder[] = "/tmp/attnscope-digests-XXXXXX";

/* Runs a command in the folder; returns the first word of its output. */
static const char *run(const char *command)
{
    static char line[1024], word[256];
    snprintf(line, sizeof line, "cd %s && %s", folder, command);
    FILE *out = popen(line, "r");
    assert_non_null(out);
    *word = '\0';
    const int words = fscanf(out, "%255s", word);
    assert_true(words == 1 || words == EOF);
    assert_int_equal(pclose(out), 0);
    return word;
}

static void check(const char *command)
{
    char digest[DIGEST_DIGITS + 1];
    struct status status;
    if (!folder_digest(folder, digest, &status))
        fail_msg("%s", status.message);
    assert_string_equal(digest, run(command));
}

/* The lines of sha256sum, in the order of names; a folder has a line of its own lines' digest. What
 * is hidden, or neither file nor folder, does not count. */
static void a_folder_has_the_digest_of_its_lines(void **state)
{
    static const char lines[] = "{ sha256sum a b; printf '%s  c\\n' "
                                "$(cd c && sha256sum x | sha256sum | cut -d' ' -f1); } | sha256sum";
    check("sha256sum </dev/null");
    run("printf one >a && printf two >b && mkdir c && printf three >c/x");
    check(lines);
    run("printf hidden >.d && mkfifo e && ln -s nothing f");
    check(lines);
    // Every file counts, and so does its name.
    char before[DIGEST_DIGITS + 1], after[DIGEST_DIGITS + 1];
    struct status status;
    static const char *const changes[] = {"printf 1 >a", "printf 2 >b", "printf 3 >c/x", "mv a g",
                                          "mv c h"};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        assert_true(folder_digest(folder, before, &status));
        run(changes[i]);
        assert_true(folder_digest(folder, after, &status));
        assert_string_not_equal(before, after);
    }
}

static void what_cannot_be_read_is_named(void **state)
{
    char digest[DIGEST_DIGITS + 1];
    struct status status;
    assert_false(folder_digest("/nowhere", digest, &status));
    assert_string_equal(status.message, "/nowhere: No such file or directory");
    run("mkdir -p 1/2/3/4/5/6/7/8/9");
    assert_false(folder_digest(folder, digest, &status));
    assert_non_null(strstr(status.message, "1/2/3/4/5/6/7/8/9: too many folders in one another"));
    run("rmdir 1/2/3/4/5/6/7/8/9");
    assert_true(folder_digest(folder, digest, &status));
}

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    run("rm -rf -- a b c .d e f g h 1");
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_has_the_digest_of_its_lines),
        cmocka_unit_test(what_cannot_be_read_is_named),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
