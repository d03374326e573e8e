/* The window changes its size at any moment: while a file is translated, and while one walks from
 * head to head. */
#include <fcntl.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/random_lines.h"
#include "tests/support/rounds.h"
#include "tests/support/sent_support.h"
#include "tests/support/test.h"
#include "tests/support/tmux_support.h"

enum { MOST_COLUMNS = 300, MOST_ROWS = 100, COLUMNS = 120, ROWS = 40 };
#define LAST "decoder  layer 2/2  head 3/8"

// A model of some size: its work is to last longer than the window changes.
static const char *const arguments[] = {CPU, "--threads", "1", "samples/en-de.bin", NULL};

static struct tmux open_session(const char *record)
{
    static const char *const environment[] = {"COLORTERM=truecolor", NULL};
    struct tmux tmux = tmux_open_program(&(struct tmux_spec){.columns = COLUMNS,
                                                             .rows = ROWS,
                                                             .environment = environment,
                                                             .arguments = arguments,
                                                             .record = record});
    tmux_expect(&tmux, "Type a sentence");
    tmux_type(&tmux, "the dog sees a cat\r");
    tmux_expect(&tmux, "cross  layer 2/2  mean of 8 heads");
    tmux_press(&tmux, "Escape");
    tmux_expect(&tmux, "\n view  ");
    return tmux;
}

static void resize_often(const struct tmux *tmux, const char *keys)
{
    for (int i = 0; i < rounds_of(50, 100); i++) {
        int columns = 1 + (int)random_below(MOST_COLUMNS), rows = 1 + (int)random_below(MOST_ROWS);
        tmux_resize(tmux, columns, rows);
        if (keys)
            tmux_type(tmux, keys);
    }
    tmux_resize(tmux, COLUMNS, ROWS);
}

/* To the view that both sessions are compared in; what is said of a file's translations is theirs
 * alone. */
static struct tmux_screen look(const struct tmux *tmux)
{
    tmux_type(tmux, ":attn dec layer 2 head 3\r\033");
    tmux_expect(tmux, LAST);
    tmux_type(tmux, "gg0");
    tmux_press(tmux, "F5");
    tmux_expect(tmux, "key not bound in this view");
    return tmux_capture(tmux);
}

static void check_same(const struct tmux_screen *is, const struct tmux_screen *expected)
{
    assert_string_equal(is->text, expected->text);
    assert_int_equal(is->rows, expected->rows);
    assert_int_equal(is->columns, expected->columns);
    for (int i = 0; i < is->rows * is->columns; i++) {
        assert_string_equal(is->cells[i].text, expected->cells[i].text);
        assert_int_equal(is->cells[i].fill, expected->cells[i].fill);
        assert_int_equal(is->cells[i].ink, expected->cells[i].ink);
    }
}

static void write_sentences(void)
{
    FILE *file = fopen(cli_path("many"), "w");
    assert_non_null(file);
    for (int i = 0; i < 200000; i++)
        fputs("the dog sees a cat in the house and the man sees the dog\n", file);
    fclose(file);
}

static void every_size_is_drawn_right_while_work_goes_on(void **state)
{
    char line[200];
    size_t count;
    random_seed(1);
    write_sentences();
    struct tmux tmux = open_session(cli_path("sent")), fresh = open_session(NULL);
    resize_often(&tmux, "\033OC\033OB\t\033OD");
    snprintf(line, sizeof line, ":translate %s\r", cli_path("many"));
    tmux_type(&tmux, line);
    tmux_expect(&tmux, "Ctrl-C stops");
    resize_often(&tmux, NULL);
    tmux_type(&tmux, "\003");
    tmux_expect(&tmux, "interrupted");
    struct tmux_screen screen = look(&tmux), expected = look(&fresh);
    check_same(&screen, &expected);
    tmux_screen_free(&screen);
    tmux_screen_free(&expected);
    tmux_press(&tmux, "C-d");
    assert_int_equal(tmux_finish(&tmux), 0);
    char *sent = cli_read(cli_path("sent"), &count);
    sent_check(sent, count);
    free(sent);
    tmux_close(&tmux);
    tmux_close(&fresh);
}

/* The side panel is wider than these windows: the scale stands beside the title, or below the
 * view. */
static void the_scale_is_there_at_every_width(void **state)
{
    static const char *const environment[] = {"NO_COLOR=1", NULL};
    static const int widths[] = {120, 79, 58, 48};
    struct tmux tmux = tmux_open_program(&(struct tmux_spec){
        .columns = COLUMNS, .rows = ROWS, .environment = environment, .arguments = arguments});
    tmux_expect(&tmux, "Type a sentence");
    tmux_type(&tmux, "the dog sees a cat\r:attn enc layer 1 head 1\r");
    tmux_expect(&tmux, "encoder  layer 1/4  head 1/8");
    tmux_expect(&tmux, "▒▒▒▒▓▓████ 0."); // before that, Esc would stop the translation
    tmux_type(&tmux, "\033");
    for (int i = 0; i < 4; i++) {
        char size[32];
        tmux_resize(&tmux, widths[i], 20);
        snprintf(size, sizeof size, "%dx20", widths[i]);
        tmux_expect_format(&tmux, "#{window_width}x#{window_height}", size);
        tmux_expect(&tmux, "0.00     ░░▒▒▒▒▓▓████ 0.");
    }
    tmux_close(&tmux);
}

/* What the program sends before it knows of a new size can leave a scroll region of the old
 * size. */
static void a_full_redraw_resets_the_scroll_region(void **state)
{
    struct tmux tmux = open_session(NULL);
    int terminal = open(tmux_format(&tmux, "#{pane_tty}"), O_WRONLY | O_NOCTTY | O_CLOEXEC);
    assert_true(terminal >= 0);
    assert_int_equal(write(terminal, "\033[1;10r", 7), 7);
    close(terminal);
    tmux_expect_format(&tmux, "#{scroll_region_lower}", "9");
    tmux_press(&tmux, "C-l");
    tmux_expect_format(&tmux, "#{scroll_region_upper} #{scroll_region_lower}", "0 39");
    tmux_close(&tmux);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_is_drawn_right_while_work_goes_on),
        cmocka_unit_test(the_scale_is_there_at_every_width),
        cmocka_unit_test(a_full_redraw_resets_the_scroll_region),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
