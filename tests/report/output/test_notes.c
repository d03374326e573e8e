/* Files that are to say how they were made, and cannot be read. */
#include <unistd.h>

#include "report/output/provenance.h"
#include "tests/support/test.h"

static const char *const extensions[] = {"png", "pdf", "svg",  "csv", "tsv",
                                         "tex", "md",  "json", "npz", "safetensors"};
enum { EXTENSIONS = sizeof extensions / sizeof *extensions };

static void a_file_that_is_not_there_is_named(void **state)
{
    char path[100], expected[200];
    for (int i = 0; i < EXTENSIONS; i++) {
        struct status status = {0};
        snprintf(path, sizeof path, "/nowhere/figure.%s", extensions[i]);
        snprintf(expected, sizeof expected, "%s: ", path);
        assert_null(notes_read(path, &status));
        if (strncmp(status.message, expected, strlen(expected)) != 0 ||
            !strstr(status.message, ": No such file or directory"))
            fail_msg("%s", status.message);
    }
}

/* Without notes the message is that nothing says how the file was made; if the file is not even of
 * that kind, the message says so. */
static void an_empty_file_is_no_figure(void **state)
{
    char folder[] = "/tmp/attnscope-notes-XXXXXX", path[100];
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < EXTENSIONS; i++) {
        struct status status = {0};
        snprintf(path, sizeof path, "%s/figure.%s", folder, extensions[i]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fclose(file);
        assert_null(notes_read(path, &status));
        if (strncmp(status.message, path, strlen(path)) != 0 ||
            strncmp(status.message + strlen(path), ": ", 2) != 0 || strchr(status.message, '\n'))
            fail_msg("%s", status.message);
        assert_int_equal(unlink(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

static void other_files_are_refused(void **state)
{
    struct status status = {0};
    assert_null(notes_read("/nowhere/figure.txt", &status));
    assert_string_equal(status.message,
                        "/nowhere/figure.txt: expected an exported file that can say how it was "
                        "made, such as .png");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_is_not_there_is_named),
        cmocka_unit_test(an_empty_file_is_no_figure),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
