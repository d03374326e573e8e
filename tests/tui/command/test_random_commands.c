/* Sessions of random commands on golden models: whatever comes after whatever, each command answers
 * with one JSON object, one that fails leaves the session as it was, also where Ctrl-C comes in the
 * middle, and what `:save` writes makes the same session again.
 *
 * RANDOM_SEEDS in the environment says how many sessions (default: a few), RANDOM_SEED which is the
 * first.
 */
#include <unistd.h>

#include "report/view.h"
#include "terminal/interrupt.h"
#include "tests/support/commands_support.h"
#include "tests/support/random_lines.h"
#include "tests/support/test.h"

enum { LINES = 30, USUAL_SEEDS = 6 };

/* One session ---------------------------------------------------------------------------------- */

struct trial {
    struct bench bench;
    char log[LINES * RANDOM_LINE_MOST]; // its lines so far
};

static void trial_open(struct trial *trial, const char *model)
{
    trial->bench = bench_open(model);
    bench_connect(&trial->bench);
    trial->bench.program.sink.kind = trial->bench.sink.kind = &json_sink;
    trial->bench.program.prompt = true; // Ctrl-C stops what runs alone
    *trial->log = '\0';
}

/* What a line prints; the caller frees it. */
static char *answer(struct trial *trial, const char *line)
{
    struct program *program = &trial->bench.program;
    FILE *usual = program->sink.stream;
    char *text = NULL;
    size_t size;
    program->exit_code = 0;
    program->sink.stream = open_memstream(&text, &size);
    assert_non_null(program->sink.stream);
    program_line(program, "", line);
    fclose(program->sink.stream);
    program->sink.stream = usual;
    return text;
}

static json_t *parse(const struct trial *trial, const char *line, const char *text)
{
    json_error_t error;
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!object || strchr(text, '\n') != text + strlen(text) - 1)
        fail_msg("%s\"%s\" prints \"%s\": %s", trial->log, line, text, error.text);
    return object;
}

/* The answer to a line that changes nothing, without what only the order of changes tells. */
static void add_answer(struct trial *trial, FILE *out, const char *line)
{
    size_t i;
    json_t *state;
    char *text = answer(trial, line);
    json_t *object = parse(trial, line, text), *states = json_object_get(object, "states");
    if (!json_is_true(json_object_get(object, "ok")))
        fail_msg("%s\"%s\" prints \"%s\"", trial->log, line, text);
    for (i = 0; i < json_array_size(states); i++) {
        state = json_array_get(states, i);
        if (strcmp(text_of(state, "state"), "before") == 0)
            json_array_remove(states, i--);
    }
    json_dumpf(object, out, JSON_SORT_KEYS);
    fputc('\n', out);
    json_decref(object);
    free(text);
}

/* What the user can see of the session; the caller frees it. */
static char *describe(struct trial *trial)
{
    const struct session *session = trial->bench.session;
    struct view view = view_fit(session_config(session), session->view);
    char *text = NULL, line[64];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    add_answer(trial, out, ":state");
    add_answer(trial, out, ":set");
    add_answer(trial, out, ":disabled");
    if (session->testset)
        fprintf(out, "%s %d\n", session->testset->path, session->testset->current);
    if (session->current) {
        fprintf(out, "%d %d %d\n", view.module, view.layer, view.head);
        snprintf(line, sizeof line, ":hypothesis %d", session->current->chosen + 1);
        add_answer(trial, out, line);
        fprintf(out, "%d\n", session->current->forced);
    }
    fclose(out);
    return text;
}

static void remember(struct trial *trial, const char *line)
{
    size_t used = strlen(trial->log);
    snprintf(trial->log + used, sizeof trial->log - used, "%s\n", line);
}

static char *answer_interrupted(struct trial *trial, const char *line)
{
    // Before, within or after the line.
    timer_t timer = random_press_later(3000000);
    char *text = answer(trial, line);
    random_let_go(timer);
    return text;
}

/* Fails with what surrounds the first difference: all of it is more than a message holds. */
static void compare(const struct trial *trial, const char *what, const char *is, const char *wanted)
{
    size_t same = 0;
    while (is[same] && is[same] == wanted[same])
        same++;
    size_t begin = same < 60 ? 0 : same - 60;
    if (strcmp(is, wanted) != 0)
        fail_msg("%s%s: \"%.100s\", expected \"%.100s\"", trial->log, what, is + begin,
                 wanted + begin);
}

