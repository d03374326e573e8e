/* The screen while a study runs: what is held can be walked, help is there at once, what needs the
 * model waits where it can be seen, and only Esc and Ctrl-C stop anything.
 *
 * The study is one that no machine ends within the test. ATTNSCOPE_TEST_KEYS in the environment
 * says how many random keys are pressed, ATTNSCOPE_TEST_SEED which.
 */
#include "terminal/key_codes.h"
#include "tests/support/cli_support.h"
#include "tests/support/random_lines.h"
#include "tests/support/test.h"
#include "tests/support/tmux_support.h"
#include "tui/manual/key_table.h"

enum { MANY = 4096, USUAL_KEYS = 300, KEYS_OF_ROUND = 50, ROWS = 90, MOST_TYPED = 20 };

#define STUDY ":ablate many many"
#define RUNS "translating.*Esc stops"
#define LISTED "waiting for the command that runs"

/* From the prompt. */
static void to_view(const struct tmux *tmux)
{
    tmux_expect_format(tmux, "#{cursor_flag}", "1");
    tmux_press(tmux, "Escape");
    tmux_expect_format(tmux, "#{cursor_flag}", "0");
}

/* From the view, and back. */
static void run_line(const struct tmux *tmux, const char *line)
{
    tmux_type(tmux, "i");
    tmux_expect_format(tmux, "#{cursor_flag}", "1");
    tmux_type(tmux, line);
    tmux_type(tmux, "\r");
    to_view(tmux);
}

/* At the prompt. */
static void begin_study(const struct tmux *tmux)
{
    tmux_type(tmux, STUDY "\r");
    to_view(tmux);
    tmux_expect_match(tmux, RUNS);
}

static struct tmux open_session(void)
{
    static const char *const environment[] = {"NO_COLOR=1", NULL};
    static const char *const arguments[] = {CPU,       "--threads",         "1",
                                            "--ascii", "samples/en-de.bin", NULL};
    struct tmux tmux = tmux_open_program(&(struct tmux_spec){
        .columns = 120, .rows = ROWS, .environment = environment, .arguments = arguments});
    tmux_expect(&tmux, "Type a sentence");
    tmux_type(&tmux, "the dog sees a cat\r");
    tmux_expect(&tmux, "cross  layer 2/2  mean of 8 heads");
    begin_study(&tmux);
    return tmux;
}

/* The study runs until then. */
static void leave(struct tmux *tmux, const char *keys)
{
    tmux_expect_match(tmux, RUNS);
    tmux_type(tmux, keys);
    assert_int_equal(tmux_finish(tmux), 0);
    tmux_close(tmux);
}

static void what_is_held_is_walked(void **state)
{
    static const struct {
        const char *keys, *shows;
    } steps[] = {{"\033OC", "cross  layer 2/2  head 1/8"},
                 {"\033OC", "cross  layer 2/2  head 2/8"},
                 {"\033OA", "cross  layer 1/2  head 2/8"},
                 {"\t", "encoder  layer 1/4  head 2/8"},
                 {"o", "encoder  layer 1-4  head 1-8"},
                 {"l\r", "encoder  layer 1/4  head 3/8"},
                 {"a", "encoder  layer 1/4  mean of 8 heads"},
                 {"t", "encoder  token 1"},
                 {":help gates", " :help gates  "},
                 {"q", "encoder  token 1"},
                 {":set figure.width 77", "77mm"},
                 {":nonsense", "unknown command :nonsense"},
                 {":attn dec 2.3", "decoder  layer 2/2  head 3/8"},
                 {"?", "in this view, when the command is done"},
                 {"qqq", "decoder  layer 2/2  head 3/8"}};
    struct tmux tmux = open_session();
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (*steps[i].keys == ':')
            run_line(&tmux, steps[i].keys);
        else
            tmux_type(&tmux, steps[i].keys);
        tmux_expect(&tmux, steps[i].shows);
        tmux_expect_match(&tmux, RUNS);
    }
    leave(&tmux, "\004\004");
}

static void what_needs_the_model_waits_and_is_dropped_first(void **state)
{
    struct tmux tmux = open_session();
    tmux_type(&tmux, "A");
    tmux_expect(&tmux, "1 waits: :attn cross layer 2 head 1 as ");
    tmux_type(&tmux, "d"); // a key that waits is not named as one that works
    tmux_expect(&tmux, "2 wait: ");
    tmux_expect_gone(&tmux, "d off/on");
    tmux_type(&tmux, "\033OC"); // what is shown is walked on from
    tmux_expect(&tmux, "layer 2/2  head 1/8");
    tmux_press(&tmux, "Escape");
    tmux_expect(&tmux, "dropped :attn cross layer 2 head 1 as norms word, :disable cross");
    tmux_expect_match(&tmux, RUNS);
    tmux_press(&tmux, "Escape");
    tmux_expect(&tmux, "; the same command goes on from there");
    tmux_type(&tmux, "i");
    tmux_expect_format(&tmux, "#{cursor_flag}", "1");
    begin_study(&tmux);
    run_line(&tmux, ":next"); // with what waits at Ctrl-C it is told
    tmux_expect(&tmux, "1 waits: :next");
    tmux_press(&tmux, "C-c");
    tmux_expect(&tmux, "goes on from there; dropped :next");
    tmux_press(&tmux, "C-d");
    assert_int_equal(tmux_finish(&tmux), 0);
    tmux_close(&tmux);
}

