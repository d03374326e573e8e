/* `:export`: which view is written, what the file says about how it was made, and what happens if
 * it cannot be written. */
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/report/output/export_support.h"
#include "tests/support/test.h"

static void write_text(const char *name, const char *text)
{
    FILE *file = fopen(export_path(name), "w");
    fputs(text, file);
    fclose(file);
}

/* The current view ----------------------------------------------------------------------------- */

static void the_current_view_is_the_last_that_was_shown(void **state)
{
    static const struct {
        const char *line, *command;
    } steps[] = {
        {":attn dec layer 2 head mean", ":attn decoder layer 2 head mean"},
        {":attn head 3 word", ":attn decoder layer 2 head 3 word"},
        {":heads head 1,3-4", ":heads decoder layer 1-2 head 1,3-4"},
        {":token 2 cross layer 1", ":token 2 cross layer 1 head 1-4"},
        {":token the cross", ":token 4 cross layer 1-2 head 1-4"},
        {":info", ":token 4 cross layer 1-2 head 1-4"}, // shows no view
        {":disable enc head 1", ":token 4 cross layer 1-2 head 1-4"},
        {":heads enc", ":heads encoder layer 1-2 head 1-4"},
    };
    struct bench bench = bench_open("vanilla_post");
    char line[300];
    snprintf(line, sizeof line, ":export %s", export_path("v.json"));
    bench_refuse(&bench, line, "no view yet");
    bench_run_quietly(&bench, "the dog");
    bench_refuse(&bench, line, "no view yet");
    bench_refuse(&bench, ":attn layer 9", "layer 9");
    bench_refuse(&bench, line, "no view yet");
    bench_run_quietly(&bench, ":force Hund Baum");
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        bench_run_quietly(&bench, steps[i].line);
        bench_refuse(&bench, ":heads layer 9", "layer 9");
        json_t *object = export_json(&bench, "");
        assert_string_equal(export_command(object), steps[i].command);
        json_decref(object);
    }
    bench_close(&bench);
}

/* A view that is named is written, and forgotten. */
static void a_named_view_leaves_the_current_one(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog");
    bench_run_quietly(&bench, ":attn enc layer 2 head 3");
    json_t *other = export_json(&bench, "heads cross head 1"), *now = export_json(&bench, "");
    assert_string_equal(export_command(other), ":heads cross layer 1-2 head 1");
    assert_string_equal(text_of(other, "command"), "heads");
    assert_string_equal(export_command(now), ":attn encoder layer 2 head 3");
    struct report next = bench_run(&bench, ":attn");
    assert_int_equal(next.navigation.view.module, MODULE_ENCODER);
    report_free(&next);
    json_decref(other);
    json_decref(now);
    // With its colon, or as one quoted word, it is understood, too.
    other = export_json(&bench, ":attn cross layer 1 head max");
    assert_string_equal(export_command(other), ":attn cross layer 1 head max");
    json_decref(other);
    other = export_json(&bench, "'attn cross layer 2 head 3'");
    assert_string_equal(export_command(other), ":attn cross layer 2 head 3");
    json_decref(other);
    bench_close(&bench);
}

/* The view is what the session makes of it now. */
static void exports_follow_the_state(void **state)
{
    struct bench bench = bench_open("vanilla_post");
    bench_run_quietly(&bench, "the dog");
    bench_run_quietly(&bench, ":force der Hund");
    bench_run_quietly(&bench, ":attn enc layer 2 head 2");
    json_t *before = export_json(&bench, "");
    bench_run_quietly(&bench, ":disable enc layer 1 head 1");
    bench_run_quietly(&bench, ":mask enc layer 1 head 2 local 0");
    bench_run_quietly(&bench, ":set beam 3");
    json_t *after = export_json(&bench, "");
    assert_false(json_equal(json_object_get(before, "weights"), json_object_get(after, "weights")));
    const json_t *how = json_object_get(after, "provenance");
    json_t *off = json_loads("[{\"module\":\"encoder\",\"layer\":1,\"head\":1}]", 0, NULL);
    assert_true(json_equal(json_object_get(how, "disabled"), off));
    assert_int_equal(json_array_size(json_object_get(how, "changed")), 1);
    assert_int_equal(number_of(json_object_get(how, "search"), "beam"), 3);
    assert_string_equal(text_of(how, "source"), "the dog");
    assert_string_equal(text_of(how, "target"), "der Hund");
    assert_int_equal(strlen(text_of(how, "checkpoint_sha256")), 64);
    assert_non_null(strstr(text_of(how, "program"), "attnscope "));
    json_decref(off);
    json_decref(before);
    json_decref(after);
    bench_close(&bench);
}

