/* `--replay` of files that lie, are broken, or say nothing of themselves. */
#include <limits.h>
#include <unistd.h>

#include "tests/support/rounds.h"
#include "tests/support/test.h"
#include "tests/tui/program/replay_support.h"

/* Replaces a note of an exported object. */
static void write_lie(const char *path, const char *key, json_t *value)
{
    json_error_t error;
    replay_export(SENTENCE, path, "attn");
    json_t *object = json_load_file(path, 0, &error);
    assert_non_null(object);
    json_t *notes = json_object_get(object, "provenance");
    if (value)
        json_object_set_new(notes, key, value);
    else
        json_object_del(notes, key);
    assert_int_equal(json_dump_file(object, path, JSON_COMPACT), 0);
    json_decref(object);
}

static void a_file_that_cannot_be_opened_says_why(void **state)
{
    static const char *const endings[] = {"png", "pdf",  "svg", "csv",
                                          "tsv", "json", "npz", "safetensors"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        char name[32];
        snprintf(name, sizeof name, "absent.%s", endings[i]);
        struct outcome outcome = replay_run(cli_path(name));
        if (outcome.code != 1 || !strstr(outcome.out, name) ||
            !strstr(outcome.out, "No such file or directory"))
            fail_msg("%s: %d: %s", name, outcome.code, outcome.out);
        outcome_free(&outcome);
    }
}

static void commands_of_strangers_do_not_run(void **state)
{
    static const char *const names[] = {":export", ":save",  ":source",   ":translate",
                                        ":load",   ":state", ":quit",     ":sour",
                                        ":gates",  ":open",  ":nonsense", ":exp"};
    const char *path = cli_path("lie.json"), *victim = cli_path("victim.csv");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[PATH_MAX + 50];
        snprintf(line, sizeof line, "%s %s", names[i], victim);
        write_lie(path, "session", json_pack("[s, s]", SENTENCE, line));
        struct outcome outcome = replay_run(path);
        if (outcome.code != 1 || !strstr(outcome.out, "is not a command that sets up a view"))
            fail_msg("%s: %d: %s", line, outcome.code, outcome.out);
        outcome_free(&outcome);
        assert_int_not_equal(access(victim, F_OK), 0);
    }
    unlink(path);
}

static void notes_that_are_not_what_they_should_be_are_errors(void **state)
{
    static const struct {
        const char *key, *json, *says;
    } cases[] = {
        {"session", NULL, "expected a list"},
        {"session", "\"text\"", "expected a list"},
        {"session", "[3]", "not a command"},
        {"session", "[\":set beam 0\"]", "beam"},
        {"session", "[\":disable enc head 99\"]", "head 99"},
        {"session", "[]", "no sentence"},
        {"command", NULL, "\\\"command\\\": missing"},
        {"command", "\"attn\"", "expected a command"},
        {"command", "\":save x\"", "save"},
        {"command", "\":attn layer 99\"", "layer 99"},
        {"before", "\":save x\"", "expected :prune"},
        {"before", "12", "missing"},
        {"before", "\":prune nosuch nosuch\"", "nosuch"},
        {"checkpoint_sha256", NULL, "missing"},
        {"checkpoint_sha256", "\"12\"", "expected that file"},
        {"checkpoint_sha256", "12", "missing"},
        {"date", "\"tomorrow\"", "expected a date such as"},
        {"a", "{}", "missing"},
        {"a", "3", "missing"},
    };
    const char *path = cli_path("wrong.json");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_lie(path, cases[i].key,
                  cases[i].json ? json_loads(cases[i].json, JSON_DECODE_ANY, NULL) : NULL);
        struct outcome outcome = replay_run(path);
        if (outcome.code != 1 || !strstr(outcome.out, cases[i].says))
            fail_msg("%s %s: %d: %s", cases[i].key, cases[i].json, outcome.code, outcome.out);
        outcome_free(&outcome);
    }
    unlink(path);
}

