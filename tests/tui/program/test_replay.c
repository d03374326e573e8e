/* `--replay`: exported files made again from what they say of themselves, and files that lie. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

#define OTHER "tests/golden/vanilla_pre.bin"

static void write_bytes(const char *path, const char *text, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

/* Runs a script on two models, and exports the view to `path`. */
static void export_after(const char *script, const char *path, const char *view)
{
    char text[3000];
    snprintf(text, sizeof text, "%s\n:export %s %s\n", script, path, view);
    const char *const arguments[] = {CPU, "-f", "-", MODEL, OTHER, NULL};
    struct outcome outcome = cli_run_with(arguments, text, strlen(text));
    if (outcome.code != 0)
        fail_msg("%s: %s", text, outcome.err);
    outcome_free(&outcome);
}

static struct outcome replay(const char *path)
{
    const char *const arguments[] = {CPU, "--json", "--replay", path, MODEL, OTHER, NULL};
    return cli_run(arguments);
}

static json_t *replay_object(const char *path, int code)
{
    const char *const arguments[] = {CPU, "--replay", path, NULL};
    struct outcome outcome = replay(path);
    if (outcome.code != code)
        fail_msg("%s: %d: %s", path, outcome.code, outcome.out);
    json_t *object = cli_object(arguments, outcome.out, 0);
    outcome_free(&outcome);
    return object;
}

/* What can be made again ----------------------------------------------------------------------- */

static const char *const views[] = {
    SENTENCE "\n:attn\n",
    SENTENCE
    "\n:disable enc head 2\n:mask enc layer 2 head 1,3 local 1\n:entmax enc alpha 1.5\n:pattern "
    "dec head 4 previous word\n"
    ":attn dec layer 2 head 4 word\n",
    ":set beam 3\n:set length_penalty wu\n:set length_penalty.alpha 0.3\n:set "
    "length_penalty.offset 1\n" SENTENCE "\n:hypothesis 2\n:heads cross\n",
    SENTENCE "\n:force a \"cat \\\\ sees\n:token cat\n",
    " :not a command\n:attn head mean\n",
    ":set figure.colormap magma\n:set figure.width 90\n" SENTENCE "\n:attn cross\n",
    ":model vanilla_pre.bin\n" SENTENCE "\n:disable dec layer 1\n:attn dec head 3\n",
    SENTENCE "\n:attn cross head 2\n:beside vanilla_pre.bin\n",
    SENTENCE
    "\n:attn cross head 2\n:disable enc\n:state \"odd name\"\n:enable\n:disable enc head 1\n"
    ":beside \"odd name\"\n",
    SENTENCE "\n:attn\n:disable enc head 1\n:mask enc layer 1 backward\n:beside before current\n",
    SENTENCE "\n:attn\n:disable enc head 1\n:mask enc layer 1 backward\n:beside current before\n",
    SENTENCE "\n:disable enc head 1\n:beside before heads cross word\n",
    SENTENCE "\n:disable enc head 1\n:beside before dec layer 2 head 2 word\n",
    SENTENCE "\n:set beam 3\n:hypothesis 3\n:attn\n:disable enc head 1\n:hypothesis 2\n:state "
             "x\n:disable enc head 2\n"
             ":model vanilla_pre.bin\n:beside x before\n",
    ":set cross_rows input\n" SENTENCE "\n:attn cross head 2\n",
};
enum { VIEWS = sizeof views / sizeof *views };

static void what_was_exported_is_made_again(void **state)
{
    static const char *const names[] = {"view.json", "view.csv", "view.png",
                                        "view.pdf",  "view.svg", "view.npz"};
    for (int i = 0; i < VIEWS; i++)
        for (int k = 0; k < 6; k++) {
            char script[2000];
            const char *path = cli_path(names[k]);
            // Every picture takes its time; a few will do.
            if (k >= 2 && (i + k) % rounds_of(5, 3))
                continue;
            snprintf(script, sizeof script, "%s:set export.comments on\n:set figure.dpi 60",
                     views[i]);
            export_after(script, path, "");
            json_t *object = replay_object(path, 0);
            if (!json_is_true(json_object_get(object, "same")))
                fail_msg("%s of %s: %s", names[k], views[i],
                         json_string_value(json_object_get(object, "differences")));
            json_decref(object);
            assert_int_not_equal(access(cli_path("view.replayed.json"), F_OK), 0);
            unlink(path);
        }
}

