/* Memory that is not there: whichever allocation of the program's fails, in a session of commands
 * or on the screen, it says so in one line, goes on where it can, gives no other result than it
 * would have given, leaves the files of what was refused as they were, and the terminal, too.
 *
 * The program is one whose allocations can be made to fail (failing_memory.c). Which ones do is
 * drawn, from as many as the commands take; ATTNSCOPE_TEST_ALLOCATIONS in the environment says how
 * many are tried of each session (default: a few; 0: every one), ATTNSCOPE_TEST_SEED which ones;
 * with ATTNSCOPE_TEST_SESSIONS_ALONE there is no screen.
 */
#include <limits.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/random_lines.h"
#include "tests/support/shell_support.h"
#include "tests/support/test.h"
#include "tests/tui/program/made_files.h"

enum { USUAL_TRIALS = 10, USUAL_SCREENS = 6 };
#define FAILING "ATTNSCOPE_TEST_FAILING"
#define COUNTED "ATTNSCOPE_TEST_COUNTED"

/* Sessions: a model and what is done with it. */
static const char *const looking[] = {
    CPU,  "--threads",       "1",  MODEL,      "-e", SENTENCE,        "-e", ":attn cross",
    "-e", ":heads enc word", "-e", ":token 2", "-e", ":hypothesis 2", NULL};
static const char *const changing[] = {CPU,  "--threads",
                                       "1",  FIXED,
                                       "-e", SENTENCE,
                                       "-e", ":disable enc layer 1 head 2",
                                       "-e", ":mask enc layer 2 head 8 local 1",
                                       "-e", ":state other",
                                       "-e", ":beside before",
                                       "-e", ":beside before heads word",
                                       "-e", ":save made.scope",
                                       "-e", ":reset",
                                       NULL};
static const char *const telling[] = {
    "--json", CPU,         "--threads", "1",      GATES,
    "-e",     SENTENCE,    "-e",        ":gates", "-e",
    ":info",  "-e",        ":set",      "-e",     ":score the dog ||| the cat",
    "-e",     ":disabled", NULL};
static const char *const studying[] = {CPU,  "--threads",
                                       "1",  MODEL,
                                       "-e", ":bleu src ref",
                                       "-e", ":ablate src ref head 1-2",
                                       "-e", ":contrast pairs.json",
                                       "-e", ":open src ref",
                                       "-e", ":next",
                                       "-e", ":translate src",
                                       NULL};
static const char *const opening[] = {CPU,  "--threads",
                                      "1",  MODEL,
                                      "-e", ":ablate src ref head 1-2",
                                      "-e", ":ablate src ref head 1-2 show 1",
                                      "-e", ":prune src ref until 100 layer 1 head 1-2",
                                      "-e", ":prune src ref until 100 layer 1 head 1-2 show 2",
                                      "-e", ":contrast pairs.json ablate head 1-2",
                                      "-e", ":contrast pairs.json ablate head 1-2 show 1",
                                      NULL};
static const char *const writing[] = {CPU,  "--threads",
                                      "1",  "tests/golden/dhicm_last_layers.bin",
                                      "-e", SENTENCE,
                                      "-e", ":importance",
                                      "-e", ":export made.png",
                                      "-e", ":export made.svg attn enc layer 1 head 1",
                                      "-e", ":export made.npy",
                                      "-e", ":export made.safetensors",
                                      "-e", ":export made.npz",
                                      "-e", ":export made.pdf align layer 1 head 1",
                                      "-e", ":export made.csv token 2 enc",
                                      NULL};
static const char *const translating[] = {CPU,  "--threads",
                                          "1",  MODEL,
                                          "-e", SENTENCE,
                                          "-e", ":state one",
                                          "-e", ":disable enc layer 1",
                                          "-e", ":bleu src ref in one current",
                                          "-e", ":export made.csv",
                                          "-e", ":export made.svg",
                                          "-e", ":compare one current src ref",
                                          "-e", ":export made.npz",
                                          NULL};
static const char *const grids[] = {CPU,  "--threads",
                                    "1",  MODEL,
                                    "-e", SENTENCE,
                                    "-e", ":set export.comments on",
                                    "-e", ":export made.svg heads cross",
                                    "-e", ":disable enc head 1",
                                    "-e", ":export made.pdf beside before",
                                    "-e", ":export made.csv beside before",
                                    "-e", ":export made.npy beside before",
                                    NULL};
