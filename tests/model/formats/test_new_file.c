/* Files that take their place when they are whole: links, and names as long as they can be. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/formats/new_file.h"
#include "tests/support/test.h"

/* System calls in place of the C library's functions
 * -------------------------------------------- */

static bool without_nameless; // as a filesystem that has no O_TMPFILE
static char asked[64];        // a letter for each: s(ync), l(ink), r(ename)

static void note(char letter)
{
    size_t length = strlen(asked);
    assert_true(length + 1 < sizeof asked);
    asked[length] = letter;
    asked[length + 1] = '\0';
}

int open(const char *path, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (without_nameless && (flags & O_TMPFILE) == O_TMPFILE) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int fsync(int descriptor)
{
    note('s');
    return (int)syscall(SYS_fsync, descriptor);
}

int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    note('l');
    return (int)syscall(SYS_linkat, from_folder, from, to_folder, to, flags);
}

int rename(const char *from, const char *to)
{
    note('r');
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* Files ---------------------------------------------------------------------------------------- */

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
    struct status status;
    assert_int_equal(symlink("nowhere/at-all", place("link")), 0);
    assert_false(write_file(place("link"), "new", &status));
    assert_non_null(strstr(status.message, "link: cannot be written: No such file"));
    assert_int_equal(count_entries(), 1);
    unlink(place("link"));
}

static void names_may_be_as_long_as_the_system_allows(void **state)
{
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

static mode_t mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

/* Checks with a umask that both kinds of files must respect: the one without a name at first, and
 * the one with a name. */
static void check_modes(void)
{
    static const mode_t modes[] = {0600, 0444, 0666, 0755};
    struct status status;
    mode_t before = umask(027);
    assert_true(write_file(place("new"), "new", &status));
    umask(before);
    assert_int_equal(mode_of(place("new")), 0640);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(place("new"), modes[i]), 0);
        assert_true(write_file(place("new"), "newer", &status));
        assert_int_equal(mode_of(place("new")), modes[i]);
        expect_text(place("new"), "newer");
    }
    unlink(place("new"));
    assert_int_equal(count_entries(), 0);
}

static void a_new_file_has_usual_permissions_and_a_replaced_one_its_own(void **state)
{
    check_modes();
    without_nameless = true;
    check_modes();
    without_nameless = false;
}

static void a_file_is_synced_before_it_replaces_another(void **state)
{
    struct status status;
    asked[0] = '\0';
    assert_true(write_file(place("new"), "old", &status));
    assert_string_equal(asked, "l"); // nothing is replaced
    asked[0] = '\0';
    assert_true(write_file(place("new"), "new", &status));
    assert_string_equal(asked, "slr");
    without_nameless = true;
    asked[0] = '\0';
    assert_true(write_file(place("new"), "newer", &status));
    without_nameless = false;
    assert_string_equal(asked, "sr");
    unlink(place("new"));
}

/* Another file of the name comes while this one is written. */
static void the_last_one_written_stays(void **state)
{
    struct status status;
    struct new_file file;
    assert_true(new_file_open(&file, place("new"), &status));
    assert_true(write_file(place("new"), "between", &status));
    assert_true(fputs("last", file.stream) >= 0);
    assert_true(new_file_close(&file, true, &status));
    expect_text(place("new"), "last");
    unlink(place("new"));
    assert_int_equal(count_entries(), 0);
}

static void what_was_not_good_leaves_nothing(void **state)
{
    for (int nameless = 0; nameless < 2; nameless++) {
        struct status status;
        struct new_file file;
        without_nameless = !nameless;
        assert_true(new_file_open(&file, place("new"), &status));
        assert_int_equal(count_entries(), nameless ? 0 : 1);
        assert_true(fputs("half", file.stream) >= 0);
        assert_false(new_file_close(&file, false, &status));
        assert_int_equal(count_entries(), 0);
    }
    without_nameless = false;
}

static void a_killed_process_leaves_nothing(void **state)
{
    int code;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct status status;
        struct new_file file;
        if (new_file_open(&file, place("new"), &status) && fputs("half", file.stream) >= 0 &&
            fflush(file.stream) == 0)
            kill(getpid(), SIGKILL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &code, 0), child);
    assert_true(WIFSIGNALED(code));
    assert_int_equal(count_entries(), 0);
}

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_link_stays_and_what_it_leads_to_is_replaced),
        cmocka_unit_test(a_link_to_nothing_is_an_error),
        cmocka_unit_test(names_may_be_as_long_as_the_system_allows),
        cmocka_unit_test(a_name_without_a_folder_is_written_where_the_program_is),
        cmocka_unit_test(a_new_file_has_usual_permissions_and_a_replaced_one_its_own),
        cmocka_unit_test(a_file_is_synced_before_it_replaces_another),
        cmocka_unit_test(the_last_one_written_stays),
        cmocka_unit_test(what_was_not_good_leaves_nothing),
        cmocka_unit_test(a_killed_process_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
