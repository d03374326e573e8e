/* `--convert` as a user runs it, and what files that are exported afterwards say of the model. */
#include <unistd.h>

#include "tests/support/cli_support.h"
#include "tests/support/test.h"

#define FOLDER "tests/golden/formats/hf-marian"

static json_t *object_of(const char *const *arguments)
{
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 0)
        fail_msg("%s: %s%s", cli_command_line(arguments), outcome.out, outcome.err);
    json_t *object = json_loads(outcome.out, 0, NULL);
    assert_non_null(object);
    outcome_free(&outcome);
    return object;
}

static const char *text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void a_converted_model_says_what_it_was(void **state)
{
    const char *path = cli_path("converted.bin");
    const char *const convert[] = {"--json", "--convert", path, FOLDER, NULL};
    const char *const before[] = {CPU, "--json", FOLDER, "-e", ":info", NULL};
    const char *const after[] = {CPU, "--json", path, "-e", ":info", NULL};
    json_t *done = object_of(convert), *from = object_of(before), *info = object_of(after);
    assert_string_equal(text_at(done, "command"), "convert");
    assert_string_equal(text_at(done, "file"), path);
    assert_string_equal(text_at(done, "format"), "Hugging Face");
    assert_string_equal(text_at(done, "sha256"), text_at(from, "sha256"));

    const json_t *origin = json_object_get(info, "origin");
    assert_string_equal(text_at(info, "format"), "attnscope");
    assert_string_equal(text_at(origin, "family"), "Hugging Face");
    assert_int_equal(json_array_size(json_object_get(from, "files")), 4);
    assert_true(json_equal(json_object_get(origin, "files"), json_object_get(from, "files")));
    assert_string_equal(text_at(info, "conventions"), text_at(from, "conventions"));
    assert_string_equal(text_at(info, "conventions"),
                        "positions halves; post-norm, epsilon 1e-05; embeddings times 4; "
                        "source … </s>; target begins <pad>; padding and start tokens may be "
                        "produced; the search goes on while a better translation seems "
                        "attainable; at the maximum length end-of-sentence is forced and costs "
                        "nothing");
    json_decref(info);
    json_decref(from);
    json_decref(done);
    unlink(path);
}

/* The provenance of an exported view. */
static json_t *exported(const char *model)
{
    char command[256];
    const char *path = cli_path("view.json");
    snprintf(command, sizeof command, ":export %s attn", path);
    const char *const arguments[] = {CPU, model, "-e", "▁a ▁b", "-e", command, NULL};
    struct outcome outcome = cli_run(arguments);
    if (outcome.code != 0)
        fail_msg("%s: %s", cli_command_line(arguments), outcome.err);
    outcome_free(&outcome);
    char *text = cli_read(path, NULL);
    json_t *view = json_loads(text, 0, NULL);
    json_t *provenance = json_incref(json_object_get(view, "provenance"));
    assert_non_null(provenance);
    json_decref(view);
    free(text);
    unlink(path);
    return provenance;
}

/* fairseq puts the source's language before it and the target's after end-of-sentence, and of
 * translations that end at once it keeps the first. */
static void conventions_name_tokens_and_the_search(void **unused)
{
    static const char folder[] = "tests/golden/formats/fairseq-multilingual";
    const char *const info[] = {CPU, "--json", folder, "-e", ":info", NULL};
    const char *const state[] = {CPU, "--json", folder, "-e", ":state one", NULL};
    json_t *object = object_of(info);
    assert_non_null(strstr(text_at(object, "conventions"),
                           "; source __en__ … </s>; target begins </s> __de__"));
    assert_non_null(strstr(text_at(object, "conventions"), "first translations that end are kept"));
    json_decref(object);
    object = object_of(state);
    assert_string_equal(text_at(json_object_get(object, "search"), "endings"), "first");
    json_decref(object);
}