static const char *const averages[] = {
    CPU,  "--threads",        "1",  GATES,    "-e", ":gates src", "-e", ":export made.svg",
    "-e", ":export made.csv", "-e", SENTENCE, "-e", ":gates",     "-e", ":export made.npz",
    NULL};
static const char *const helping[] = {
    CPU,  "--threads",      "1", MODEL, "-e", ":help", "-e", ":help export", "-e", ":set beam 2",
    "-e", ":source script", NULL};

/* Runs, of which some allocation fails --------------------------------------------------------- */

static long number_of(const char *name, long usual)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : usual;
}

static struct outcome run_failing(const char *const *session, long failing)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", failing);
    setenv(FAILING, text, 1);
    write_made();
    struct outcome outcome = cli_run(session);
    unsetenv(FAILING);
    return outcome;
}

/* How many allocations a session takes. */
static long count_allocations(const char *const *session, struct outcome *outcome)
{
    setenv(COUNTED, cli_path("counted"), 1);
    *outcome = run_failing(session, 0);
    unsetenv(COUNTED);
    char *text = cli_read(cli_path("counted"), NULL);
    long count = strtol(text, NULL, 10);
    free(text);
    assert_int_equal(outcome->code, 0);
    assert_int_equal(cli_count_messages(outcome->err), 0);
    assert_true(count > 100);
    return count;
}

/* True if failures are objects: what fails before the first command is a line on standard error
 * everywhere. */
static bool in_objects(const char *const *session, const struct outcome *outcome)
{
    return strcmp(session[0], "--json") == 0 && *outcome->out;
}

static int count_commands(const char *const *session)
{
    int count = 0;
    for (; *session; session++)
        count += strcmp(*session, "-e") == 0;
    return count;
}

/* The lines about failures: objects with an error, or what went to standard error. */
static int count_failures(const char *const *session, const struct outcome *outcome)
{
    int failures = 0;
    if (!in_objects(session, outcome))
        return cli_count_messages(outcome->err);
    for (int i = 0; i < cli_count_lines(outcome->out); i++) {
        json_t *object = cli_object(session, outcome->out, i);
        failures += json_is_false(json_object_get(object, "ok"));
        json_decref(object);
    }
    return failures;
}

/* The line of the first failure is about memory. */
static bool tells_of_memory(const char *const *session, const struct outcome *outcome)
{
    const char *text = in_objects(session, outcome) ? strstr(outcome->out, "\"ok\":false")
                                                    : strstr(outcome->err, "attnscope: ");
    const char *end = text ? strchr(text, '\n') : NULL,
               *says = text ? strstr(text, "memory") : NULL;
    return says && end && says < end;
}

/* True if standard error names the command, or (sentences have no name) tells of one without a
 * name. */
static bool is_refused(const char *command, const struct outcome *outcome)
{
    char start[64];
    int length = *command == ':' ? (int)strcspn(command, " ") : 0;
    snprintf(start, sizeof start, "attnscope: %.*s%s", length, command,
             length ? ":" : "out of memory");
    return strstr(outcome->err, start) != NULL;
}

/* What a session leaves without one of its commands, the argument `left_out` and the one before. */
static void run_without(const char *const *session, int left_out, struct made_file files[MADE])
{
    const char *arguments[64];
    int count = 0;
    for (int i = 0; session[i]; i++)
        if (i != left_out && i != left_out - 1)
            arguments[count++] = session[i];
    assert_true(count < 64);
    arguments[count] = NULL;
    struct outcome outcome = run_failing(arguments, 0);
    outcome_free(&outcome);
    read_made(files);
}

/* What there is where the model was refused. */
static void read_untouched(struct made_file files[MADE])
{
    write_made();
    read_made(files);
}

/* Files are those that there are with enough memory, or those of the session without the command
 * that was refused. */
static void check_made(const char *const *session, long failing, const struct made_file *whole,
                       const struct outcome *outcome)
{
    struct made_file is[MADE], others[MADE];
    read_made(is);
    const char *other = find_other(is, whole);
    if (other && !*outcome->out) {
        read_untouched(others);
        other = find_other(is, others);
        free_made(others);
    }
    for (int i = 0; other && session[i]; i++)
        if (strcmp(session[i], "-e") == 0 && is_refused(session[i + 1], outcome)) {
            run_without(session, i + 1, others);
            other = find_other(is, others) ? other : NULL;
            free_made(others);
        }
    if (other)
        fail_msg("%s=%ld%s: another %s\n%s", FAILING, failing, cli_command_line(session), other,
                 outcome->err);
    free_made(is);
}

