/* The screen in a real terminal (tmux): colours at every depth, keys, the mouse, sizes, and the
 * terminal as it was found. What is driven is this program itself, with the argument below. */
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "render/colormap.h"
#include "terminal/interrupt.h"
#include "tests/support/cli_support.h"
#include "tests/support/shell_support.h"
#include "tests/support/terminal_support.h"
#include "tests/support/test.h"
#include "tui/screen/canvas/palette.h"
#include "tui/screen/canvas/surface.h"

#define DRIVEN "--surface"
enum { VALUES = 33, FEW = 6, VALUE_ROW = 1, TEXT_ROW = 3, CODE_ROW = 4 };
#define TEXT "日本e\u0301\a\u202E👩\u200D👧x🇩🇪"
#define SHOWN_TEXT "日本e\u0301␇👩\u200D👧x🇩🇪" // tmux joins a flag to what is not ASCII

/* The program that is driven ------------------------------------------------------------------- */

static struct screen_style screen_style;
static int shown_from, shown_count = VALUES;
static bool is_raw;
static char last[1024] = "nothing";

static const struct colormap *map(void)
{
    return colormap_find("viridis");
}

static double position(int index)
{
    return (double)index / (VALUES - 1);
}

/* The last line is drawn last: who sees its title sees the rest, too. */
static void draw(struct canvas *canvas)
{
    struct status status;
    struct style normal = {0};
    char text[64];
    int rows, columns;
    surface_size(&rows, &columns);
    if (!canvas_resize(canvas, rows, columns, &status))
        exit(9);
    snprintf(text, sizeof text, "depth %d size %dx%d from %d", screen_style.depth, columns, rows,
             shown_from);
    for (int i = 0; i < shown_count; i++)
        style_value(&screen_style, canvas, VALUE_ROW, 2 * i, 2, map(), position(shown_from + i),
                    false);
    canvas_put(canvas, 2, 0, columns, (struct style){.ink = INK_WARN}, "warning");
    canvas_put(canvas, TEXT_ROW, 0, columns, normal, TEXT);
    canvas_put(canvas, CODE_ROW, 0, columns, normal, last);
    canvas_put(canvas, rows - 1, 0, columns - 3, normal, text);
    canvas_put(canvas, rows - 1, columns - 3, 3, normal, "end");
    surface_show(canvas, is_raw ? 5 : -1, 0);
}

static void describe(const struct event *event)
{
    switch (event->kind) {
    case EVENT_KEY:
        snprintf(last, sizeof last, is_raw ? "line's key %x." : "key %x.", event->key);
        break;
    case EVENT_MOUSE:
        snprintf(last, sizeof last, "mouse %d at %d %d.", event->mouse, event->row, event->column);
        break;
    case EVENT_TEXT:
        snprintf(last, sizeof last, "bytes");
        for (int i = 0; i < event->count; i++)
            snprintf(last + strlen(last), sizeof last - strlen(last), " %02x", event->bytes[i]);
        break;
    default:
        break;
    }
}

/* How it ends; the rest changes what is shown. */
static void obey(int key)
{
    if (key == 'q') {
        surface_close();
        exit(0);
    }
    if (key == 'e')
        exit(3);
    if (key == 'a')
        abort();
    if (key == 's')
        raise(SIGSEGV);
    if (key == 't' || key == 'h')
        raise(key == 't' ? SIGTERM : SIGHUP);
    if (key == 'x')
        fputs("a library's words\n", stderr);
    if (key == 'i')
        is_raw = !is_raw;
    if (key == 'c') {
        shown_count = FEW;
        shown_from = (shown_from + FEW) % (VALUES - FEW);
    }
}

static void read_one(struct event *event)
{
    surface_read(is_raw ? SURFACE_LINE : SURFACE_KEYS, false, event);
}