static void exported_files_name_family_conventions_and_files(void **state)
{
    const char *path = cli_path("converted.bin");
    const char *const convert[] = {"--json", "--convert", path, FOLDER, NULL};
    json_decref(object_of(convert));
    json_t *from = exported(FOLDER), *converted = exported(path), *own = exported(MODEL);
    const json_t *files = json_object_get(from, "checkpoint_files");
    const json_t *origin = json_object_get(converted, "checkpoint_origin");
    assert_string_equal(text_at(from, "checkpoint_format"), "Hugging Face");
    assert_int_equal(json_array_size(files), 4);
    assert_null(json_object_get(from, "checkpoint_origin"));
    assert_string_equal(text_at(origin, "family"), "Hugging Face");
    assert_true(json_equal(json_object_get(origin, "files"), files));
    assert_null(json_object_get(converted, "checkpoint_files"));
    assert_non_null(text_at(from, "checkpoint_conventions"));
    assert_string_equal(text_at(from, "checkpoint_conventions"),
                        text_at(converted, "checkpoint_conventions"));
    assert_null(json_object_get(own, "checkpoint_conventions"));
    json_decref(own);
    json_decref(converted);
    json_decref(from);
    unlink(path);
}

static void exported_files_are_made_again(void **state)
{
    static const char *const extensions[] = {"png", "pdf", "svg", "csv", "json", "npz"};
    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        char name[32], command[256];
        snprintf(name, sizeof name, "view.%s", extensions[i]);
        const char *path = cli_path(name);
        snprintf(command, sizeof command, ":export %s attn", path);
        const char *const write[] = {CPU,      FOLDER,  "-e", ":set export.comments on",
                                     "-e",     "▁a ▁b", "-e", command,
                                     "--json", NULL};
        const char *const again[] = {CPU, "--json", "--replay", path, FOLDER, NULL};
        struct outcome outcome = cli_run(write);
        assert_int_equal(outcome.code, 0);
        outcome_free(&outcome);
        json_t *replayed = object_of(again);
        assert_true(json_is_true(json_object_get(replayed, "same")));
        json_decref(replayed);
        unlink(path);
    }
}

static void check_refused(const char *const *arguments, int code, const char *says)
{
    struct outcome outcome = cli_run(arguments);
    assert_int_equal(outcome.code, code);
    assert_string_equal(outcome.out, "");
    if (!strstr(outcome.err, says))
        fail_msg("%s: \"%s\" does not say \"%s\"", cli_command_line(arguments), outcome.err, says);
    outcome_free(&outcome);
}

static void what_cannot_be_written_is_said(void **state)
{
    const char *path = cli_write("kept.bin", "kept");
    const char *const keep[] = {"--no-clobber", "--convert", path, FOLDER, NULL};
    const char *const nothing[] = {"--convert", path, "tests/golden", NULL};
    const char *const nowhere[] = {"--convert", "/nowhere/a.bin", FOLDER, NULL};
    const char *const two[] = {"--convert", path, FOLDER, MODEL, NULL};
    const char *const runs[] = {"--convert", path, FOLDER, "-e", ":info", NULL};
    const char *const none[] = {"--convert", path, NULL};
    check_refused(keep, 1, "kept.bin exists: expected another name, --no-clobber keeps files");
    check_refused(nothing, 1, "tests/golden: a folder of models (");
    check_refused(nowhere, 1, "/nowhere/a.bin");
    check_refused(two, 2, "--convert writes one model: expected one MODEL");
    check_refused(runs, 2, "--convert writes one model: expected one MODEL");
    check_refused(none, 2, "expected the path of a model");
    char *text = cli_read(path, NULL);
    assert_string_equal(text, "kept");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_converted_model_says_what_it_was),
        cmocka_unit_test(conventions_name_tokens_and_the_search),
        cmocka_unit_test(exported_files_name_family_conventions_and_files),
        cmocka_unit_test(exported_files_are_made_again),
        cmocka_unit_test(what_cannot_be_written_is_said),
    };
    return cmocka_run_group_tests(tests, cli_open, cli_close);
}
