/* `--replay`: exported files made again from what they say of themselves. */
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/rounds.h"
#include "tests/support/test.h"
#include "tests/tui/program/replay_support.h"

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
            replay_export(script, path, "");
            json_t *object = replay_object(path, 0);
            if (!json_is_true(json_object_get(object, "same")))
                fail_msg("%s of %s: %s", names[k], views[i],
                         json_string_value(json_object_get(object, "differences")));
            json_decref(object);
            assert_int_not_equal(access(cli_path("view.replayed.json"), F_OK), 0);
            unlink(path);
        }
}

/* JSON names the model by the path that was typed; it is made again by any other path. */
static void the_path_of_a_model_does_not_matter(void **state)
{
    const char *path = cli_path("view.json");
    char other[600];
    replay_export(SENTENCE "\n:attn", path, "");
    snprintf(other, sizeof other, "tests/../%s", MODEL);
    const char *const arguments[] = {CPU, "--replay", path, other, OTHER, NULL};
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 0);
    assert_non_null(strstr(outcome.out, "the same content; the model has another path"));
    outcome_free(&outcome);
    // A file with another number is not the same.
    size_t bytes;
    char *text = cli_read(path, &bytes), *number = strstr(text, "\"weights\":[[0.");
    assert_non_null(number);
    number[strlen("\"weights\":[[0.")] ^= 1;
    FILE *file = fopen(path, "w");
    assert_true(file && fwrite(text, 1, bytes, file) == bytes && fclose(file) == 0);
    free(text);
    json_t *object = replay_object(path, 1);
    assert_true(json_is_false(json_object_get(object, "same")));
    json_decref(object);
    unlink(cli_path("view.replayed.json"));
    unlink(path);
}

/* Tables as they are printed say it in comments of their languages, and have the caption that was
 * set. */
static void tables_are_made_again(void **state)
{
    static const char *const names[] = {"view.tex", "view.md"};
    for (int k = 0; k < 2; k++) {
        const char *path = cli_path(names[k]);
        replay_export(":set figure.title \"<b> & c --> d\"\n" SENTENCE "\n:attn\n", path, "");
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
    replay_export(SENTENCE, path, view);
    json_t *object = replay_object(path, 0);
    if (!json_is_true(json_object_get(object, "same")))
        fail_msg("%s", json_string_value(json_object_get(object, "differences")));
    json_decref(object);
    unlink(path);
}

static void all_tensors_are_made_again(void **state)
{
    const char *path = cli_path("all.safetensors");
    replay_export(":disable enc head 2\n" SENTENCE, path, "");
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
        replay_export(script, path, "");
        json_t *object = replay_object(path, 0);
        if (!json_is_true(json_object_get(object, "same")))
            fail_msg("%s: %s", scores[i],
                     json_string_value(json_object_get(object, "differences")));
        json_decref(object);
        unlink(path);
        free(set);
    }
}

/* The order of another command stands beside this one's. */
static void what_a_command_before_has_found_is_made_again(void **state)
{
    const char *path = cli_path("pruned.json");
    char *set = strdup(cli_write("set", "the dog\na cat sees the dog\nhe sees\n"));
    char script[9000], view[4200];
    snprintf(script, sizeof script, ":prune %s %s until 1 enc layer 1", set, set);
    snprintf(view, sizeof view, "prune %s %s until 100 by gradient enc layer 1", set, set);
    replay_export(script, path, view);
    json_t *file = json_load_file(path, 0, NULL), *notes = json_object_get(file, "provenance");
    assert_int_equal(strncmp(json_string_value(json_object_get(notes, "before")), ":prune ", 7), 0);
    json_decref(file);
    json_t *object = replay_object(path, 0);
    if (!json_is_true(json_object_get(object, "same")))
        fail_msg("%s", json_string_value(json_object_get(object, "differences")));
    json_decref(object);
    unlink(path);
    free(set);
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
        replay_export(script, path, "flips");
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
    replay_export(SENTENCE, path, "attn");
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
    replay_export(SENTENCE, path, "attn");
    char *text = cli_read(path, &bytes), *digit = strstr(text, "\"weights\":[[0.");
    assert_non_null(digit);
    digit += strlen("\"weights\":[[0.");
    char was = *digit;
    *digit = was == '9' ? '8' : '9';
    replay_write(path, text, bytes);
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
        replay_export("", path, view);
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
        replay_write(cli_path(files[i][0]), files[i][1], strlen(files[i][1]));
    snprintf(view, sizeof view, "contrast %s", cli_path("suite"));
    replay_export("", path, view);
    json_t *object = replay_object(path, 0);
    assert_true(json_is_true(json_object_get(object, "same")));
    json_decref(object);
    replay_write(cli_path("suite/incorrect.de"), "a cat\n", strlen("a cat\n"));
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
    replay_export(SENTENCE, path, "attn");
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
    replay_export(SENTENCE, path, "attn");
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, 1);
    cli_check_message(arguments, &outcome, 1, "was made from vanilla_post.bin with SHA-256");
    outcome_free(&outcome);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_exported_is_made_again),
        cmocka_unit_test(the_path_of_a_model_does_not_matter),
        cmocka_unit_test(tables_are_made_again),
        cmocka_unit_test(translations_are_made_again),
        cmocka_unit_test(all_tensors_are_made_again),
        cmocka_unit_test(scores_are_made_again),
        cmocka_unit_test(what_a_command_before_has_found_is_made_again),
        cmocka_unit_test(changed_decisions_are_made_again),
        cmocka_unit_test(a_date_is_kept),
        cmocka_unit_test(a_changed_file_is_told),
        cmocka_unit_test(a_studied_file_that_changed_is_told),
        cmocka_unit_test(a_studied_folder_that_changed_is_told),
        cmocka_unit_test(another_precision_is_told),
        cmocka_unit_test(the_models_must_be_those_it_was_made_from),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