static void run_line(struct trial *trial, const char *line, bool interrupt)
{
    char *before = describe(trial);
    remember(trial, line);
    char *text = interrupt ? answer_interrupted(trial, line) : answer(trial, line);
    bool failed = trial->bench.program.exit_code != 0;
    // A script's commands answer for themselves.
    if (*text && strncmp(line, ":source", 7) != 0) {
        json_t *object = parse(trial, line, text);
        assert_true(json_is_boolean(json_object_get(object, "ok")));
        if (failed != json_is_false(json_object_get(object, "ok")) ||
            failed != (text_of(object, "error") != NULL))
            fail_msg("%sends with %d and \"%s\"", trial->log, failed, text);
        json_decref(object);
        char *after = describe(trial);
        if (failed)
            compare(trial, "after that failure", after, before);
        free(after);
    }
    free(text);
    free(before);
}

/* What the current view exports; "" where there is none. */
static char *exported(struct trial *trial, const char *name)
{
    char path[128], line[160], *all = calloc(1, 1);
    size_t size = 0;
    int c;
    snprintf(path, sizeof path, "%s/%s.json", random_lines_folder(), name);
    snprintf(line, sizeof line, ":export %s", path);
    free(answer(trial, line));
    FILE *file = trial->bench.program.exit_code ? NULL : fopen(path, "r");
    while (file && (c = fgetc(file)) != EOF) {
        all = realloc(all, ++size + 1);
        all[size - 1] = (char)c;
        all[size] = '\0';
    }
    if (file)
        fclose(file);
    unlink(path);
    return all;
}

static void check_saved(struct trial *trial, const char *model)
{
    struct trial *again = calloc(1, sizeof *again);
    char line[128], saved[96];
    assert_non_null(again);
    trial_open(again, model);
    snprintf(saved, sizeof saved, "%s/saved.scope", random_lines_folder());
    snprintf(line, sizeof line, ":save %s", saved);
    free(answer(trial, line));
    assert_int_equal(trial->bench.program.exit_code, 0);
    snprintf(line, sizeof line, ":source %s", saved);
    free(answer(again, line));
    strcpy(again->log, trial->log);
    char *is = describe(again), *was = describe(trial);
    compare(trial, "the saved session", is, was);
    free(is);
    free(was);
    char *view = exported(again, "a"), *wanted = exported(trial, "b");
    // One that this model does not have, or this sentence, cannot be shown again either; nor what
    // was before the last change.
    if (*wanted && trial->bench.session->current && !strstr(wanted, "\"state\":\"before\""))
        compare(trial, "its view", view, wanted);
    free(view);
    free(wanted);
    unlink(saved);
    bench_close(&again->bench);
    free(again);
}

static void run_trial(const char *model, uint64_t seed, bool interrupts)
{
    struct trial *trial = calloc(1, sizeof *trial);
    char line[RANDOM_LINE_MOST];
    assert_non_null(trial);
    random_seed(seed);
    trial_open(trial, model);
    snprintf(trial->log, sizeof trial->log, "seed %llu of %s:\n", (unsigned long long)seed, model);
    for (int i = 0; i < LINES; i++) {
        random_line(line);
        run_line(trial, line, interrupts && random_below(2));
    }
    check_saved(trial, model);
    bench_close(&trial->bench);
    free(trial);
}

/* The group ------------------------------------------------------------------------------------ */

static uint64_t from_environment(const char *name, uint64_t usual)
{
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : usual;
}

static void run_trials(bool interrupts)
{
    static const char *const starts[] = {"vanilla_post", "dhicm_last_layers"};
    uint64_t seeds = from_environment("RANDOM_SEEDS", USUAL_SEEDS);
    uint64_t first = from_environment("RANDOM_SEED", 1);
    for (uint64_t i = first; i < first + seeds; i++)
        run_trial(starts[i % 2], i, interrupts);
}

static void random_commands_leave_sessions_that_can_be_saved(void **state)
{
    run_trials(false);
}

static void ctrl_c_leaves_the_session_as_it_was_or_changed(void **state)
{
    run_trials(true);
}

static int open_lines(void **state)
{
    interrupt_install();
    return random_lines_open();
}

static int close_lines(void **state)
{
    return random_lines_close();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_commands_leave_sessions_that_can_be_saved),
        cmocka_unit_test(ctrl_c_leaves_the_session_as_it_was_or_changed),
    };
    return cmocka_run_group_tests(tests, open_lines, close_lines);
}