static void files_without_notes_are_named(void **state)
{
    static const struct {
        const char *name, *text, *says;
    } cases[] = {
        {"none.csv", ",a\nb,1\n", "does not say how it was made"},
        {"odd.csv", "# x\n# y: z\n", "does not say how it was made"},
        {"none.json", "{}", "does not say how it was made"},
        {"list.json", "[1]", "does not say how it was made"},
        {"broken.json", "{", "no valid JSON"},
        {"escape.json", "{\"\\\n", "no valid JSON: invalid escape near '\\\"\\\\\\\\u000A'"},
        {"none.png", "no picture", "no valid PNG"},
        {"cut.pdf", "%PDF-1.4 /Keywords ({\"a\":\"b\\\\)", "broken keywords"},
        {"bare.pdf", "%PDF-1.4 /Keywords ({a\":\"b\"})", "broken keywords"},
        // Fills the memory that it is read into, so that sanitizers notice a read behind its end.
        {"open.pdf", "%PDF-1.4 /Keywords ({\"a\":\"bcdefghi\")", "broken keywords"},
        {"short.png", "\x89PNG\r\n\x1a\n", "no valid PNG"},
        {"none.safetensors", "12345678", "none.safetensors"},
        {"none.txt", "text", "expected an exported file"},
        {"none", "text", "expected an exported file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = cli_write(cases[i].name, cases[i].text);
        struct outcome outcome = replay_run(path);
        if (outcome.code != 1 || !strstr(outcome.out, cases[i].says))
            fail_msg("%s: %d: %s", cases[i].name, outcome.code, outcome.out);
        outcome_free(&outcome);
        unlink(path);
    }
}

/* Single bytes changed: an error, a difference, or nothing that matters; never a crash. */
static void broken_files_do_no_harm(void **state)
{
    static const char *const names[] = {"hurt.png", "hurt.csv", "hurt.safetensors", "hurt.pdf",
                                        "hurt.svg"};
    uint64_t random = 88172645463325252u;
    for (int k = 0; k < 5; k++) {
        const char *path = cli_path(names[k]);
        size_t bytes;
        replay_export(":set figure.dpi 30\n:set export.comments on\nthe dog", path,
                      k == 2 ? "" : "attn");
        char *text = cli_read(path, &bytes);
        for (int i = 0; i < rounds_of(2, 12); i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            long near = bytes < 2000 ? bytes : 2000; // where notes are
            long place = (long)(random % (uint64_t)near) + (k == 3 ? bytes - near : 0);
            char was = text[place];
            text[place] ^= (char)(1 << (random >> 40 & 7));
            replay_write(path, text, bytes);
            text[place] = was;
            struct outcome outcome = replay_run(path);
            if (outcome.code > 1)
                fail_msg("%s, byte %zu: %d: %s", names[k], place, outcome.code, outcome.err);
            outcome_free(&outcome);
        }
        free(text);
        unlink(path);
    }
    unlink(cli_path("hurt.replayed.png"));
    unlink(cli_path("hurt.replayed.csv"));
    unlink(cli_path("hurt.replayed.pdf"));
    unlink(cli_path("hurt.replayed.svg"));
    unlink(cli_path("hurt.replayed.safetensors"));
}

static void replaying_runs_nothing_else(void **state)
{
    static const char *const arguments[] = {CPU, "--replay", "x.png", "-e", SENTENCE, MODEL, NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 2);
    assert_non_null(strstr(outcome.err, "expected no -e or -f"));
    outcome_free(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_cannot_be_opened_says_why),
        cmocka_unit_test(commands_of_strangers_do_not_run),
        cmocka_unit_test(notes_that_are_not_what_they_should_be_are_errors),
        cmocka_unit_test(files_without_notes_are_named),
        cmocka_unit_test(broken_files_do_no_harm),
        cmocka_unit_test(replaying_runs_nothing_else),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
