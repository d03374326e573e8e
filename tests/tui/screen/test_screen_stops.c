/* Work runs beside the screen: keys move the picture while it does, Esc and Ctrl-C stop it soon,
 * what is asked for meanwhile waits, and what a command asks can be answered.
 *
 * How soon is told by the processor time of the program, which a busy machine does not add to. Who
 * looked for the key only between two chunks of the work would need many times what is allowed.
 */
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"
#include "tests/support/tmux_support.h"

enum { MANY = 2048, FEW = 60 };
static const double SOON = 1; // seconds of the processor

#define RUNS "Esc stops"
#define FIRST "cross  layer 2/2  mean of 8 heads"

static struct tmux open_session(void)
{
    static const char *const environment[] = {"NO_COLOR=1", NULL};
    static const char *const arguments[] = {CPU,       "--threads",         "1",
                                            "--ascii", "samples/en-de.bin", NULL};
    struct tmux tmux = tmux_open_program(&(struct tmux_spec){
        .columns = 110, .rows = 30, .environment = environment, .arguments = arguments});
    tmux_expect(&tmux, "Type a sentence");
    tmux_type(&tmux, "the dog sees a cat\r");
    tmux_expect(&tmux, FIRST);
    tmux_press(&tmux, "Escape");
    tmux_expect(&tmux, "\n view  ");
    return tmux;
}

static void close_session(struct tmux *tmux)
{
    tmux_press(tmux, "C-d");
    assert_int_equal(tmux_finish(tmux), 0);
    tmux_close(tmux);
}

/* Seconds of the processor that the program has used. */
static double processor_seconds(const struct tmux *tmux)
{
    char path[64];
    unsigned long user, system;
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)tmux_pid(tmux));
    char *text = cli_read(path, NULL);
    assert_int_equal(sscanf(strrchr(text, ')'),
                            ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                            &system),
                     2);
    free(text);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

/* Begins a command that takes long, and waits until the device is at work. */
static void begin(const struct tmux *tmux, const char *command)
{
    tmux_type(tmux, command);
    tmux_press(tmux, "Escape"); // from the prompt to the view
    tmux_expect_match(tmux, "translating.*" RUNS);
}

/* Processor seconds from the key to the line that says what it did. */
static double time_stop(const struct tmux *tmux, const char *command, const char *key)
{
    begin(tmux, command);
    double began = processor_seconds(tmux);
    tmux_type(tmux, key);
    tmux_expect(tmux, "interrupted");
    double took = processor_seconds(tmux) - began;
    tmux_expect_gone(tmux, RUNS);
    tmux_type(tmux, ":attn\r"); // what was finished may cover the picture
    tmux_expect(tmux, FIRST);
    tmux_expect_gone(tmux, "interrupted");
    return took;
}

/* All lines are one chunk, which takes seconds. */
static void work_stops_at_once(void **state)
{
    static const char *const commands[] = {":translate many\r", ":bleu many many\r"};
    static const char *const keys[] = {"\033", "\003"};
    struct tmux tmux = open_session();
    tmux_type(&tmux, ":set batch 512\r");
    tmux_expect(&tmux, "batch");
    tmux_type(&tmux, ":attn\r");
    for (int i = 0; i < 2; i++) {
        double took = time_stop(&tmux, commands[i], keys[i]);
        if (!(took < SOON))
            fail_msg("%s stopped %.0f ms after the key", commands[i], 1e3 * took);
    }
    close_session(&tmux);
}

/* Where the cursor's cell is, in a picture without colours, and how large it is. */
struct cursor {
    int row, column, tall, wide;
};

static bool find_cursor(const struct tmux_screen *screen, struct cursor *cursor)
{
    *cursor = (struct cursor){0};
    if (!tmux_find(screen, "[", &cursor->row, &cursor->column))
        return false;
    while (cursor->row + cursor->tall < screen->rows &&
           *tmux_cell(screen, cursor->row + cursor->tall, cursor->column)->text == '[')
        cursor->tall++;
    while (cursor->column + cursor->wide < screen->columns &&
           *tmux_cell(screen, cursor->row, cursor->column + cursor->wide)->text != ']')
        cursor->wide++;
    cursor->wide++;
    return true;
}

