/* The terminal is as it was found whatever ends or stops the full-screen session: it runs under a
 * shell, which says what the terminal is like before and after. */
#include <limits.h>
#include <signal.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/shell_support.h"
#include "tests/support/test.h"

// The terminal's state
#define VIEW "1 0 1 1"
#define PROMPT "1 1 1 0"

static struct tmux open_shell(void)
{
    static const char *const environment[] = {"COLORTERM=truecolor", NULL};
    return shell_open(&(struct tmux_spec){.columns = 90, .rows = 24, .environment = environment});
}

/* Runs the program from the shell; its process is that of the number in the file "pid". */
static void begin(const struct tmux *tmux)
{
    char command[3 * PATH_MAX];
    snprintf(command, sizeof command, "sh -c 'echo $$ >%s; exec %s --device cpu --threads 1 %s'",
             cli_path("pid"), cli_program(), MODEL);
    shell_run(tmux, command);
}

static pid_t program_pid(void)
{
    char *text = cli_read(cli_path("pid"), NULL);
    pid_t pid = (pid_t)strtol(text, NULL, 10);
    free(text);
    assert_true(pid > 1);
    return pid;
}

/* What is written now has no colour left. */
static void check_colours(const struct tmux *tmux, const char *text)
{
    struct tmux_screen screen = tmux_capture(tmux);
    int row = 0, column;
    assert_true(tmux_find(&screen, text, &row, &column));
    const struct tmux_cell *cell = tmux_cell(&screen, row, column);
    assert_int_equal(cell->ink, TMUX_DEFAULT);
    assert_int_equal(cell->fill, TMUX_DEFAULT);
    assert_false(cell->bold || cell->faint || cell->reverse || cell->underline);
    tmux_screen_free(&screen);
}

/* The scroll region is the whole screen again, whatever size the window has by then: of the
 * sequences that set it ("CSI top ; bottom r") the last one sent is the one without numbers. */
static void check_scroll_region(void)
{
    char *sent = cli_read(cli_path("sent"), NULL), *at = sent;
    size_t numbers = 0;
    while ((at = strstr(at, "\033["))) {
        at += 2;
        size_t length = strspn(at, "0123456789;");
        numbers = at[length] == 'r' ? length : numbers;
    }
    free(sent);
    assert_int_equal(numbers, 0);
}

static void expect_end(const struct tmux *tmux, int code)
{
    char marker[32];
    snprintf(marker, sizeof marker, "code=%d", code);
    shell_expect_end(tmux, code);
    check_colours(tmux, marker);
    check_scroll_region();
}

/* Where the program is when it ends. */
enum place { AT_PROMPT, IN_VIEW, AT_WORK, PLACES };

/* Lines enough for some seconds of work. */
static void write_sentences(void)
{
    FILE *file = fopen(cli_path("many"), "w");
    assert_non_null(file);
    for (int i = 0; i < 20000; i++)
        fputs("the dog sees a cat in the house and the man sees the dog\n", file);
    fclose(file);
}

/* To where all is drawn: half of it and what others write would make commands that the terminal
 * answers. F5 is answered in the last line, which is drawn last. */
static void go_to(const struct tmux *tmux, enum place place)
{
    static const char answer[] = "key not bound in this view";
    char line[PATH_MAX + 20];
    tmux_expect(tmux, "Type a sentence");
    tmux_type(tmux, "the dog sees a cat\r");
    tmux_expect(tmux, "source \xe2\x86\x92");
    tmux_expect_format(tmux, SHELL_STATE, PROMPT);
    tmux_press(tmux, "Escape");
    tmux_expect_format(tmux, SHELL_STATE, VIEW);
    tmux_press(tmux, "F5");
    tmux_expect(tmux, answer);
    if (place == AT_PROMPT) {
        tmux_type(tmux, "i");
        tmux_expect_format(tmux, SHELL_STATE, PROMPT);
        tmux_expect_gone(tmux, answer);
    } else if (place == AT_WORK) {
        snprintf(line, sizeof line, ":translate %s\r\033", cli_path("many"));
        tmux_type(tmux, line);
        tmux_expect(tmux, "Esc stops");
    }
}