static int drive(void)
{
    struct canvas canvas = {0};
    struct status status;
    interrupt_install();
    if (!surface_possible(&status) ||
        !surface_open(&(struct surface_spec){0}, &screen_style, &status))
        return 8;
    for (;;) {
        struct event event;
        draw(&canvas);
        struct pollfd files[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                                 {.fd = surface_file(), .events = POLLIN}};
        poll(files, 2, -1);
        for (read_one(&event); event.kind != EVENT_NONE; read_one(&event)) {
            if (event.kind == EVENT_END)
                exit(7);
            describe(&event);
            draw(&canvas);
            if (event.kind == EVENT_KEY && !is_raw)
                obey(event.key);
            if (event.kind == EVENT_TEXT && event.bytes[0] == 'k')
                is_raw = false;
        }
    }
}

/* The tests ------------------------------------------------------------------------------------ */

static const char *own_program(void)
{
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    assert_true(length > 0);
    path[length] = '\0';
    return path;
}

static struct tmux open_shell(const char *term, const char *colorterm, const char *more)
{
    char truecolor[64];
    snprintf(truecolor, sizeof truecolor, "COLORTERM=%s", colorterm);
    const char *const environment[] = {truecolor, more ? more : "UNUSED=1", NULL};
    return shell_open(
        &(struct tmux_spec){.columns = 80, .rows = 24, .term = term, .environment = environment});
}

static void begin(const struct tmux *tmux)
{
    char command[PATH_MAX + sizeof DRIVEN + 1];
    snprintf(command, sizeof command, "%s " DRIVEN, own_program());
    shell_run(tmux, command);
    tmux_expect(tmux, "depth ");
    tmux_expect(tmux, "end");
}

static void check_value(const struct tmux_screen *screen, enum depth depth, int from, int index)
{
    static const char *const blocks[] = {" ", "░", "▒", "▓", "█"};
    struct rgb colour = colormap_colour(map(), position(from + index));
    int steps = depth == DEPTH_16 ? 13 : 5, step = (from + index) * steps / (VALUES - 1);
    step = step < steps ? step : steps - 1;
    int ground = step == 0 ? 0 : 2 * ((step + 3) / 4 - 1) + 2 * (step > 4); // black, blue, cyan
    int expected =
        depth == DEPTH_TRUE  ? TMUX_RGB | colour.red << 16 | colour.green << 8 | colour.blue
        : depth == DEPTH_256 ? palette_nearest(ramp_colour(map(), position(from + index)))
        : depth == DEPTH_16  ? ground
                             : TMUX_DEFAULT;
    for (int half = 0; half < 2; half++) {
        const struct tmux_cell *cell = tmux_cell(screen, VALUE_ROW, 2 * index + half);
        assert_int_equal(cell->fill, expected);
        assert_string_equal(cell->text, depth >= DEPTH_256  ? " "
                                        : step == 0         ? " "
                                        : depth == DEPTH_16 ? blocks[1 + (step - 1) % 4]
                                                            : blocks[step]);
    }
}