static void check_run(const char *const *session, long failing, const struct outcome *whole,
                      const struct made_file *files)
{
    struct outcome outcome = run_failing(session, failing);
    int commands = count_commands(session), failures = count_failures(session, &outcome);
    bool fine = outcome.code == 0 && failures == 0 && strcmp(outcome.err, whole->err) == 0 &&
                strcmp(outcome.out, whole->out) == 0;
    bool told = outcome.code == 1 && failures >= 1 && failures <= commands &&
                tells_of_memory(session, &outcome);
    if (!fine && !told)
        fail_msg("%s=%ld%s: code %d, %d failures\nstandard error: %s\nstandard output: %.3000s",
                 FAILING, failing, cli_command_line(session), outcome.code, failures, outcome.err,
                 outcome.out);
    check_made(session, failing, files, &outcome);
    outcome_free(&outcome);
}

static void check_session(const char *const *session)
{
    long trials = number_of("ATTNSCOPE_TEST_ALLOCATIONS", USUAL_TRIALS);
    struct outcome whole;
    long count = count_allocations(session, &whole);
    struct made_file files[MADE];
    read_made(files);
    random_seed((uint64_t)number_of("ATTNSCOPE_TEST_SEED", 1));
    for (long i = 1; trials ? i <= trials : i <= count; i++) {
        long failing = trials ? 1 + (long)random_below((size_t)count) : i;
        check_run(session, failing, &whole, files);
    }
    free_made(files);
    outcome_free(&whole);
}

static void views_are_right_or_refused(void **state)
{
    check_session(looking);
}

static void changes_are_right_or_refused(void **state)
{
    check_session(changing);
}

static void objects_are_right_or_errors(void **state)
{
    check_session(telling);
}

static void studies_are_right_or_refused(void **state)
{
    check_session(studying);
}

static void rows_open_right_or_not_at_all(void **state)
{
    check_session(opening);
}

static void exports_are_right_or_refused(void **state)
{
    check_session(writing);
}

static void scores_of_states_are_right_or_refused(void **state)
{
    check_session(translating);
}

static void grids_are_right_or_refused(void **state)
{
    check_session(grids);
}

static void averages_are_right_or_refused(void **state)
{
    check_session(averages);
}

static void help_is_whole_or_refused(void **state)
{
    check_session(helping);
}

/* The screen ----------------------------------------------------------------------------------- */

struct place {
    const char *keys, *shows; // where they lead to, in a session that nothing happens to
};

/* Types keys until the screen shows the answer, or the shell is there again. Where there was no
 * memory for the answer, or for the keys, they are typed again. */
static void type_until(const struct tmux *tmux, const char *keys, const char *answer)
{
    enum { TRIES = 3000, AGAIN = 100 };
    for (int i = 0; i < TRIES; i++) {
        if (i % AGAIN == 0)
            tmux_type(tmux, keys);
        struct tmux_screen screen = tmux_capture(tmux);
        bool done = shell_is_done(&screen) || (answer && strstr(screen.text, answer));
        tmux_screen_free(&screen);
        if (done)
            return;
        usleep(20000);
    }
    fail_msg("no %s", answer ? answer : "end");
}

/* What was asked for is done when a line of its own is answered. */
static void settle(const struct tmux *tmux)
{
    static int asked;
    char line[40], answer[40];
    snprintf(line, sizeof line, "\007\007:zq%d\r", ++asked);
    snprintf(answer, sizeof answer, "unknown command :zq%d:", asked);
    type_until(tmux, line, answer);
}

/* Asked for by a screen from its beginning, whether or not it can draw. */
static bool asks_for_mouse(void)
{
    char *sent = cli_read(cli_path("sent"), NULL);
    bool asks = strstr(sent, "\033[?1000h");
    free(sent);
    return asks;
}

static bool is_up(const struct tmux_screen *screen, const void *unused)
{
    (void)unused;
    return shell_is_done(screen) || asks_for_mouse();
}

/* Waits for the screen; false: it could not begin, and keys would be the shell's. */
static bool begins(const struct tmux *tmux)
{
    tmux_expect_that(tmux, is_up, NULL, "the screen, or an end");
    return asks_for_mouse();
}