/* Tables as they are printed say it in comments of their languages, and have the caption that was
 * set. */
static void tables_are_made_again(void **state)
{
    static const char *const names[] = {"view.tex", "view.md"};
    for (int k = 0; k < 2; k++) {
        const char *path = cli_path(names[k]);
        export_after(":set figure.title \"<b> & c --> d\"\n" SENTENCE "\n:attn\n", path, "");
        json_t *object = replay_object(path, 0);
        if (!json_is_true(json_object_get(object, "same")))
            fail_msg("%s: %s", names[k], json_string_value(json_object_get(object, "differences")));
        json_decref(object);
        unlink(path);
    }
}

/* How long they took is in the answer alone. */
static void translations_are_made_again(void **state)
{
    char view[400];
    snprintf(view, sizeof view, "translate %s", cli_write("lines", "the dog\na cat\n"));
    const char *path = cli_path("lines.json");
    export_after(SENTENCE, path, view);
    json_t *object = replay_object(path, 0);
    if (!json_is_true(json_object_get(object, "same")))
        fail_msg("%s", json_string_value(json_object_get(object, "differences")));
    json_decref(object);
    unlink(path);
}

static void all_tensors_are_made_again(void **state)
{
    const char *path = cli_path("all.safetensors");
    export_after(":disable enc head 2\n" SENTENCE, path, "");
    json_t *object = replay_object(path, 0);
    assert_true(json_is_true(json_object_get(object, "same")));
    json_decref(object);
    unlink(path);
}

static void scores_are_made_again(void **state)
{
    static const char *const scores[] = {
        ":set bleu.smooth add-k\n:disable enc head 1\n:set beam 2\n:bleu %s %s by 2",
        ":set bleu.tokenize char\n:set chrf.lowercase on\n:bleu --scored %s %s group all",
        ":disable enc head 1\n:set significance.seed 7\n:compare before current %s %s",
        ":disable enc head 1\n:state x\n:set beam 2\n:bleu %s %s by source 3 in before current x",
        ":disable enc\n:state x\n:compare x vanilla_pre.bin %s %s group all",
    };
    for (size_t i = 0; i < sizeof scores / sizeof *scores; i++) {
        char *set = strdup(cli_write("set", "the dog\na cat sees the dog\nhe sees\n"));
        char script[3000], path[PATH_MAX], *second = strstr(scores[i], "%s %s");
        snprintf(path, sizeof path, "%s", cli_path("scores.json"));
        snprintf(script, sizeof script, "%.*s%s %s%s", (int)(second - scores[i]), scores[i], set,
                 set, second + strlen("%s %s"));
        export_after(script, path, "");
        json_t *object = replay_object(path, 0);
        if (!json_is_true(json_object_get(object, "same")))
            fail_msg("%s: %s", scores[i],
                     json_string_value(json_object_get(object, "differences")));
        json_decref(object);
        unlink(path);
        free(set);
    }
}

/* The suite is scored in both states before. */
static void changed_decisions_are_made_again(void **state)
{
    static const char *const names[] = {"flips.json", "flips.tsv"};
    char *set = strdup(cli_write("a set", "the dog\na cat sees the dog\nhe sees\n"));
    char *other = strdup(cli_write("others", "the cat\na dog sees the cat\nshe sees\n"));
    char suite[3000], script[9000];
    // A blank in a name, and another suite between.
    snprintf(suite, sizeof suite, ":contrast \"%s\" %s \"%s\"", set, other, set);
    snprintf(script, sizeof script,
             ":set export.comments on\n:disable enc head 1\n%s\n:contrast %s %s \"%s\"\n:mask enc "
             "layer 1 "
             "backward\n%s\n:set contrast.normalize length\n:reset",
             suite, other, other, set, suite);
    for (int i = 0; i < 2; i++) {
        char path[PATH_MAX];
        snprintf(path, sizeof path, "%s", cli_path(names[i]));
        export_after(script, path, "flips");
        json_t *object = replay_object(path, 0);
        if (!json_is_true(json_object_get(object, "same")))
            fail_msg("%s: %s", names[i], json_string_value(json_object_get(object, "differences")));
        json_decref(object);
        unlink(path);
    }
    free(set);
    free(other);
}