static bool cursor_is(const struct tmux_screen *screen, const void *context)
{
    const struct cursor *wanted = context;
    struct cursor found;
    return find_cursor(screen, &found) && found.row == wanted->row &&
           found.column == wanted->column;
}

static void keys_move_the_picture_while_work_runs(void **state)
{
    struct cursor cursor;
    struct tmux tmux = open_session();
    begin(&tmux, ":translate many\r");
    struct tmux_screen screen = tmux_capture(&tmux);
    assert_true(find_cursor(&screen, &cursor));
    tmux_screen_free(&screen);
    for (int i = 0; i < 3; i++) {
        tmux_type(&tmux, "lj");
        cursor.row += cursor.tall;
        cursor.column += cursor.wide;
        tmux_expect_that(&tmux, cursor_is, &cursor, "the cursor one cell on");
        tmux_expect(&tmux, RUNS);
    }
    tmux_type(&tmux, "?"); // help is the screen's own
    tmux_expect(&tmux, "in this view");
    tmux_expect(&tmux, RUNS);
    tmux_type(&tmux, "q\033");
    tmux_expect(&tmux, "interrupted");
    close_session(&tmux);
}

/* Had it not waited, the table of translations would come after it and cover it. */
static void what_is_asked_for_meanwhile_runs_after(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, ":translate few\r:set beam 2\r:attn dec layer 2 head 3\r");
    tmux_expect(&tmux, "decoder  layer 2/2  head 3/8");
    tmux_expect_gone(&tmux, RUNS);
    tmux_type(&tmux, ":set beam\r");
    tmux_expect(&tmux, "default 5");
    tmux_expect_match(&tmux, "beam +2 ");
    close_session(&tmux);
}

static void check_file(const char *name, const char *begins)
{
    char *text = cli_read(name, NULL);
    assert_memory_equal(text, begins, strlen(begins));
    free(text);
}

static void a_question_is_answered_on_the_screen(void **state)
{
    static const char mine[] = "mine\n";
    cli_write("kept.csv", mine);
    struct tmux tmux = open_session();
    tmux_type(&tmux, ":export kept.csv attn\r");
    tmux_expect(&tmux, "kept.csv exists. Replace?");
    tmux_type(&tmux, "n\r");
    tmux_expect_gone(&tmux, "Replace?");
    check_file("kept.csv", mine);
    tmux_type(&tmux, ":export kept.csv attn\r");
    tmux_expect(&tmux, "Replace?");
    tmux_type(&tmux, "\003"); // no answer is no
    tmux_expect_gone(&tmux, "Replace?");
    check_file("kept.csv", mine);
    tmux_type(&tmux, ":export kept.csv attn\r:attn dec\r");
    tmux_expect(&tmux, "Replace?");
    tmux_type(&tmux, "y\r");
    tmux_expect(&tmux, "decoder  layer 2/2");
    char *text = cli_read("kept.csv", NULL);
    assert_string_not_equal(text, mine);
    free(text);
    close_session(&tmux);
}

static void write_lines_of(const char *name, int count)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    for (int i = 0; i < count; i++)
        fputs("the dog sees a cat in the house and the man sees the dog\n", file);
    fclose(file);
}

static int open_folder(void **state)
{
    if (cli_enter(state) != 0)
        return -1;
    write_lines_of("many", MANY);
    write_lines_of("few", FEW);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_stops_at_once),
        cmocka_unit_test(keys_move_the_picture_while_work_runs),
        cmocka_unit_test(what_is_asked_for_meanwhile_runs_after),
        cmocka_unit_test(a_question_is_answered_on_the_screen),
    };
    return cmocka_run_group_tests(tests, open_folder, cli_close);
}
