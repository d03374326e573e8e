/* The tests' terminal shows what a terminal must show: sequences written by hand, cells read
 * back. */
#include "tests/support/test.h"
#include "tests/support/tmux_support.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/cli_support.h"

/* A shell that runs a script. */
static struct tmux open_shell(int columns, int rows, const char *script)
{
    return tmux_open(
        &(struct tmux_spec){.columns = columns,
                            .rows = rows,
                            .environment = (const char *const[]){"COLORTERM=truecolor", NULL},
                            .arguments = (const char *const[]){"sh", "-c", script, NULL}});
}

static void check_cell(const struct tmux_screen *screen, int row, int column, const char *text,
                       int ink, int fill)
{
    const struct tmux_cell *cell = tmux_cell(screen, row, column);
    if (strcmp(cell->text, text) != 0 || cell->ink != ink || cell->fill != fill)
        fail_msg("row %d, column %d: \"%s\" in %x on %x, expected \"%s\" in %x on %x", row, column,
                 cell->text, cell->ink, cell->fill, text, ink, fill);
}

static void colours_are_those_that_were_written(void **state)
{
    struct tmux tmux = open_shell(
        40, 6,
        "printf "
        "'\\033[38;2;1;2;3;48;5;200ma\\033[38:2::9:8:7mb\\033[31;102mc\\033[95;47md\\033[0me'"
        "'\\033[1;4;7mf\\033[22;24mg\\033[m\\n\\033[48;2;255;0;128m  "
        "\\nx\\033[K\\033[38Cy\\033[m\\n"
        "日本語|e\\314\\201|\\033[3;2mz\\033[m end'; read stop");
    tmux_expect(&tmux, "end");
    struct tmux_screen screen = tmux_capture(&tmux);
    assert_int_equal(screen.rows, 6);
    assert_int_equal(screen.columns, 40);
    check_cell(&screen, 0, 0, "a", TMUX_RGB | 0x010203, 200);
    check_cell(&screen, 0, 1, "b", TMUX_RGB | 0x090807, 200);
    check_cell(&screen, 0, 2, "c", 1, 10);
    check_cell(&screen, 0, 3, "d", 13, 7);
    check_cell(&screen, 0, 4, "e", TMUX_DEFAULT, TMUX_DEFAULT);
    const struct tmux_cell *f = tmux_cell(&screen, 0, 5), *g = tmux_cell(&screen, 0, 6);
    assert_true(f->bold && f->underline && f->reverse && !f->faint && !f->italic);
    assert_true(!g->bold && !g->underline && g->reverse);
    check_cell(&screen, 0, 7, " ", TMUX_DEFAULT, TMUX_DEFAULT);
    check_cell(&screen, 1, 1, " ", TMUX_DEFAULT, TMUX_RGB | 0xff0080);
    check_cell(&screen, 1, 2, " ", TMUX_DEFAULT, TMUX_DEFAULT);
    check_cell(&screen, 2, 0, "x", TMUX_DEFAULT, TMUX_RGB | 0xff0080);
    check_cell(&screen, 2, 20, " ", TMUX_DEFAULT, TMUX_RGB | 0xff0080);
    struct rgb colour = tmux_rgb(tmux_cell(&screen, 2, 20)->fill);
    assert_true(colour.red == 255 && colour.green == 0 && colour.blue == 128);
    check_cell(&screen, 3, 0, "日", TMUX_DEFAULT, TMUX_DEFAULT);
    check_cell(&screen, 3, 1, "", TMUX_DEFAULT, TMUX_DEFAULT);
    check_cell(&screen, 3, 7, "e\314\201", TMUX_DEFAULT, TMUX_DEFAULT);
    assert_true(tmux_cell(&screen, 3, 9)->faint && tmux_cell(&screen, 3, 9)->italic);
    assert_string_equal(tmux_row(&screen, 3, 2, 7), "本語|");
    int row = 0, column;
    assert_true(tmux_find(&screen, "語|", &row, &column));
    assert_int_equal(row, 3);
    assert_int_equal(column, 4);
    row = 0;
    assert_true(tmux_find(&screen, "|e", &row, &column));
    assert_int_equal(column, 6);
    row = 0;
    assert_false(tmux_find(&screen, "nowhere", &row, &column));
    tmux_screen_free(&screen);
    tmux_close(&tmux);
}

