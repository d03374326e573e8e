/* A long day in one process: random commands, right and wrong ones, many of them stopped by Ctrl-C;
 * sessions are closed and opened on whatever models there are, some of them work on a shard. What a
 * session has taken it gives back: memory and descriptors stay what they were.
 *
 * ATTNSCOPE_TEST_SOAK in the environment says how many commands (default: a few), RANDOM_SEED which
 * ones; what the process has is printed after each 1,000.
 */
#include <dirent.h>
#include <glob.h>
#include <malloc.h>
#include <unistd.h>

#include "terminal/interrupt.h"
#include "terminal/progress.h"
#include "tests/support/cli_support.h"
#include "tests/support/commands_support.h"
#include "tests/support/random_lines.h"
#include "tests/support/test.h"

enum { USUAL = 250, SESSIONS = 50, SESSION_LEAST = 20, PRINT_EACH = 1000 };

static long from_environment(const char *name, long usual)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : usual;
}

/* What the process has ------------------------------------------------------------------------- */

/* Bytes in blocks, as malloc counts them; of pages in memory; open files. */
struct had {
    size_t used, resident;
    int descriptors;
};

static int count_descriptors(void)
{
    int count = -3; // ".", "..", and this one
    DIR *listing = opendir("/proc/self/fd");
    assert_non_null(listing);
    while (readdir(listing))
        count++;
    closedir(listing);
    return count;
}

static struct had look(void)
{
    const struct mallinfo2 blocks = mallinfo2();
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%*d %zu", &pages), 1);
    fclose(file);
    return (struct had){blocks.uordblks + blocks.hblkhd, pages * (size_t)getpagesize(),
                        count_descriptors()};
}

static void take_most(struct had *most, const struct had *had)
{
    most->used = had->used > most->used ? had->used : most->used;
    most->resident = had->resident > most->resident ? had->resident : most->resident;
    most->descriptors = had->descriptors > most->descriptors ? had->descriptors : most->descriptors;
}

/* A day ---------------------------------------------------------------------------------------- */

static struct day {
    struct bench bench;
    glob_t models;
    long seed, wanted, commands, sessions, refused, stopped;
    struct had running[2],
        closed[2]; // the most in either half: while sessions run, after their end
} day;

static int half(void)
{
    return day.commands > day.wanted / 2;
}

/* Some models do not open. */
static struct session *open_any(void)
{
    const char *path = day.models.gl_pathv[random_below(day.models.gl_pathc)];
    struct status status;
    struct session_spec spec = {
        .paths = &path, .count = 1, .device = {.kind = DEVICE_CPU}, .threads = 1};
    return session_open(&spec, &status);
}

static void begin_session(void)
{
    char parts[96];
    struct status status;
    day.bench = (struct bench){0};
    while (!day.bench.session)
        day.bench.session = open_any();
    bench_connect(&day.bench);
    day.bench.program.prompt = true; // Ctrl-C stops what runs, not the program
    snprintf(parts, sizeof parts, "%s/parts", random_lines_folder());
    if (random_below(8) == 0 && !session_take_shard(day.bench.session, parts, 1, 1, &status))
        fail_msg("seed %ld, command %ld: %s", day.seed, day.commands, status.message);
    day.sessions++;
}

static void end_session(void)
{
    bench_close(&day.bench);
    if (random_lines_write() != 0) // exports may have taken their place
        fail_msg("seed %ld, command %ld: no files", day.seed, day.commands);
    const struct had had = look();
    take_most(&day.closed[half()], &had);
}

/* Some commands are stopped when they have asked a few times whether to go on, whatever the
 * machine; all of them when a user's patience ends, as some take hours. */
enum { ASKS_MOST = 4, PATIENCE = 999000000 };
static int asks_left;

static void press_after_asks(void)
{
    if (--asks_left == 0)
        interrupt_raise();
}

static void run_line(const char *line)
{
    struct program *program = &day.bench.program;
    FILE *usual = program->sink.stream;
    char *text = NULL;
    size_t size;
    program->sink.stream = program->sink.failures = open_memstream(&text, &size);
    assert_non_null(program->sink.stream);
    program->exit_code = 0;
    asks_left = random_below(6) ? 0 : 1 + (int)random_below(ASKS_MOST);
    progress_between(asks_left ? press_after_asks : NULL);
    timer_t timer = random_press_later(PATIENCE);
    program_line(program, "", line);
    day.stopped += interrupted();
    random_let_go(timer);
    progress_between(NULL);
    fclose(program->sink.stream);
    free(text);
    program->sink.stream = program->sink.failures = usual;
    day.refused += program->exit_code != 0;
    day.commands++;
}

