/* Files that take their place when they are whole: links, and names as long as they can be. */
#include <dirent.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/formats/new_file.h"

static char folder[] = "/tmp/attnscope-new-file-XXXXXX";

static char *place(const char *name)
{
    static char path[4][PATH_MAX];
    static int next;
    char *here = path[next++ % 4];
    snprintf(here, PATH_MAX, "%s/%s", folder, name);
    return here;
}

static bool write_file(const char *path, const char *text, struct status *status)
{
    struct new_file file;
    if (!new_file_open(&file, path, status))
        return false;
    return new_file_close(&file, fputs(text, file.stream) >= 0, status);
}

static void expect_text(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(found, sizeof found, file));
    fclose(file);
    assert_string_equal(found, text);
}

static int count_entries(void)
{
    int count = 0;
    DIR *entries = opendir(folder);
    assert_non_null(entries);
    while (readdir(entries))
        count++;
    closedir(entries);
    return count - 2; // itself and its parent
}

static void a_link_stays_and_what_it_leads_to_is_replaced(void **state)
{
    (void)state;
    struct status status;
    struct stat about;
    assert_int_equal(mkdir(place("deep"), 0700), 0);
    assert_true(write_file(place("deep/real"), "old", &status));
    assert_int_equal(symlink("deep/real", place("link")), 0);
    assert_true(write_file(place("link"), "new", &status));
    assert_int_equal(lstat(place("link"), &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    expect_text(place("deep/real"), "new");
    unlink(place("link"));
    unlink(place("deep/real"));
    assert_int_equal(rmdir(place("deep")), 0); // nothing else was left there
}

static void a_link_to_nothing_is_an_error(void **state)
{
    (void)state;
    struct status status;
    assert_int_equal(symlink("nowhere/at-all", place("link")), 0);
    assert_false(write_file(place("link"), "new", &status));
    assert_non_null(strstr(status.message, "link: cannot be written: No such file"));
    assert_int_equal(count_entries(), 1);
    unlink(place("link"));
}

static void names_may_be_as_long_as_the_system_allows(void **state)
{
    (void)state;
    struct status status;
    char name[NAME_MAX + 2];
    memset(name, 'x', sizeof name);
    name[NAME_MAX] = '\0';
    assert_true(write_file(place(name), "long", &status));
    expect_text(place(name), "long");
    unlink(place(name));
    name[NAME_MAX] = 'x';
    name[NAME_MAX + 1] = '\0';
    assert_false(write_file(place(name), "longer", &status));
    assert_non_null(strstr(status.message, "name too long"));
    assert_int_equal(count_entries(), 0);
}

static void a_name_without_a_folder_is_written_where_the_program_is(void **state)
{
    (void)state;
    struct status status;
    char before[PATH_MAX];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(folder), 0);
    bool ok = write_file("bare", "here", &status);
    assert_int_equal(chdir(before), 0);
    assert_true(ok);
    expect_text(place("bare"), "here");
    unlink(place("bare"));
    assert_int_equal(count_entries(), 0);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_stays_and_what_it_leads_to_is_replaced),
        cmocka_unit_test(a_link_to_nothing_is_an_error),
        cmocka_unit_test(names_may_be_as_long_as_the_system_allows),
        cmocka_unit_test(a_name_without_a_folder_is_written_where_the_program_is),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