static void keys_and_sizes_reach_the_program(void **state)
{
    struct tmux tmux = open_shell(
        50, 8,
        "read line; trap 'stty size' WINCH; stty raw -echo; printf '<%s>\\r\\n' \"$line\";"
        "dd bs=1 count=3 2>/dev/null | od -An -tx1; stty sane; echo now; read other; "
        "read last; exit 7");
    tmux_type(&tmux, "日本; -x \"");
    tmux_press(&tmux, "a ; Enter");
    tmux_expect(&tmux, "<日本; -x \"a;>");
    tmux_press(&tmux, "Up");
    tmux_expect_match(&tmux, "^ +1b 5b 41$");
    tmux_expect(&tmux, "now");
    tmux_resize(&tmux, 61, 9);
    tmux_press(&tmux, "Enter"); // the shell tells when it has read
    tmux_expect_match(&tmux, "^9 61$");
    tmux_press(&tmux, "Enter");
    assert_int_equal(tmux_finish(&tmux), 7);
    tmux_close(&tmux);
}

static void clicks_come_in_the_protocol_that_was_asked_for(void **state)
{
    struct tmux tmux = open_shell(80, 8,
                                  "stty raw -echo; printf '\\033[?1000h\\033[?1006hsgr\\r\\n';"
                                  "dd bs=1 count=20 2>/dev/null | od -An -c -w40;"
                                  "printf '\\033[?1006l\\rold\\r\\n';"
                                  "dd bs=1 count=6 2>/dev/null | od -An -tx1 -w40; sleep 1000");
    tmux_expect(&tmux, "sgr");
    tmux_expect_format(&tmux, "#{mouse_any_flag}#{mouse_sgr_flag}", "11");
    tmux_click(&tmux, 4, 10, TMUX_LEFT);
    tmux_expect(&tmux, "033   [   <   0   ;   1   1   ;   5   M 033   [   <   0   ;");
    tmux_expect(&tmux, "old");
    tmux_expect_format(&tmux, "#{mouse_any_flag}#{mouse_sgr_flag}", "10");
    tmux_click(&tmux, 1, 2, TMUX_UP);
    tmux_click(&tmux, 1, 2, TMUX_DOWN);
    tmux_expect(&tmux, "1b 5b 4d 60 23 22");
    tmux_close(&tmux);
}

static void ends_and_copies_are_told(void **state)
{
    struct tmux tmux =
        open_shell(30, 4,
                   "printf '\\033[?1049h\\033[?25l\\033]52;c;aGVsbG8=\\007gone soon'; read stop;"
                   "printf '\\033[?1049l\\033[?25hplain'; read stop; kill -15 $$");
    tmux_expect(&tmux, "gone soon");
    assert_string_equal(tmux_format(&tmux, "#{alternate_on} #{cursor_flag} #{cursor_x}"), "1 0 9");
    char *copied = tmux_copied(&tmux);
    assert_string_equal(copied, "hello");
    free(copied);
    assert_int_equal(kill(tmux_pid(&tmux), 0), 0);
    tmux_press(&tmux, "Enter");
    tmux_expect_gone(&tmux, "gone soon");
    tmux_expect(&tmux, "plain");
    assert_string_equal(tmux_format(&tmux, "#{alternate_on}"), "0");
    tmux_press(&tmux, "Enter"); // what is written in dying may be lost
    assert_int_equal(tmux_finish(&tmux), 256 + SIGTERM);
    tmux_close(&tmux);
}

/* A test program that is killed leaves neither server nor program. */
static void nothing_outlives_the_test(void **state)
{
    int ends[2];
    pid_t pids[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        struct tmux tmux = open_shell(30, 4, "echo here; sleep 1000");
        tmux_expect(&tmux, "here");
        pids[0] = tmux.server;
        pids[1] = tmux_pid(&tmux);
        if (write(ends[1], pids, sizeof pids) != sizeof pids)
            _exit(1);
        raise(SIGKILL);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], pids, sizeof pids), sizeof pids);
    assert_int_equal(waitpid(child, NULL, 0), child);
    for (int i = 0; i < 2; i++) {
        int waits = 0;
        for (; kill(pids[i], 0) == 0 && waits < 6000; waits++)
            usleep(10000);
        assert_true(waits < 6000);
    }
    close(ends[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_those_that_were_written),
        cmocka_unit_test(keys_and_sizes_reach_the_program),
        cmocka_unit_test(clicks_come_in_the_protocol_that_was_asked_for),
        cmocka_unit_test(ends_and_copies_are_told),
        cmocka_unit_test(nothing_outlives_the_test),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