static void colours_are_those_that_were_put(void **state)
{
    static const struct {
        const char *term, *colorterm, *more;
        enum depth depth;
        int warning;
    } cases[] = {
        {"tmux-256color", "truecolor", NULL, DEPTH_TRUE, TMUX_RGB | 0xd70000},
        {"tmux-256color", "24bit", NULL, DEPTH_TRUE, TMUX_RGB | 0xd70000},
        {"tmux-direct", "", NULL, DEPTH_TRUE, TMUX_RGB | 0xd70000},
        {"screen-256color", "truecolor", NULL, DEPTH_256, 160}, // there is no screen-direct
        {"tmux-256color", "", NULL, DEPTH_256, 160},
        {"xterm-16color", "", NULL, DEPTH_16, 1},
        {"screen", "", NULL, DEPTH_16, 1},
        {"vt220", "", NULL, DEPTH_NONE, TMUX_DEFAULT},
        {"tmux-256color", "truecolor", "NO_COLOR=1", DEPTH_NONE, TMUX_DEFAULT},
        {"tmux-256color", "truecolor", "NO_COLOR=", DEPTH_TRUE, TMUX_RGB | 0xd70000},
        {"tmux-256color", "", "LC_ALL=C", DEPTH_256, 160},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char title[64];
        struct tmux tmux = open_shell(cases[i].term, cases[i].colorterm, cases[i].more);
        begin(&tmux);
        snprintf(title, sizeof title, "depth %d size 80x24", cases[i].depth);
        tmux_expect(&tmux, title);
        struct tmux_screen screen = tmux_capture(&tmux);
        for (int j = 0; j < VALUES; j++)
            check_value(&screen, cases[i].depth, 0, j);
        const struct tmux_cell *warning = tmux_cell(&screen, 2, 0);
        assert_int_equal(warning->ink, cases[i].warning);
        assert_true(warning->bold);
        assert_string_equal(tmux_row(&screen, TEXT_ROW, 0, 11), SHOWN_TEXT);
        assert_string_equal(tmux_row(&screen, 23, 77, 80), "end");
        tmux_screen_free(&screen);
        tmux_press(&tmux, "q");
        shell_expect_end(&tmux, 0);
        tmux_close(&tmux);
    }
}

/* A description with 8 pairs of colours for 33 values. */
static void colours_do_not_come_in_pairs(void **state)
{
    char command[3 * PATH_MAX], terminfo[PATH_MAX];
    snprintf(terminfo, sizeof terminfo, "TERMINFO=%s", cli_path("terminfo"));
    snprintf(
        command, sizeof command,
        "infocmp -x tmux-256color | sed 's/pairs#[^,]*/pairs#8/; s/^tmux-256color|/few|/' >%s && "
        "tic -x -o %s %s",
        cli_path("few.src"), cli_path("terminfo"), cli_path("few.src"));
    assert_int_equal(system(command), 0);
    struct tmux tmux = open_shell("few", "", terminfo);
    begin(&tmux);
    for (int i = 1; i < 4; i++) {
        char title[64];
        tmux_press(&tmux, "c");
        snprintf(title, sizeof title, "from %d", i * FEW);
        tmux_expect(&tmux, title);
        struct tmux_screen screen = tmux_capture(&tmux);
        for (int j = 0; j < FEW; j++)
            check_value(&screen, DEPTH_256, i * FEW, j);
        tmux_screen_free(&screen);
    }
    tmux_press(&tmux, "q");
    shell_expect_end(&tmux, 0);
    tmux_close(&tmux);
}

static void the_terminal_is_restored_whatever_ends_the_program(void **state)
{
    static const struct {
        const char *key;
        int code; // as a shell says it
    } cases[] = {{"q", 0},
                 {"e", 3},
                 {"t", 128 + SIGTERM},
                 {"h", 128 + SIGHUP},
                 {"s", 128 + SIGSEGV},
                 {"a", 128 + SIGABRT},
                 {"C-\\", 128 + SIGQUIT}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int raw = 0; raw < 2; raw++) {
            struct tmux tmux = open_shell("tmux-256color", "truecolor", NULL);
            begin(&tmux);
            tmux_expect_format(&tmux, "#{alternate_on} #{cursor_flag} #{mouse_any_flag}", "1 0 1");
            if (raw) { // and back: the modes were changed in between
                tmux_press(&tmux, "i");
                tmux_expect_format(&tmux, "#{alternate_on} #{cursor_flag} #{mouse_any_flag}",
                                   "1 1 1");
                tmux_press(&tmux, "k");
                tmux_expect_format(&tmux, "#{alternate_on} #{cursor_flag} #{mouse_any_flag}",
                                   "1 0 1");
            }
            tmux_press(&tmux, cases[i].key);
            shell_expect_end(&tmux, cases[i].code);
            tmux_close(&tmux);
        }
}

