/* The file of lines typed before, and what stands in its place. */
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <readline/history.h>

#include "tests/support/test.h"
#include "tui/prompt/history.h"

static char folder[] = "/tmp/attnscope-history-XXXXXX";
static char place[64], path[96];

static void forget(void)
{
    clear_history();
}

static void lines_are_there_in_the_next_session(void **state)
{
    struct stat about;
    history_open();
    history_keep("first");
    history_keep("second");
    history_keep("second");
    history_close();
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0777, 0600);
    forget();
    history_open();
    assert_int_equal(history_length, 2);
    assert_string_equal(history_get(history_base)->line, "first");
    assert_string_equal(history_get(history_base + 1)->line, "second");
    history_close();
    forget();
    unlink(path);
}

/* A pipe would keep whoever reads it waiting; the alarm ends a test that does. */
static void a_pipe_or_a_folder_in_its_place_is_left_alone(void **state)
{
    enum { SECONDS = 20 };
    for (int pipe = 0; pipe < 2; pipe++) {
        struct stat about;
        assert_int_equal(pipe ? mkfifo(path, 0600) : mkdir(path, 0700), 0);
        alarm(SECONDS);
        history_open();
        history_keep("a line");
        assert_int_equal(history_length, 1); // of this session
        history_close();
        alarm(0);
        forget();
        assert_int_equal(stat(path, &about), 0);
        assert_true(pipe ? S_ISFIFO(about.st_mode) : S_ISDIR(about.st_mode));
        assert_int_equal(remove(path), 0);
    }
}

static int make_folder(void **state)
{
    if (!mkdtemp(folder) || setenv("XDG_STATE_HOME", folder, 1) != 0)
        return -1;
    snprintf(place, sizeof place, "%s/attnscope", folder);
    snprintf(path, sizeof path, "%s/history", place);
    return mkdir(place, 0700);
}

static int remove_folder(void **state)
{
    return rmdir(place) || rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_there_in_the_next_session),
        cmocka_unit_test(a_pipe_or_a_folder_in_its_place_is_left_alone),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