/* Walks through views, whatever they show where something fails, and ends the session. */
static void walk(const struct tmux *tmux, const char *failing)
{
    static const struct place places[] = {{"", "Type a sentence"},
                                          {SENTENCE "\r", "source \xe2\x86\x92"},
                                          {"o", "layer 1-2"},
                                          {"\rd", "(was "},
                                          {"t", "attends to"},
                                          {":set\r", "length_penalty.alpha"},
                                          {"q:export made.csv attn\r", "wrote"},
                                          {"?", "in this view"}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        // A line that could not be typed: its letters were keys.
        tmux_type(tmux, i > 1 ? "\007\007" : "");
        tmux_type(tmux, places[i].keys);
        if (!failing)
            tmux_expect(tmux, places[i].shows);
        else if (!strchr(failing, '-'))
            settle(tmux);
    }
    type_until(tmux, "\007\007\025\004", NULL); // the shell ignores Ctrl-D
}

/* The code that it ends with. `failing`: of the environment; NULL: nothing fails, and allocations
 * are counted. */
static int run_screen(const char *failing)
{
    char command[3 * PATH_MAX], says[PATH_MAX];
    int code = -1;
    snprintf(says, sizeof says, "%s", cli_path("counted"));
    snprintf(command, sizeof command, "%s=%s %s --device cpu --threads 1 %s",
             failing ? FAILING : COUNTED, failing ? failing : says, cli_program(), MODEL);
    struct tmux tmux =
        shell_open(&(struct tmux_spec){.columns = 100, .rows = 30, .environment = NULL});
    shell_run(&tmux, command);
    if (begins(&tmux))
        walk(&tmux, failing);
    struct tmux_screen screen = tmux_capture(&tmux);
    const char *at = strstr(screen.text, "code=");
    bool complained = strstr(screen.text, "attnscope: "); // it could not begin
    if (!at || sscanf(at, "code=%d", &code) != 1 || code != complained)
        fail_msg("%s=%s: %s", FAILING, failing ? failing : "", screen.text);
    tmux_screen_free(&screen);
    shell_check_restored(&tmux);
    tmux_close(&tmux);
    return code;
}

static void the_screen_leaves_the_terminal_as_it_was(void **state)
{
    long trials = number_of("ATTNSCOPE_TEST_ALLOCATIONS", USUAL_SCREENS);
    if (getenv("ATTNSCOPE_TEST_SESSIONS_ALONE"))
        skip();
    remove_made();
    assert_int_equal(run_screen(NULL), 0);
    char *text = cli_read(cli_path("counted"), NULL);
    size_t count = (size_t)strtol(text, NULL, 10);
    free(text);
    random_seed((uint64_t)number_of("ATTNSCOPE_TEST_SEED", 1));
    for (long i = 0; i < trials; i++) {
        char failing[32];
        snprintf(failing, sizeof failing, "%zu%s", 1 + random_below(count), i % 3 == 2 ? "-" : "");
        remove_made();
        run_screen(failing);
    }
}

/* The program ---------------------------------------------------------------------------------- */

/* Beside this one. */
static int open_folder(void **state)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
    if (length < 0)
        return -1;
    path[length] = '\0';
    strcpy(strrchr(path, '/'), "/attnscope_short_of_memory");
    setenv("ATTNSCOPE", path, 1);
    if (cli_enter(state) != 0)
        return -1;
    cli_write("src", "the dog\nthe cat sees a dog\n\na dog\n");
    cli_write("ref", "the dog\na cat sees the dog\n\nthe dog\n");
    cli_write("pairs.json", "[{\"source\": \"the dog\", \"reference\": \"the cat\", \"errors\": "
                            "[{\"type\": \"animal\", \"contrastive\": \"a dog\"}]}]");
    cli_write("script", ":set beam 1\nthe dog\n:attn dec\n");
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_right_or_refused),
        cmocka_unit_test(changes_are_right_or_refused),
        cmocka_unit_test(objects_are_right_or_errors),
        cmocka_unit_test(studies_are_right_or_refused),
        cmocka_unit_test(rows_open_right_or_not_at_all),
        cmocka_unit_test(exports_are_right_or_refused),
        cmocka_unit_test(scores_of_states_are_right_or_refused),
        cmocka_unit_test(grids_are_right_or_refused),
        cmocka_unit_test(averages_are_right_or_refused),
        cmocka_unit_test(help_is_whole_or_refused),
        cmocka_unit_test(the_screen_leaves_the_terminal_as_it_was),
    };
    return cmocka_run_group_tests(tests, open_folder, cli_close);
}