/* Nobody takes it here: it comes when the screen is gone, whatever ends it. */
static void standard_error_waits_for_the_end(void **state)
{
    static const char *const ends[] = {"q", "a"};
    for (int i = 0; i < 2; i++) {
        struct tmux tmux = open_shell("tmux-256color", "truecolor", NULL);
        begin(&tmux);
        tmux_press(&tmux, "x z");
        tmux_expect(&tmux, "key 7a.");
        struct tmux_screen screen = tmux_capture(&tmux);
        assert_null(strstr(screen.text, "library"));
        tmux_screen_free(&screen);
        tmux_press(&tmux, ends[i]);
        tmux_expect(&tmux, "a library's words");
        shell_expect_end(&tmux, i ? 128 + SIGABRT : 0);
        tmux_close(&tmux);
    }
}

/* In the driven program nothing is there to be stopped: Ctrl-C ends it (interrupt.h). */
static void interrupts_restore_the_terminal(void **state)
{
    struct tmux tmux = open_shell("tmux-256color", "", NULL);
    begin(&tmux);
    tmux_press(&tmux, "C-c");
    tmux_expect_format(&tmux, "#{alternate_on} #{cursor_flag} #{mouse_any_flag}", "0 1 0");
    tmux_type(&tmux, "\r");
    shell_look(&tmux);
    shell_check_restored(&tmux);
    tmux_close(&tmux);
}

static void after_a_stop_everything_is_there_again(void **state)
{
    for (int raw = 0; raw < 2; raw++) {
        struct tmux tmux = open_shell("tmux-256color", "truecolor", NULL);
        begin(&tmux);
        if (raw)
            tmux_press(&tmux, "i");
        tmux_expect_format(&tmux, "#{cursor_flag} #{mouse_any_flag}", raw ? "1 1" : "0 1");
        for (int i = 0; i < 3; i++) {
            tmux_press(&tmux, "C-z");
            tmux_expect_format(&tmux, "#{alternate_on} #{cursor_flag} #{mouse_any_flag}", "0 1 0");
            tmux_expect(&tmux, SHELL_READY);
            shell_look(&tmux);
            shell_check_restored(&tmux);
            tmux_type(&tmux, "fg\r");
            tmux_expect(&tmux, "depth 3 size 80x24");
            tmux_expect_format(&tmux, "#{alternate_on} #{cursor_flag} #{mouse_any_flag}",
                               raw ? "1 1 1" : "1 0 1");
        }
        struct tmux_screen screen = tmux_capture(&tmux);
        for (int j = 0; j < VALUES; j++)
            check_value(&screen, DEPTH_TRUE, 0, j);
        tmux_screen_free(&screen);
        if (raw)
            tmux_press(&tmux, "k");
        tmux_expect_format(&tmux, "#{cursor_flag} #{mouse_any_flag}", "0 1"); // it reads keys again
        tmux_press(&tmux, "q");
        tmux_expect_format(&tmux, "#{alternate_on} #{cursor_flag} #{mouse_any_flag}", "0 1 0");
        tmux_close(&tmux);
    }
}

