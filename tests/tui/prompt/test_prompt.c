/* The prompt through a terminal of its own: editing, completion, history, pastes, the pager, and
 * the terminal as it was found. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/terminal_support.h"
#include "tests/support/test.h"

#define PROMPT "vanilla_post> "
#define BRACKETS_OFF "\033[?2004l"

static const char *const arguments[] = {CPU, "--threads", "1", MODEL, NULL};

static struct terminal open_at_prompt(int columns, int rows)
{
    struct terminal terminal = terminal_open(arguments, columns, rows);
    terminal_expect(&terminal, PROMPT);
    return terminal;
}

static void close_at_prompt(struct terminal *terminal)
{
    terminal_expect(terminal, PROMPT);
    terminal_type(terminal, "\x04");
    assert_int_equal(terminal_close(terminal), 0);
    assert_true(terminal->bytes == 0 || terminal->text[terminal->bytes - 1] == '\n');
    free(terminal->text);
}

/* Keys and what the terminal shows after them. */
static void tab_completes_commands_and_their_arguments(void **state)
{
    static const struct {
        const char *keys, *shows;
    } cases[] = {
        {":trans\t", ":translate "},
        {":dis\tx", ":disablex"}, // there is :disabled as well
        {":set be\t", ":set beam "},
        {":set length_penalty \tw\t", ":set length_penalty wu "},
        {":attn cr\tla\t2 head me\t", ":attn cross layer 2 head mean "},
        {":mask head 2 lo\t", ":mask head 2 local "},
        {":pattern head 2 sentence_s\t", ":pattern head 2 sentence_start "},
        {":help tr\t", ":help translate "},
        {":translate tests/gol\tvanilla_po\tb\t", ":translate tests/golden/vanilla_post.bin "},
    };
    struct terminal terminal = open_at_prompt(80, 24);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        terminal_type(&terminal, cases[i].keys);
        terminal_expect(&terminal, cases[i].shows);
        terminal_type(&terminal, "\x15"); // takes the line away
        terminal_type(&terminal, ":disabled\n");
        terminal_expect(&terminal, "all heads are on");
        terminal_expect(&terminal, PROMPT);
    }
    terminal_type(&terminal, "\n");
    close_at_prompt(&terminal);
}

/* Pages, function keys, keys with Shift, Alt or Control: whatever readline does not know inserts
 * nothing. */
static void unknown_keys_insert_nothing(void **state)
{
    static const char *const keys[] = {"\033[5~",   "\033[6~",   "\033[15~",  "\033[5;2~",
                                       "\033[1;2A", "\033[1;2H", "\033[1;3Q", "\033[1;9C",
                                       "\033[Z",    "\033OP"};
    struct terminal terminal = open_at_prompt(80, 24);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        terminal_type(&terminal, ":disa");
        terminal_type(&terminal, keys[i]);
        terminal_type(&terminal, "bled\n");
        terminal_expect(&terminal, "all heads are on");
        terminal_expect(&terminal, PROMPT);
    }
    terminal_type(&terminal, "\n");
    close_at_prompt(&terminal);
}

static void tab_lists_what_is_possible(void **state)
{
    static const int sizes[][2] = {{80, 24}, {200, 60}};
    for (int i = 0; i < 2; i++) {
        struct terminal terminal = open_at_prompt(sizes[i][0], sizes[i][1]);
        terminal_type(&terminal, ":attn head \t");
        terminal_expect(&terminal, "\r\n1 ");
        terminal_expect(&terminal, " mean");
        terminal_expect(&terminal, PROMPT ":attn head ");
        terminal_type(&terminal, "\x15\n");
        close_at_prompt(&terminal);
    }
}

/* What a command prints goes through memory, in case it needs a pager: marks stay what a terminal
 * has. */
static void words_that_changed_are_in_reverse_video(void **state)
{
    setenv("TERM", "xterm", 1);
    struct terminal terminal = open_at_prompt(80, 24);
    terminal_type(&terminal, "the dog sees a cat\n");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, ":disable cross\n");
    terminal_expect(&terminal, "\r\nbefore  ");
    terminal_expect(&terminal, "\r\nafter   \033[7");
    terminal_expect(&terminal, "\033[27");
    close_at_prompt(&terminal);
    setenv("TERM", "dumb", 1);
}

static const char *history_path(void)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/attnscope/history", cli_folder());
    return path;
}