/* The date that a file carries is not that of the day it is made again. */
static void a_date_is_kept(void **state)
{
    const char *path = cli_path("dated.json");
    setenv("SOURCE_DATE_EPOCH", "1000000000", 1);
    export_after(SENTENCE, path, "attn");
    setenv("SOURCE_DATE_EPOCH", "1500000000", 1);
    json_t *object = replay_object(path, 0);
    unsetenv("SOURCE_DATE_EPOCH");
    assert_true(json_is_true(json_object_get(object, "same")));
    json_decref(object);
    unlink(path);
}

/* What is not the same ------------------------------------------------------------------------- */

/* A changed number is found; the new file stays, and shows what it was. */
static void a_changed_file_is_told(void **state)
{
    size_t bytes, others;
    const char *path = cli_path("changed.json"), *redrawn = cli_path("changed.replayed.json");
    export_after(SENTENCE, path, "attn");
    char *text = cli_read(path, &bytes), *digit = strstr(text, "\"weights\":[[0.");
    assert_non_null(digit);
    digit += strlen("\"weights\":[[0.");
    char was = *digit;
    *digit = was == '9' ? '8' : '9';
    write_bytes(path, text, bytes);
    json_t *object = replay_object(path, 1);
    cli_check_fields("replay", object, "file:s redrawn:s differences:s");
    assert_true(json_is_false(json_object_get(object, "same")));
    assert_string_equal(json_string_value(json_object_get(object, "differences")), "");
    json_decref(object);
    *digit = was;
    char *again = cli_read(redrawn, &others);
    assert_int_equal(bytes, others);
    assert_memory_equal(text, again, bytes);
    free(text);
    free(again);
    unlink(path);
    unlink(redrawn);
}

static void expect_differences(const char *path, const char *differences)
{
    json_t *object = replay_object(path, 1);
    assert_string_equal(json_string_value(json_object_get(object, "differences")), differences);
    json_decref(object);
}

/* A reference, or a file of a suite, that says something else since. */
static void a_studied_file_that_changed_is_told(void **state)
{
    static const struct {
        const char *study, *rest;
    } studies[] = {{"bleu", ""},
                   {"contrast", ""},
                   {"align", ""},
                   {"stats", ""},
                   {"alti", ""},
                   {"lens", ""},
                   {"ablate", "by layer cross"},
                   {"prune", "until 1 cross layer 1"}};
    char path[PATH_MAX];
    char *source = strdup(cli_write("source", "the dog\na cat sees the dog\nhe sees\n"));
    char *target = strdup(cli_path("target"));
    snprintf(path, sizeof path, "%s", cli_path("study.json"));
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        char view[3000];
        const bool suite = strcmp(studies[i].study, "contrast") == 0;
        snprintf(view, sizeof view, "%s %s %s %s", studies[i].study, source, target,
                 suite ? source : studies[i].rest);
        cli_write("target", "the cat\na dog sees the cat\nhe sees\n");
        export_after("", path, view);
        json_t *object = replay_object(path, 0);
        assert_true(json_is_true(json_object_get(object, "same")));
        json_decref(object);
        cli_write("target", "the cat\na dog sees a dog\nhe sees\n");
        expect_differences(path, "files (target)");
    }
    free(source);
    free(target);
    unlink(path);
}

/* A suite that is a folder: what is in it counts. */
static void a_studied_folder_that_changed_is_told(void **state)
{
    static const char *const files[][2] = {{"suite/src.en", "the dog\n"},
                                           {"suite/correct.de", "the cat\n"},
                                           {"suite/incorrect.de", "a dog\n"}};
    char path[PATH_MAX], view[PATH_MAX + 20];
    snprintf(path, sizeof path, "%s", cli_path("suite.json"));
    assert_int_equal(mkdir(cli_path("suite"), 0777), 0);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        write_bytes(cli_path(files[i][0]), files[i][1], strlen(files[i][1]));
    snprintf(view, sizeof view, "contrast %s", cli_path("suite"));
    export_after("", path, view);
    json_t *object = replay_object(path, 0);
    assert_true(json_is_true(json_object_get(object, "same")));
    json_decref(object);
    write_bytes(cli_path("suite/incorrect.de"), "a cat\n", strlen("a cat\n"));
    expect_differences(path, "files (suite)");
    unlink(path);
}