static void quit_says_what_it_waits_for(void **state)
{
    struct tmux tmux = open_session();
    run_line(&tmux, ":q");
    tmux_expect(&tmux, "leaves when the command is done");
    tmux_expect(&tmux, "1 waits: :quit");
    tmux_press(&tmux, "Escape");
    tmux_expect(&tmux, "dropped :quit");
    tmux_expect_match(&tmux, RUNS);
    run_line(&tmux, ":quit");
    tmux_expect(&tmux, "1 waits: :quit");
    tmux_type(&tmux, "\003"); // what it waits for is stopped
    assert_int_equal(tmux_finish(&tmux), 0);
    tmux_close(&tmux);
}

/* Random keys ---------------------------------------------------------------------------------- */

/* Those of every view but the ones that stop, leave, or wait one by one: so many would wait. */
static bool is_pressed(const struct key_entry *entry)
{
    switch (entry->action) {
    case ACTION_ESCAPE:
    case ACTION_QUIT:
    case ACTION_EXPORT:
        return false;
    default:
        return !(entry->contexts & WAITS_FOR_MODEL) || entry->action == ACTION_METHOD;
    }
}

/* Adds a key, as a terminal sends it. */
static void add_random(char *keys)
{
    static const char *const arrows[] = {"\033OA",  "\033OB",  "\033OD",  "\033OC", "\033[5~",
                                         "\033[6~", "\033[1~", "\033[4~", "\033[Z"};
    const struct key_entry *entry;
    do
        entry = &key_table[random_below((size_t)key_count)];
    while (!is_pressed(entry));
    int key = entry->keys[random_below(2)];
    const char one[2] = {(char)key, '\0'};
    if (key && key != '\r') // a line that keys began would be typed
        strcat(keys, key > KEY_BASE ? arrows[key - KEY_ARROW_UP] : one);
}

/* Random keys, and a line that is typed whatever has the focus then: what else is being typed
 * ends. */
static void press_round(const struct tmux *tmux, int number)
{
    char keys[8 * KEYS_OF_ROUND + 80] = "";
    for (int i = 0; i < KEYS_OF_ROUND; i++)
        add_random(keys);
    sprintf(keys + strlen(keys), "\007\007\007\f:model typed%d\r", number);
    tmux_type(tmux, keys);
}

static bool lists_all(const struct tmux_screen *screen, const void *context)
{
    const int *typed = context;
    const char *at = strstr(screen->text, LISTED);
    for (int i = 0; at && i < *typed; i++) {
        char line[80];
        snprintf(line, sizeof line, "\n :model typed%d\n", i);
        at = strstr(at, line);
    }
    return at != NULL;
}

static long number_of(const char *name, long usual)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : usual;
}

static void random_keys_lose_nothing_typed_and_no_study(void **state)
{
    long keys = number_of("ATTNSCOPE_TEST_KEYS", USUAL_KEYS);
    struct tmux tmux = open_session();
    random_seed((uint64_t)number_of("ATTNSCOPE_TEST_SEED", 1));
    for (long done = 0; done < keys;) {
        int typed = 0;
        for (; done < keys && typed < MOST_TYPED; done += KEYS_OF_ROUND)
            press_round(&tmux, typed++);
        tmux_settle(&tmux); // the cursor comes and goes with what is typed
        to_view(&tmux);
        tmux_type(&tmux, "?");
        tmux_expect_that(&tmux, lists_all, &typed, "all lines that were typed, in their order");
        tmux_press(&tmux, "Escape");
        tmux_expect(&tmux, "dropped ");
        tmux_expect_match(&tmux, RUNS);
    }
    leave(&tmux, "i:quit\r:q!\r");
}

static int open_folder(void **state)
{
    if (cli_enter(state) != 0)
        return -1;
    FILE *file = fopen("many", "w");
    assert_non_null(file);
    for (int i = 0; i < MANY; i++)
        fprintf(file, "the dog sees a cat in the house and the man sees dog %d\n", i);
    assert_int_equal(fclose(file), 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_held_is_walked),
        cmocka_unit_test(what_needs_the_model_waits_and_is_dropped_first),
        cmocka_unit_test(quit_says_what_it_waits_for),
        cmocka_unit_test(random_keys_lose_nothing_typed_and_no_study),
    };
    return cmocka_run_group_tests(tests, open_folder, cli_close);
}