static void history_is_kept_between_sessions(void **state)
{
    struct stat file;
    unlink(history_path());
    for (int session = 0; session < 2; session++) {
        struct terminal terminal = open_at_prompt(80, 24);
        if (session == 0)
            terminal_type(&terminal, ":disable head 3\n:set beam 3\n:set beam 3\n \n");
        else
            terminal_type(&terminal, "\x10\x10\n"); // the line before the last one
        terminal_expect(&terminal, "off: cross layer 1-2 head 3");
        if (session == 0) {
            terminal_expect(&terminal, "beam  3");
            terminal_expect(&terminal, "beam  3");
            terminal_expect(&terminal, PROMPT);
        }
        close_at_prompt(&terminal);
    }
    int history = open(history_path(), O_RDONLY);
    char *text = cli_read_all(history);
    assert_string_equal(text, ":disable head 3\n:set beam 3\n:disable head 3\n");
    assert_int_equal(fstat(history, &file), 0);
    assert_int_equal(file.st_mode & 07777, 0600);
    free(text);
    close(history);
}

static int count_history_lines(void)
{
    int history = open(history_path(), O_RDONLY);
    char *text = cli_read_all(history);
    int lines = cli_count_lines(text);
    free(text);
    close(history);
    return lines;
}

static void history_is_bounded(void **state)
{
    unlink(history_path());
    struct terminal terminal = open_at_prompt(80, 24);
    terminal_type(&terminal, ":set beam 2\n");
    terminal_expect(&terminal, "beam ");
    close_at_prompt(&terminal);
    FILE *history = fopen(history_path(), "w");
    for (int i = 0; i < 5000; i++)
        fprintf(history, ":set beam %d\n", i);
    fclose(history);
    terminal = open_at_prompt(80, 24);
    terminal_type(&terminal, "\x10");
    terminal_expect(&terminal, ":set beam 4999");
    terminal_type(&terminal, "\x15\n");
    close_at_prompt(&terminal);
    assert_int_equal(count_history_lines(), 2000);
}

static void history_that_cannot_be_written_hurts_nobody(void **state)
{
    char *folder = strdup(getenv("XDG_STATE_HOME"));
    setenv("XDG_STATE_HOME", "/proc/nowhere", 1);
    struct terminal terminal = open_at_prompt(80, 24);
    terminal_type(&terminal, ":set beam 2\n");
    terminal_expect(&terminal, "beam  2");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, "\x10");
    terminal_expect(&terminal, ":set beam 2");
    terminal_type(&terminal, "\x15\n");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, "\x04");
    assert_int_equal(terminal_close(&terminal), 0);
    assert_null(strstr(terminal.text, "attnscope:"));
    free(terminal.text);
    setenv("XDG_STATE_HOME", folder, 1);
    free(folder);
}

/* With and without brackets around what is pasted: xterm knows them, a dumb terminal does not. */
static void a_paste_of_several_lines_runs_them_all(void **state)
{
    static const char lines[] = ":disable head 2\r:nonsense\r:disabled\r";
    char pasted[200];
    for (int brackets = 0; brackets < 2; brackets++) {
        setenv("TERM", brackets ? "xterm" : "dumb", 1);
        struct terminal terminal = open_at_prompt(80, 24);
        snprintf(pasted, sizeof pasted, brackets ? "\033[200~%s\033[201~\r" : "%s", lines);
        terminal_type(&terminal, pasted);
        if (brackets)
            terminal_expect(&terminal, PROMPT ":disable head 2\r\n");
        terminal_expect(&terminal, "off: cross layer 1-2 head 2\r\n");
        terminal_expect(&terminal, "unknown command :nonsense");
        if (brackets)
            terminal_expect(&terminal, PROMPT ":disabled\r\n");
        terminal_expect(&terminal, "off: cross layer 1-2 head 2\r\n");
        terminal_expect(&terminal, PROMPT);
        terminal_type(&terminal, "\x04");
        assert_int_equal(terminal_close(&terminal), 0);
        free(terminal.text);
    }
    setenv("TERM", "dumb", 1);
}

static void ctrl_c_drops_what_is_typed(void **state)
{
    struct terminal terminal = open_at_prompt(80, 24);
    terminal_type(&terminal, ":disable head 2");
    terminal_expect(&terminal, ":disable head 2");
    terminal_type(&terminal, "\x03");
    terminal_expect(&terminal, "\r\n" PROMPT);
    terminal_type(&terminal, ":disabled\n");
    terminal_expect(&terminal, "all heads are on");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, "\x12"
                             "disa");   // a search in the history, half way
    terminal_expect(&terminal, "a': "); // all of it is read: the system drops what is not
    terminal_type(&terminal, "\x03");
    terminal_expect(&terminal, "\r\n" PROMPT);
    terminal_type(&terminal, ":set beam 2\n");
    terminal_expect(&terminal, "beam  2");
    close_at_prompt(&terminal);
}

