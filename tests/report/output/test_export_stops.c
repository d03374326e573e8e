/* `:export` at a terminal: long ones show how far they are, and Ctrl-C ends them with nothing
 * left. */
#include <dirent.h>
#include <limits.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/terminal_support.h"
#include "tests/support/test.h"

#define PROMPT "en-de> "
enum { WORDS = 350 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A long pair, forced: the script, as a terminal's line is no place for it. */
static const char *write_script(void)
{
    static const char *const words[] = {"A ", "dog ", "and ", "a ", "man "};
    char text[2 * WORDS * 8 + 200] = ":set max_length.factor 0\n:set max_length.plus 1\n";
    for (int side = 0; side < 2; side++) {
        strcat(text, side ? ":force " : "");
        for (int i = 0; i < WORDS; i++)
            strcat(text, words[i % 5]);
        strcat(text, "\n");
    }
    return cli_write("long", text);
}

static struct terminal open_with_sentence(void)
{
    static const char *const arguments[] = {CPU, "--threads", "1", "samples/en-de.bin", NULL};
    struct terminal terminal = terminal_open(arguments, 80, 24);
    char keys[PATH_MAX + 20];
    terminal_expect(&terminal, PROMPT);
    snprintf(keys, sizeof keys, ":source %s\n", write_script());
    terminal_type(&terminal, keys);
    terminal_expect(&terminal, "commands\r\n");
    terminal_expect(&terminal, PROMPT);
    return terminal;
}

static int count_files(const char *begin)
{
    DIR *folder = opendir(cli_folder());
    int count = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        count += strncmp(entry->d_name, begin, strlen(begin)) == 0;
    closedir(folder);
    return count;
}

static void check_old(const char *path)
{
    char text[8] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_string_equal(text, "old");
}

/* The bar comes after half a second, so that the work is in its middle then. */
static void ctrl_c_ends_an_export_and_keeps_the_old_file(void **state)
{
    static const struct {
        const char *name, *view, *shows;
    } cases[] = {{"out.csv", "heads", "writing "},
                 {"out.tsv", "heads", "writing "},
                 {"out.json", "heads", "writing "},
                 {"out.png", "heads", "drawing "}};
    char keys[PATH_MAX + 40], path[PATH_MAX];
    struct terminal terminal = open_with_sentence();
    terminal_type(&terminal, ":set figure.dpi 1200\n");
    terminal_expect(&terminal, "figure.dpi ");
    terminal_expect(&terminal, PROMPT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(path, sizeof path, "%s", cli_write(cases[i].name, "old"));
        snprintf(keys, sizeof keys, ":export %s %s\n", path, cases[i].view);
        terminal_type(&terminal, keys);
        terminal_expect(&terminal, "[y/N] ");
        terminal_type(&terminal, "y\n");
        terminal_expect(&terminal, cases[i].shows);
        terminal_expect(&terminal, "%");
        double began = now();
        terminal_type(&terminal, "\x03");
        terminal_expect(&terminal, "interrupted\r\n");
        terminal_expect(&terminal, PROMPT);
        double took = now() - began;
        if (took > 2)
            fail_msg("%s stops after %.3f s, expected 2 at most", cases[i].name, took);
        if (getenv("SHOW_TIMES"))
            print_message("%s: %.0f ms\n", cases[i].name, 1000 * took);
        check_old(path);
        assert_int_equal(count_files(cases[i].name), 1);
        assert_int_equal(count_files(".attnscope"), 0);
    }
    terminal_type(&terminal, "\x04");
    assert_int_equal(terminal_close(&terminal), 0);
    free(terminal.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ctrl_c_ends_an_export_and_keeps_the_old_file),
    };
    return cmocka_run_group_tests(tests, cli_enter, cli_close);
}