static void another_precision_is_told(void **state)
{
    static const char *const names[] = {"precise.json", "precise.csv", "precise.png"};
    for (int i = 0; i < 3; i++) {
        char line[PATH_MAX + 20];
        const char *path = cli_path(names[i]);
        snprintf(line, sizeof line, ":export %s attn", path);
        const char *const export[] = {
            CPU,  "--precision", "bf16", MODEL, "-e", ":set export.comments on",
            "-e", SENTENCE,      "-e",   line,  NULL};
        struct outcome outcome = cli_run(export);
        assert_int_equal(outcome.code, 0);
        outcome_free(&outcome);
        expect_differences(path, "precision");
        unlink(path);
    }
    const char *path = cli_path("precise.json"); // and the other way round
    export_after(SENTENCE, path, "attn");
    const char *const arguments[] = {CPU,        "--json", "--precision", "bf16",
                                     "--replay", path,     MODEL,         NULL};
    struct outcome outcome = cli_run(arguments);
    json_t *object = cli_object(arguments, outcome.out, 0);
    assert_string_equal(json_string_value(json_object_get(object, "differences")), "precision");
    json_decref(object);
    outcome_free(&outcome);
    unlink(path);
}

static void the_models_must_be_those_it_was_made_from(void **state)
{
    const char *path = cli_path("theirs.json");
    const char *const arguments[] = {CPU, "--replay", path, FIXED, NULL};
    export_after(SENTENCE, path, "attn");
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 1);
    cli_check_message(arguments, &outcome, 1, "was made from vanilla_post.bin with SHA-256");
    outcome_free(&outcome);
    unlink(path);
}

/* Files that lie ------------------------------------------------------------------------------- */

/* Replaces a note of an exported object. */
static void write_lie(const char *path, const char *key, json_t *value)
{
    json_error_t error;
    export_after(SENTENCE, path, "attn");
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
        struct outcome outcome = replay(cli_path(name));
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
        struct outcome outcome = replay(path);
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
        struct outcome outcome = replay(path);
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
        struct outcome outcome = replay(path);
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
        export_after(":set figure.dpi 30\n:set export.comments on\nthe dog", path,
                     k == 2 ? "" : "attn");
        char *text = cli_read(path, &bytes);
        for (int i = 0; i < rounds_of(4, 12); i++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            long near = bytes < 2000 ? bytes : 2000; // where notes are
            long place = (long)(random % (uint64_t)near) + (k == 3 ? bytes - near : 0);
            char was = text[place];
            text[place] ^= (char)(1 << (random >> 40 & 7));
            write_bytes(path, text, bytes);
            text[place] = was;
            struct outcome outcome = replay(path);
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
        cmocka_unit_test(what_was_exported_is_made_again),
        cmocka_unit_test(tables_are_made_again),
        cmocka_unit_test(translations_are_made_again),
        cmocka_unit_test(all_tensors_are_made_again),
        cmocka_unit_test(scores_are_made_again),
        cmocka_unit_test(changed_decisions_are_made_again),
        cmocka_unit_test(a_date_is_kept),
        cmocka_unit_test(a_changed_file_is_told),
        cmocka_unit_test(a_studied_file_that_changed_is_told),
        cmocka_unit_test(a_studied_folder_that_changed_is_told),
        cmocka_unit_test(another_precision_is_told),
        cmocka_unit_test(the_models_must_be_those_it_was_made_from),
        cmocka_unit_test(a_file_that_cannot_be_opened_says_why),
        cmocka_unit_test(commands_of_strangers_do_not_run),
        cmocka_unit_test(notes_that_are_not_what_they_should_be_are_errors),
        cmocka_unit_test(files_without_notes_are_named),
        cmocka_unit_test(broken_files_do_no_harm),
        cmocka_unit_test(replaying_runs_nothing_else),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