/* A paste whose end never comes holds readline; not Ctrl-C. */
static void ctrl_c_ends_a_paste_without_an_end(void **state)
{
    setenv("TERM", "xterm", 1);
    struct terminal terminal = open_at_prompt(80, 24);
    terminal_type_in(&terminal, "\033[200~:disable head 2\r");
    terminal_type(&terminal, "\x03");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, ":disabled\r");
    terminal_expect(&terminal, "all heads are on");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, "\x04");
    assert_int_equal(terminal_close(&terminal), 0);
    free(terminal.text);
    setenv("TERM", "dumb", 1);
}

/* A file that nobody writes to: the command waits for it until Ctrl-C. */
static void ctrl_c_ends_a_command_and_the_lines_after_it(void **state)
{
    char path[PATH_MAX], keys[PATH_MAX + 100];
    setenv("TERM", "xterm", 1);
    snprintf(path, sizeof path, "%s/two", cli_folder());
    assert_int_equal(mkfifo(path, 0600), 0);
    struct terminal terminal = open_at_prompt(80, 24);
    snprintf(keys, sizeof keys, "\033[200~:translate %s\r:disable head 2\033[201~\r", path);
    terminal_type(&terminal, keys);
    terminal_expect(&terminal, BRACKETS_OFF "\r" PROMPT ":translate"); // it is about to run
    terminal_type(&terminal, "\x03");
    terminal_expect(&terminal, "two: interrupted\r\n");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, ":disabled\r");
    terminal_expect(&terminal, "all heads are on");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, "\x04");
    assert_int_equal(terminal_close(&terminal), 0);
    free(terminal.text);
    unlink(path);
    setenv("TERM", "dumb", 1);
}

static void ctrl_c_ends_a_script_that_was_sourced(void **state)
{
    char text[PATH_MAX + 100], keys[PATH_MAX + 100];
    snprintf(text, sizeof text, "%s/two", cli_folder());
    assert_int_equal(mkfifo(text, 0600), 0);
    snprintf(text, sizeof text, ":set beam 2\n:translate %s/two\n:disable head 2\n", cli_folder());
    snprintf(keys, sizeof keys, ":source %s\n", cli_write("script", text));
    struct terminal terminal = open_at_prompt(80, 24);
    terminal_type(&terminal, keys);
    terminal_expect(&terminal, "beam  2");
    terminal_type(&terminal, "\x03");
    terminal_expect(&terminal, "script: interrupted\r\n");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, ":disabled\n");
    terminal_expect(&terminal, "all heads are on");
    close_at_prompt(&terminal);
    snprintf(text, sizeof text, "%s/two", cli_folder());
    unlink(text);
}

/* More lines than half a second is enough for. */
/* Wide characters are deleted whole and the cursor stands where they are, also in locales that know
 * no UTF-8. */
static void japanese_is_edited_character_by_character(void **state)
{
    static const char *const locales[] = {"C.UTF-8", "C", "POSIX"};
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        setenv("LC_ALL", locales[i], 1);
        struct terminal terminal = open_at_prompt(80, 24);
        terminal_type(&terminal, ":日本語テ");    // as a command its name comes back
        terminal_type(&terminal, "\x02\x02\x7F"); // two to the left, and the one before
        terminal_type(&terminal, "\n");
        terminal_expect(&terminal, "unknown command :日語テ:");
        close_at_prompt(&terminal);
    }
    setenv("LC_ALL", "C.UTF-8", 1);
}

static void what_ends_the_program_leaves_the_terminal_as_it_was(void **state)
{
    static const int signals[] = {SIGTERM, SIGHUP, SIGQUIT, SIGABRT, SIGSEGV};
    setenv("TERM", "xterm", 1);
    // A program under AddressSanitizer is to treat signals as any other.
    setenv("ASAN_OPTIONS", "handle_segv=0:handle_abort=0:allocator_may_return_null=1", 1);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct terminal terminal = open_at_prompt(80, 24);
        int keep = open(ptsname(terminal.master), O_RDWR | O_NOCTTY | O_CLOEXEC);
        terminal_type(&terminal, "half a li");
        terminal_expect(&terminal, "half a li");
        assert_false(terminal_is_plain(&terminal));
        kill(terminal.child, signals[i]);
        terminal_expect(&terminal, BRACKETS_OFF);
        assert_int_equal(cli_finish(terminal.child), 256 + signals[i]);
        assert_true(terminal_is_plain(&terminal));
        close(keep);
        close(terminal.master);
        free(terminal.text);
    }
    setenv("TERM", "dumb", 1);
}