static void keys_and_clicks_arrive(void **state)
{
    static const struct {
        const char *name;
        int key;
    } keys[] = {{"x", 'x'},
                {"Up", KEY_ARROW_UP},
                {"Down", KEY_ARROW_DOWN},
                {"Left", KEY_ARROW_LEFT},
                {"Right", KEY_ARROW_RIGHT},
                {"PageUp", KEY_PAGE_UP},
                {"PageDown", KEY_PAGE_DOWN},
                {"Home", KEY_FIRST},
                {"End", KEY_LAST},
                {"BTab", KEY_TAB_BACK},
                {"Tab", '\t'},
                {"Enter", '\r'},
                {"Escape", 27},
                {"BSpace", 127},
                {"C-a", 1},
                {"C-s", 19},
                {"C-v", 22},
                {"F5", KEY_OTHER},
                {"é", 0xE9},
                {"語", 0x8A9E},
                {"😀", 0x1F600}};
    struct tmux tmux = open_shell("tmux-256color", "", NULL);
    begin(&tmux);
    char marker[32];
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        snprintf(marker, sizeof marker, "key %x.", keys[i].key);
        tmux_press(&tmux, keys[i].name);
        tmux_expect(&tmux, marker);
    }
    tmux_click(&tmux, 7, 30, TMUX_LEFT);
    tmux_expect(&tmux, "mouse 0 at 7 30.");
    tmux_click(&tmux, 7, 31, TMUX_UP);
    tmux_expect(&tmux, "mouse 2 at 7 31.");
    tmux_click(&tmux, 8, 31, TMUX_DOWN);
    tmux_expect(&tmux, "mouse 3 at 8 31.");
    tmux_press(&tmux, "i");
    tmux_expect_format(&tmux, "#{mouse_any_flag} #{keypad_flag}", "1 0");
    tmux_press(&tmux, "a");
    tmux_expect(&tmux, "bytes 61");
    snprintf(marker, sizeof marker, "line's key %x.", KEY_ARROW_UP);
    tmux_press(&tmux, "Up");
    tmux_expect(&tmux, marker);
    tmux_click(&tmux, 7, 32, TMUX_LEFT);
    tmux_expect(&tmux, "mouse 0 at 7 32.");
    tmux_press(&tmux, "k");
    tmux_expect_format(&tmux, "#{keypad_flag}", "1");
    tmux_press(&tmux, "q");
    shell_expect_end(&tmux, 0);
    tmux_close(&tmux);
}

static void the_screen_follows_the_window(void **state)
{
    static const int sizes[][2] = {{40, 12}, {250, 70}, {120, 40}, {41, 13}, {80, 24}};
    struct tmux tmux = open_shell("tmux-256color", "truecolor", NULL);
    begin(&tmux);
    for (int i = 0; i < 5; i++) {
        char title[64];
        int columns = sizes[i][0], rows = sizes[i][1];
        tmux_resize(&tmux, columns, rows);
        snprintf(title, sizeof title, "size %dx%d", columns, rows);
        tmux_expect(&tmux, title);
        tmux_expect(&tmux, "end");
        struct tmux_screen screen = tmux_capture(&tmux);
        assert_string_equal(tmux_row(&screen, rows - 1, columns - 3, columns), "end");
        for (int j = 0; j < VALUES && 2 * j + 1 < columns; j++)
            check_value(&screen, DEPTH_TRUE, 0, j);
        tmux_screen_free(&screen);
    }
    tmux_press(&tmux, "q");
    shell_expect_end(&tmux, 0);
    tmux_close(&tmux);
}

/* Terminals of `script`, of containers and of serial lines often say that they have no rows. */
static void a_terminal_without_a_size_is_taken_for_80_by_24(void **state)
{
    const char *const driven[] = {own_program(), DRIVEN, NULL};
    setenv("TERM", "xterm-256color", 1);
    struct terminal terminal = terminal_run(driven, 0, 0);
    terminal_expect(&terminal, "size 80x24");
    terminal_type(&terminal, "q");
    assert_int_equal(terminal_close(&terminal), 0);
    free(terminal.text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_are_those_that_were_put),
        cmocka_unit_test(colours_do_not_come_in_pairs),
        cmocka_unit_test(the_terminal_is_restored_whatever_ends_the_program),
        cmocka_unit_test(standard_error_waits_for_the_end),
        cmocka_unit_test(interrupts_restore_the_terminal),
        cmocka_unit_test(after_a_stop_everything_is_there_again),
        cmocka_unit_test(keys_and_clicks_arrive),
        cmocka_unit_test(the_screen_follows_the_window),
        cmocka_unit_test(a_terminal_without_a_size_is_taken_for_80_by_24),
    };
    if (argc > 1 && strcmp(argv[1], DRIVEN) == 0)
        return drive();
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
