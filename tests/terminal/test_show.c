/* `:show` on terminals that answer as kitty, iTerm2, a sixel terminal, a plain one and tmux do:
 * what arrives there is the exported file, or the same picture. */
#include <unistd.h>

#include "tests/support/answering_terminal.h"
#include "tests/support/cli_support.h"
#include "tests/support/test.h"
#include "tests/support/tmux_support.h"
#include "tests/terminal/picture_support.h"

#define VIEW "attn cross layer 1 head 1"
#define DONE "\0338\033[" // the cursor is put below the picture
#define SCREEN_UP "Type a sentence"

/* The file that `:export` writes of the view, which is what is expected. */
static char *exported(size_t *bytes)
{
    char command[300];
    const char *path = cli_path("expected.png");
    snprintf(command, sizeof command, ":export %s " VIEW, path);
    const char *const arguments[] = {CPU, MODEL, "-e", SENTENCE, "-e", command, NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    outcome_free(&outcome);
    return cli_read(path, bytes);
}

/* A window that is larger than the picture. */
static struct answering_spec large_window(const char *const *argv)
{
    return (struct answering_spec){.attributes = "62;22",
                                   .version = "test(1)",
                                   .columns = 200,
                                   .rows = 60,
                                   .cell_width = 20,
                                   .cell_height = 40,
                                   .argv = argv};
}

/* Lines ---------------------------------------------------------------------------------------- */

static const char *argv_of_line[] = {NULL, "--line", CPU, MODEL, NULL};

static struct answering show_until(const struct answering_spec *spec, const char *marker)
{
    struct answering terminal = answering_open(spec);
    answering_expect(&terminal, "> ");
    answering_type(&terminal, SENTENCE "\r");
    answering_expect(&terminal, "> ");
    answering_type(&terminal, ":show " VIEW "\r");
    answering_expect(&terminal, marker);
    return terminal;
}

static struct answering show_at_prompt(const struct answering_spec *spec)
{
    return show_until(spec, DONE);
}

static void quit(struct answering *terminal)
{
    answering_expect(terminal, "> "); // the prompt comes after the picture
    answering_type(terminal, "\004");
    assert_int_equal(answering_close(terminal), 0);
}

static void kitty_gets_the_exported_file(void **state)
{
    size_t bytes;
    char *expected = exported(&bytes);
    struct answering_spec spec = large_window(argv_of_line);
    spec.kitty = true;
    spec.attributes = "62;4;22"; // what kitty's protocol can show, sixel is not used for
    struct answering terminal = show_at_prompt(&spec);
    struct bytes file = kitty_file(terminal.text);
    check_same(&file, expected, bytes);
    assert_null(strstr(terminal.text, "\033P0;"));
    quit(&terminal);
    free(expected);
}

static void iterm_gets_the_exported_file(void **state)
{
    size_t bytes;
    char *expected = exported(&bytes);
    struct answering_spec spec = large_window(argv_of_line);
    spec.iterm = true;
    struct answering terminal = show_at_prompt(&spec);
    struct bytes file = iterm_file(terminal.text);
    check_same(&file, expected, bytes);
    quit(&terminal);
    free(expected);
}

/* Pictures ------------------------------------------------------------------------------------- */

static void a_sixel_terminal_gets_the_same_picture(void **state)
{
    size_t bytes;
    free(exported(&bytes));
    struct answering_spec spec = large_window(argv_of_line);
    spec.attributes = "62;4;22";
    struct answering terminal = show_at_prompt(&spec);
    check_sixel(terminal.text, cli_path("expected.png"));
    quit(&terminal);
}

static void other_terminals_get_half_blocks(void **state)
{
    for (int answers = 0; answers < 2; answers++) {
        struct answering_spec spec = large_window(argv_of_line);
        if (!answers)
            spec.attributes = spec.version = NULL;
        struct answering terminal = show_at_prompt(&spec);
        assert_true(strstr(terminal.text, "▀") || strstr(terminal.text, "▄"));
        assert_null(strstr(terminal.text, "\033_Ga=T"));
        assert_null(strstr(terminal.text, "\033P0;"));
        assert_null(strstr(terminal.text, "File="));
        quit(&terminal);
    }
}

/* A size in cells bounds what does not fit; the file stays the same. */
static void large_pictures_are_shown_smaller(void **state)
{
    size_t bytes;
    char *expected = exported(&bytes);
    for (int iterm = 0; iterm < 2; iterm++) {
        struct answering_spec spec = large_window(argv_of_line);
        spec.kitty = !iterm;
        spec.iterm = iterm;
        spec.columns = 80;
        spec.rows = 24;
        spec.cell_width = 4;
        spec.cell_height = 8;
        struct answering terminal = show_at_prompt(&spec);
        struct bytes file = iterm ? iterm_file(terminal.text) : kitty_file(terminal.text);
        check_same(&file, expected, bytes);
        assert_true(strstr(terminal.text, iterm ? ";height=" : ",r=") ||
                    strstr(terminal.text, iterm ? ";width=" : ",c="));
        quit(&terminal);
    }
    free(expected);
}

static void what_is_typed_meanwhile_goes_to_the_prompt(void **state)
{
    struct answering_spec spec = large_window(argv_of_line);
    spec.kitty = true;
    spec.typed = "I like \033[A\033[B";
    struct answering terminal = show_at_prompt(&spec);
    answering_expect(&terminal, "> ");
    answering_type(&terminal, "dogs.");
    answering_expect(&terminal, "I like ");
    answering_expect(&terminal, "s.");
    answering_type(&terminal, "\025\004"); // clears the line, ends
    assert_int_equal(answering_close(&terminal), 0);
}

static void the_setting_chooses(void **state)
{
    size_t bytes;
    char *expected = exported(&bytes);
    struct answering_spec spec = large_window(argv_of_line); // it says that it has none
    struct answering terminal = answering_open(&spec);
    answering_expect(&terminal, "> ");
    answering_type(&terminal, SENTENCE "\r");
    answering_expect(&terminal, "> ");
    answering_type(&terminal, ":set graphics kitty\r");
    answering_expect(&terminal, "> ");
    answering_type(&terminal, ":show " VIEW "\r");
    answering_expect(&terminal, DONE);
    struct bytes file = kitty_file(terminal.text);
    check_same(&file, expected, bytes);
    answering_expect(&terminal, "> ");
    answering_type(&terminal, ":set graphics off\r");
    answering_expect(&terminal, "> ");
    answering_type(&terminal, ":show " VIEW "\r");
    answering_expect(&terminal, "graphics is off, expected");
    quit(&terminal);
    free(expected);
}

static void elsewhere_than_at_a_terminal_it_is_an_error(void **state)
{
    static const char *const arguments[] = {CPU, MODEL, "-e", SENTENCE, "-e", ":show " VIEW, NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 1);
    cli_check_message(arguments, &outcome, 1, "standard output is not a terminal");
    outcome_free(&outcome);
}

/* The full screen ------------------------------------------------------------------------------ */

static const char *argv_of_screen[] = {NULL, CPU, MODEL, NULL};

/* What a cleared screen begins with again is all of it. */
static void a_key_returns_to_the_screen(void **state)
{
    static const char removal[] = "\033_Ga=d,d=I,i=";
    size_t bytes;
    char *expected = exported(&bytes);
    struct answering_spec spec = large_window(argv_of_screen);
    spec.kitty = true;
    struct answering terminal = answering_open(&spec);
    answering_expect(&terminal, SCREEN_UP);
    answering_type(&terminal, SENTENCE "\r");
    answering_expect(&terminal, "output");
    answering_type(&terminal, ":show " VIEW "\r");
    answering_expect(&terminal, "any key returns");
    struct bytes file = kitty_file(terminal.text);
    check_same(&file, expected, bytes);
    assert_null(strstr(terminal.text, removal));
    answering_type(&terminal, "\033");
    answering_expect(&terminal, removal);
    answering_expect(&terminal, "source");
    answering_expect(&terminal, "output");
    answering_type(&terminal, "\004");
    answering_kill(&terminal);
    free(expected);
}

/* tmux ----------------------------------------------------------------------------------------- */

/* A tmux of its own in the terminal, with the program in it, until the marker comes. */
static struct answering show_in_tmux(struct answering_spec spec, const char *config,
                                     const char *marker)
{
    static char command[600], path[300], socket[300];
    static const char *argv[] = {"tmux", "-u",          "-S", socket,  "-f",
                                 path,   "new-session", "--", command, NULL};
    static int servers; // the one before may still be ending
    char name[40];
    snprintf(name, sizeof name, "tmux%d.socket", servers++);
    snprintf(socket, sizeof socket, "%s", cli_path(name));
    snprintf(path, sizeof path, "%s", cli_write("tmux.conf", config));
    snprintf(command, sizeof command, "%s --line --device cpu " MODEL, cli_program());
    spec.argv = argv;
    return show_until(&spec, marker);
}

static void quit_tmux(struct answering *terminal)
{
    answering_expect(terminal, "> "); // before the prompt is there, Ctrl-D could be lost
    answering_type(terminal, "\004");
    answering_close(terminal);
}

#define PASSING "set -g allow-passthrough on\n"

static void kitty_around_tmux_gets_the_exported_file(void **state)
{
    size_t bytes;
    char *expected = exported(&bytes);
    struct answering_spec spec = large_window(NULL);
    spec.kitty = true;
    struct answering terminal = show_in_tmux(spec, PASSING, "\033_Gq=2,m=0;");
    answering_expect(&terminal, "\033\\");
    struct bytes file = kitty_file(terminal.text);
    check_same(&file, expected, bytes);
    quit_tmux(&terminal);
    free(expected);
}

/* Of tmux it gets the file in parts. */
static void iterm_around_tmux_gets_the_exported_file(void **state)
{
    static const char part[] = "\033]1337;FilePart=";
    size_t bytes;
    char *expected = exported(&bytes);
    struct answering_spec spec = large_window(NULL);
    spec.version = "iTerm2 3.5.0";
    struct answering terminal = show_in_tmux(spec, PASSING, "\033]1337;FileEnd\a");
    struct bytes file = {0};
    assert_non_null(strstr(terminal.text, "\033]1337;MultipartFile=inline=1;"));
    for (const char *at = terminal.text; (at = strstr(at, part));) {
        at += strlen(part);
        append_base64(&file, at, strcspn(at, "\a"));
    }
    check_same(&file, expected, bytes);
    quit_tmux(&terminal);
    free(expected);
}

static void a_sixel_terminal_around_tmux_gets_the_same_picture(void **state)
{
    size_t bytes;
    free(exported(&bytes));
    struct answering_spec spec = large_window(NULL);
    spec.attributes = "62;4;22";
    struct answering terminal = show_in_tmux(spec, PASSING, "\033P0;");
    answering_expect(&terminal, "\033\\");
    check_sixel(terminal.text, cli_path("expected.png"));
    quit_tmux(&terminal);
}

/* Nothing comes through, not even an answer. */
static void tmux_without_passthrough_gets_half_blocks(void **state)
{
    struct answering_spec spec = large_window(NULL);
    spec.kitty = true;
    struct answering terminal = show_in_tmux(spec, "", "▄");
    assert_null(strstr(terminal.text, "\033_G"));
    quit_tmux(&terminal);
}

/* The screen that a key returns to, as tmux shows it. */
static void the_screen_is_as_it_was_before_the_picture(void **state)
{
    static const char *const arguments[] = {CPU, MODEL, NULL};
    static const char *const keys[] = {"Escape", "Enter", "x"}; // which does not reach the prompt
    struct tmux tmux =
        tmux_open_program(&(struct tmux_spec){.columns = 80, .rows = 24, .arguments = arguments});
    tmux_expect(&tmux, SCREEN_UP);
    tmux_type(&tmux, SENTENCE "\r");
    tmux_expect(&tmux, "cross  layer 2/2");
    for (int i = 0; i < 3; i++) {
        struct tmux_screen before = tmux_capture(&tmux);
        tmux_type(&tmux, ":show " VIEW "\r");
        tmux_expect(&tmux, "any key returns");
        struct tmux_screen shown = tmux_capture(&tmux);
        assert_non_null(strstr(shown.text, "▄"));
        assert_null(strstr(shown.text, "source"));
        tmux_press(&tmux, keys[i]);
        tmux_expect_gone(&tmux, "any key returns");
        tmux_expect(&tmux, "source");
        struct tmux_screen after = tmux_capture(&tmux);
        assert_string_equal(after.text, before.text);
        tmux_screen_free(&before);
        tmux_screen_free(&shown);
        tmux_screen_free(&after);
    }
    tmux_close(&tmux);
}

static int open_group(void **state)
{
    if (cli_open(state) != 0)
        return -1;
    argv_of_line[0] = argv_of_screen[0] = cli_program();
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    unsetenv("TMUX");
    unsetenv("NO_COLOR");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kitty_gets_the_exported_file),
        cmocka_unit_test(iterm_gets_the_exported_file),
        cmocka_unit_test(a_sixel_terminal_gets_the_same_picture),
        cmocka_unit_test(other_terminals_get_half_blocks),
        cmocka_unit_test(large_pictures_are_shown_smaller),
        cmocka_unit_test(what_is_typed_meanwhile_goes_to_the_prompt),
        cmocka_unit_test(the_setting_chooses),
        cmocka_unit_test(elsewhere_than_at_a_terminal_it_is_an_error),
        cmocka_unit_test(a_key_returns_to_the_screen),
        cmocka_unit_test(kitty_around_tmux_gets_the_exported_file),
        cmocka_unit_test(iterm_around_tmux_gets_the_exported_file),
        cmocka_unit_test(a_sixel_terminal_around_tmux_gets_the_same_picture),
        cmocka_unit_test(tmux_without_passthrough_gets_half_blocks),
        cmocka_unit_test(the_screen_is_as_it_was_before_the_picture),
    };
    return cmocka_run_group_tests(tests, open_group, cli_close);
}