/* While a command runs, and after the end. */
static void the_terminal_is_changed_for_typing_alone(void **state)
{
    char path[PATH_MAX], keys[PATH_MAX + 100];
    setenv("TERM", "xterm", 1);
    snprintf(path, sizeof path, "%s/two", cli_folder());
    assert_int_equal(mkfifo(path, 0600), 0);
    struct terminal terminal = open_at_prompt(80, 24);
    int keep = open(ptsname(terminal.master), O_RDWR | O_NOCTTY | O_CLOEXEC);
    assert_false(terminal_is_plain(&terminal));
    snprintf(keys, sizeof keys, "\033[200~:set beam 2\r:translate %s\033[201~\r", path);
    terminal_type(&terminal, keys);
    terminal_expect(&terminal, "beam  2"); // and it goes on to wait
    assert_true(terminal_is_plain(&terminal));
    terminal_type(&terminal, "\x03");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, ":quit\r");
    assert_int_equal(cli_finish(terminal.child), 0);
    assert_true(terminal_is_plain(&terminal));
    close(keep);
    close(terminal.master);
    free(terminal.text);
    unlink(path);
    setenv("TERM", "dumb", 1);
}

static void a_new_window_size_is_used_at_once(void **state)
{
    struct winsize window = {.ws_row = 24, .ws_col = 40};
    struct terminal terminal = open_at_prompt(200, 60);
    assert_int_equal(ioctl(terminal.master, TIOCSWINSZ, &window), 0);
    terminal_type(&terminal, ":set beam\n");
    terminal_expect(&terminal, "beam size (1 = greedy\r\n"); // 40 columns with its indent
    close_at_prompt(&terminal);
}

/* The pager writes what it got to a file, so that the test can tell it from the terminal. */
static void what_is_taller_than_the_terminal_goes_through_the_pager(void **state)
{
    char pager[PATH_MAX + 64], path[PATH_MAX];
    setenv("TERM", "xterm", 1);
    snprintf(path, sizeof path, "%s/paged", cli_folder());
    unsetenv("LESS");
    snprintf(pager, sizeof pager, "(cat; echo \"LESS is $LESS\") >%s; echo paged", path);
    setenv("PAGER", pager, 1);
    struct terminal terminal = open_at_prompt(80, 24);
    terminal_type(&terminal, ":set beam\r");
    terminal_expect(&terminal, "beam size");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, ":help\r");
    terminal_expect(&terminal, "paged\r\n");
    terminal_expect(&terminal, PROMPT);
    terminal_type(&terminal, "\x04");
    assert_int_equal(terminal_close(&terminal), 0);
    free(terminal.text);
    int file = open(path, O_RDONLY);
    char *text = cli_read_all(file);
    assert_non_null(strstr(text, ":translate FILE"));
    assert_non_null(strstr(text, ":quit"));
    assert_non_null(strstr(text, "q ends")); // nobody is to be caught
    free(text);
    close(file);
    unsetenv("PAGER");
    setenv("TERM", "dumb", 1);
}

static void without_a_pager_long_results_are_printed(void **state)
{
    static const char *const pagers[] = {"", "cat", "/nowhere/pager", "exit 127"};
    setenv("TERM", "xterm", 1);
    for (size_t i = 0; i < sizeof pagers / sizeof *pagers; i++) {
        setenv("PAGER", pagers[i], 1);
        struct terminal terminal = open_at_prompt(80, 24);
        terminal_type(&terminal, ":help\r");
        terminal_expect(&terminal, ":translate FILE");
        terminal_expect(&terminal, ":quit");
        terminal_expect(&terminal, PROMPT);
        terminal_type(&terminal, "\x04");
        assert_int_equal(terminal_close(&terminal), 0);
        free(terminal.text);
    }
    unsetenv("PAGER");
    setenv("TERM", "dumb", 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tab_completes_commands_and_their_arguments),
        cmocka_unit_test(unknown_keys_insert_nothing),
        cmocka_unit_test(tab_lists_what_is_possible),
        cmocka_unit_test(words_that_changed_are_in_reverse_video),
        cmocka_unit_test(history_is_kept_between_sessions),
        cmocka_unit_test(history_is_bounded),
        cmocka_unit_test(history_that_cannot_be_written_hurts_nobody),
        cmocka_unit_test(a_paste_of_several_lines_runs_them_all),
        cmocka_unit_test(ctrl_c_drops_what_is_typed),
        cmocka_unit_test(ctrl_c_ends_a_paste_without_an_end),
        cmocka_unit_test(ctrl_c_ends_a_command_and_the_lines_after_it),
        cmocka_unit_test(ctrl_c_ends_a_script_that_was_sourced),
        cmocka_unit_test(japanese_is_edited_character_by_character),
        cmocka_unit_test(what_ends_the_program_leaves_the_terminal_as_it_was),
        cmocka_unit_test(the_terminal_is_changed_for_typing_alone),
        cmocka_unit_test(a_new_window_size_is_used_at_once),
        cmocka_unit_test(what_is_taller_than_the_terminal_goes_through_the_pager),
        cmocka_unit_test(without_a_pager_long_results_are_printed),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