static void keys_and_signals_leave_the_terminal_as_it_was(void **state)
{
    static const struct {
        const char *keys;
        int signal, code; // as a shell says it
    } cases[] = {{"\003\007:q\r", 0, 0},         {"\003\007\004", 0, 0},
                 {NULL, SIGTERM, 128 + SIGTERM}, {NULL, SIGHUP, 128 + SIGHUP},
                 {NULL, SIGSEGV, 128 + SIGSEGV}, {NULL, SIGABRT, 128 + SIGABRT},
                 {NULL, SIGQUIT, 128 + SIGQUIT}, {NULL, SIGBUS, 128 + SIGBUS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (enum place place = 0; place < PLACES; place++) {
            struct tmux tmux = open_shell();
            begin(&tmux);
            go_to(&tmux, place);
            if (cases[i].keys)
                tmux_type(&tmux, cases[i].keys);
            else
                assert_int_equal(kill(program_pid(), cases[i].signal), 0);
            expect_end(&tmux, cases[i].code);
            tmux_close(&tmux);
        }
}

/* The program ends, though nobody reads what it says any more. */
static void it_ends_when_its_terminal_is_closed(void **state)
{
    for (enum place place = 0; place < PLACES; place++) {
        struct tmux tmux = open_shell();
        begin(&tmux);
        go_to(&tmux, place);
        pid_t pid = program_pid();
        tmux_close(&tmux);
        for (int i = 0; i < 6000 && kill(pid, 0) == 0; i++)
            usleep(10000);
        assert_int_not_equal(kill(pid, 0), 0);
    }
}

static void stopped_it_leaves_the_terminal_and_comes_back(void **state)
{
    for (enum place place = 0; place < PLACES; place++) {
        struct tmux tmux = open_shell();
        begin(&tmux);
        go_to(&tmux, place);
        for (int i = 0; i < 2; i++) {
            tmux_press(&tmux, "C-z");
            tmux_expect_format(&tmux, SHELL_STATE, SHELL_FOUND);
            tmux_expect(&tmux, SHELL_READY);
            shell_look(&tmux);
            shell_check_restored(&tmux);
            check_colours(&tmux, "looked");
            check_scroll_region();
            tmux_type(&tmux, "fg\r");
            tmux_expect(&tmux, "mean of 4 heads");
            tmux_expect_gone(&tmux, "looked");
            tmux_expect_format(&tmux, SHELL_STATE, place == AT_PROMPT ? PROMPT : VIEW);
        }
        tmux_type(&tmux, "\003\007\004");
        tmux_expect_format(&tmux, SHELL_STATE, SHELL_FOUND);
        tmux_close(&tmux);
    }
}

/* What was on the screen stays there, of which this looks for the last; what the shell writes has a
 * line of its own below, and there may be many of these. */
static void without_another_screen_the_last_line_is_left_free(void **state)
{
    struct tmux tmux =
        shell_open(&(struct tmux_spec){.columns = 90, .rows = 24, .one_screen = true});
    begin(&tmux);
    tmux_expect(&tmux, "Type a sentence");
    tmux_type(&tmux, "the dog sees a cat\r");
    tmux_expect(&tmux, "mean of 4 heads");
    tmux_press(&tmux, "Escape");
    tmux_expect(&tmux, " view  i prompt ");
    tmux_press(&tmux, "C-z");
    tmux_expect_match(&tmux, "^code=148 *$");
    tmux_expect(&tmux, " view  i prompt ");
    tmux_type(&tmux, "clear; fg; echo en''ded=$?\r");
    tmux_expect_gone(&tmux, "code=148");
    tmux_expect(&tmux, "mean of 4 heads");
    tmux_type(&tmux, "\004");
    tmux_expect_match(&tmux, "^ended=0 *$");
    tmux_expect(&tmux, " view  i prompt ");
    shell_look(&tmux);
    shell_check_restored(&tmux);
    tmux_close(&tmux);
}

/* There the session goes line by line, and says why. */
static void unknown_terminals_are_told(void **state)
{
    static const char *const environment[] = {"TERM=none-such", NULL};
    static const char *const arguments[] = {"--device", "cpu", MODEL, NULL};
    struct tmux tmux = tmux_open_program(&(struct tmux_spec){
        .columns = 120, .rows = 12, .environment = environment, .arguments = arguments});
    tmux_expect_match(&tmux,
                      "^attnscope: TERM=none-such cannot draw a full screen; using line mode *$");
    tmux_expect(&tmux, "lists the commands");
    tmux_type(&tmux, "the dog sees a cat\r:q\r");
    assert_int_equal(tmux_finish(&tmux), 0);
    tmux_close(&tmux);
}

/* SIGSTOP cannot be heard: others write to the terminal as it is. Nothing is lost when the program
 * goes on. */
static void stopped_unheard_it_comes_back(void **state)
{
    for (enum place place = AT_PROMPT; place <= IN_VIEW; place++) {
        struct tmux tmux = open_shell();
        begin(&tmux);
        go_to(&tmux, place);
        assert_int_equal(kill(program_pid(), SIGSTOP), 0);
        tmux_expect(&tmux, SHELL_READY);
        tmux_type(&tmux, "stty sane; clear; echo over''written\r\n");
        tmux_expect(&tmux, "overwritten");
        tmux_type(&tmux, "fg\r");
        tmux_expect(&tmux, "mean of 4 heads");
        tmux_expect_gone(&tmux, "overwritten");
        tmux_expect_format(&tmux, SHELL_STATE, place == AT_PROMPT ? PROMPT : VIEW);
        tmux_type(&tmux, "\004"); // heard at once, as before
        tmux_expect_format(&tmux, SHELL_STATE, SHELL_FOUND);
        shell_look(&tmux);
        shell_check_restored(&tmux);
        tmux_close(&tmux);
    }
}

/* What libraries write to standard error is said below the picture, not across it. */
static void standard_error_is_said_in_its_place(void **state)
{
    char path[64];
    struct tmux tmux = open_shell();
    begin(&tmux);
    go_to(&tmux, IN_VIEW);
    struct tmux_screen before = tmux_capture(&tmux);
    snprintf(path, sizeof path, "/proc/%ld/fd/2", (long)program_pid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("a library's words\nand more\033[2J\n", file);
    fclose(file);
    tmux_expect(&tmux, "and more\xe2\x90\x9b[2J");
    struct tmux_screen after = tmux_capture(&tmux);
    for (int row = 0; row + 1 < before.rows; row++)
        for (int column = 0; column < before.columns; column++)
            assert_string_equal(tmux_cell(&after, row, column)->text,
                                tmux_cell(&before, row, column)->text);
    tmux_screen_free(&before);
    tmux_screen_free(&after);
    tmux_type(&tmux, "\004");
    expect_end(&tmux, 0);
    tmux_close(&tmux);
}

static int open_folder(void **state)
{
    if (cli_open(state) != 0)
        return -1;
    write_sentences();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_and_signals_leave_the_terminal_as_it_was),
        cmocka_unit_test(it_ends_when_its_terminal_is_closed),
        cmocka_unit_test(stopped_it_leaves_the_terminal_and_comes_back),
        cmocka_unit_test(without_another_screen_the_last_line_is_left_free),
        cmocka_unit_test(unknown_terminals_are_told),
        cmocka_unit_test(stopped_unheard_it_comes_back),
        cmocka_unit_test(standard_error_is_said_in_its_place),
    };
    return cmocka_run_group_tests(tests, open_folder, cli_close);
}