/* Averages of gates over a file are a view, of no sentence. What is noted shows it again. */
static void averages_over_a_file_are_written(void **state)
{
    struct bench bench = bench_open("mixture_decoder");
    char view[300];
    write_text("it's \"two\" lines", "the dog sees\na cat\n");
    snprintf(view, sizeof view, ":gates \"%s/it's \\\"two\\\" lines\" by position",
             export_path(""));
    struct report groups = bench_run(&bench, view);
    json_t *object = export_json(&bench, "");
    assert_null(json_object_get(json_object_get(object, "provenance"), "source"));
    const json_t *written = json_object_get(object, "groups");
    assert_int_equal(json_array_size(written), bench_groups(&groups));
    struct report again = bench_run(&bench, export_command(object));
    assert_string_equal(bench_value(&again, NULL, "file")->text, export_path("it's \"two\" lines"));
    assert_int_equal(bench_groups(&again), bench_groups(&groups));
    json_decref(object);
    report_free(&groups);
    report_free(&again);
    unlink(export_path("it's \"two\" lines"));
    bench_close(&bench);
}

/* Trouble -------------------------------------------------------------------------------------- */

static void what_cannot_be_written_is_said(void **state)
{
    static const struct {
        const char *line, *says;
    } cases[] = {
        {":export",
         "expected FILE, a name that ends in .png, .pdf, .svg, .csv, .tsv, .tex, .md, .npy, .npz, "
         ".json, .pharaoh, .marian, .nematus or "
         ".safetensors"},
        {":export figure", "ends in .png"},
        {":export figure.eps", "\"figure.eps\": expected a name that ends in .png"},
        {":export .png", "ends in .png"},
        {":export a.b/png", "ends in .png"},
        {":export ''", "expected FILE"},
        {":export /dev/full", "ends in .png"},
        {":export a.png help",
         ":help is not a view: expected translate, hypothesis, attn, head, heads"},
        {":export a.png export b.png", ":export is not a view"},
        {":export a.png nonsense", "unknown view \"nonsense\": expected translate, hypothesis,"},
        {":export a.png ''", "expected a view: translate, hypothesis, attn, head, heads"},
        {":export a.png attn layer 9", "layer 9"},
        {":export a.png importance", "no head importance"},
        {":export a.safetensors attn", "\"attn\": expected no view"},
        {":export /nosuch/a.png", "/nosuch/a.png: cannot be written: No such file"},
        {":export /nosuch/a.csv", "/nosuch/a.csv: cannot be written: No such file"},
        {":export /nosuch/a.safetensors", "/nosuch/a.safetensors: cannot be written"},
    };
    struct bench bench = bench_open("vanilla_post");
    char line[300];
    bench_run_quietly(&bench, "the dog");
    bench_run_quietly(&bench, ":attn");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        bench_refuse(&bench, cases[i].line, cases[i].says);
    assert_int_equal(mkdir(export_path("d.png"), 0777), 0);
    snprintf(line, sizeof line, ":export %s", export_path("d.png"));
    bench_refuse(&bench, line, "d.png: a folder, expected FOLDER all");
    rmdir(export_path("d.png"));
    assert_int_equal(symlink("/dev/full", export_path("full.csv")), 0);
    snprintf(line, sizeof line, ":export %s", export_path("full.csv"));
    bench_refuse(&bench, line, "full.csv: not a regular file");
    unlink(export_path("full.csv"));
    bench_close(&bench);
}

/* If the new file does not fit, the old one stays, and nothing else. */
static void a_file_is_replaced_only_by_a_whole_one(void **state)
{
    static const char *const names[] = {"x.png", "x.csv",  "x.tsv",        "x.npy",
                                        "x.npz", "x.json", "x.safetensors"};
    struct bench bench = bench_open("vanilla_post");
    struct rlimit limit, small;
    bench_run_quietly(&bench, "the dog sees a cat and a cat sees the dog in the house");
    bench_run_quietly(&bench, ":heads");
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    small = limit;
    small.rlim_cur = 200;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char line[300];
        size_t bytes;
        write_text(names[i], "before");
        snprintf(line, sizeof line, ":export %s", export_path(names[i]));
        setrlimit(RLIMIT_FSIZE, &small);
        struct report result;
        struct status status;
        bool ok = command_run(bench.session, line, &result, &status);
        setrlimit(RLIMIT_FSIZE, &limit);
        assert_false(ok);
        report_free(&result);
        assert_non_null(strstr(status.message, "cannot be written: File too large"));
        char *content = export_read(names[i], &bytes);
        assert_string_equal(content, "before");
        free(content);
        bench_run_quietly(&bench, line);
        free(export_read(names[i], &bytes));
        assert_true(bytes > 200);
    }
    assert_int_equal(rmdir(export_path("")), 0); // nothing was left in it
    assert_int_equal(mkdir(export_path(""), 0777), 0);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_current_view_is_the_last_that_was_shown),
        cmocka_unit_test(a_named_view_leaves_the_current_one),
        cmocka_unit_test(exports_follow_the_state),
        cmocka_unit_test(averages_over_a_file_are_written),
        cmocka_unit_test(what_cannot_be_written_is_said),
        cmocka_unit_test(a_file_is_replaced_only_by_a_whole_one),
    };
    return cmocka_run_group_tests(tests, export_open, export_close);
}