static void print_day(void)
{
    const struct had had = look();
    printf("%ld commands, %ld refused, %ld stopped, %ld sessions: %zu KiB in blocks, %zu KiB "
           "resident, %d descriptors\n",
           day.commands, day.refused, day.stopped, day.sessions, had.used / 1024,
           had.resident / 1024, had.descriptors);
    fflush(stdout);
}

static void run_session(void)
{
    const long usual =
        day.wanted / SESSIONS > SESSION_LEAST ? day.wanted / SESSIONS : SESSION_LEAST;
    long left = 1 + (long)random_below(2 * (size_t)usual);
    char line[RANDOM_LINE_MOST];
    begin_session();
    for (; left > 0 && day.commands < day.wanted; left--) {
        random_line(line);
        run_line(line);
        const struct had had = look();
        take_most(&day.running[half()], &had);
        if (day.commands % PRINT_EACH == 0)
            print_day();
    }
    end_session();
}

/* Bounds: fonts and other tables of libraries that are first needed in the second half; the pages
 * that two sessions of different models leave between blocks. Of small numbers of commands all that
 * is such a table. */
enum { USED_MORE = 256 << 10, RESIDENT_MORE = 16 << 20, FEW = 5000 };

static void a_long_day_leaves_nothing_behind(void **state)
{
    const int descriptors = count_descriptors();
    day.seed = from_environment("RANDOM_SEED", 1);
    day.wanted = from_environment("ATTNSCOPE_TEST_SOAK", USUAL);
    random_seed((uint64_t)day.seed);
    assert_int_equal(glob("tests/golden/*.bin", 0, NULL, &day.models), 0);
    assert_int_equal(glob("tests/golden/formats/*[!d]", GLOB_APPEND, NULL, &day.models), 0);
    while (day.commands < day.wanted)
        run_session();
    globfree(&day.models);
    const struct had *before = &day.closed[0], *after = &day.closed[1];
    printf("seed %ld: at most, in the first and the second half: %zu, %zu KiB in blocks (%zu, %zu "
           "after sessions), %zu, %zu KiB resident; %d, %d descriptors after sessions\n",
           day.seed, day.running[0].used / 1024, day.running[1].used / 1024, before->used / 1024,
           after->used / 1024, day.running[0].resident / 1024, day.running[1].resident / 1024,
           before->descriptors, after->descriptors);
    assert_true(day.refused < day.commands && day.stopped > 0 && day.sessions > 1);
    assert_int_equal(after->descriptors, descriptors);
    if (day.wanted < FEW)
        return;
    if (after->used > before->used + USED_MORE)
        fail_msg("seed %ld: %zu bytes after sessions, %zu before", day.seed, after->used,
                 before->used);
    if (day.running[1].resident > day.running[0].resident + RESIDENT_MORE)
        fail_msg("seed %ld: %zu bytes resident, %zu before", day.seed, day.running[1].resident,
                 day.running[0].resident);
}

/* The lines are drawn from all commands; `:quit` is the end of a session. */
static void every_command_is_drawn(void **state)
{
    enum { DRAWN = 20000 };
    bool drawn[256] = {false};
    random_seed(1);
    for (int i = 0; i < DRAWN; i++) {
        char line[RANDOM_LINE_MOST], name[40];
        random_line(line);
        command_name(line, name, sizeof name);
        for (int k = 0; k < command_count; k++)
            drawn[k] |= strcmp(command_table[k]->name, name) == 0;
    }
    for (int k = 0; k < command_count; k++)
        if (!drawn[k] && strcmp(command_table[k]->name, "quit") != 0)
            fail_msg(":%s is in none of 20,000 lines", command_table[k]->name);
}

static int open_day(void **state)
{
    interrupt_install();
    return random_lines_open();
}

static int close_day(void **state)
{
    return random_lines_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_command_is_drawn),
        cmocka_unit_test(a_long_day_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, open_day, close_day);
}
