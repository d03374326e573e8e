/* Commands that read files of sentences, and the one that writes a file. */
#include <math.h>
#include <unistd.h>

#include "tests/support/commands_support.h"
#include "tests/support/report_support.h"
#include "tests/support/test.h"

static void a_file_is_translated_line_by_line_in_order(void **state)
{
    static const char *const lines[] = {"the dog", "",   "a small old cat sees the river .",
                                        "  ",      "he", "the dog"};
    char path[64], line[128], wanted[4096] = "";
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    bench_run_quietly(&bench, ":set batch 1"); // more than one chunk
    write_lines("the dog\n\na small old cat sees the river .\r\n  \nhe\nthe dog", path);
    snprintf(line, sizeof line, ":translate %s", path);
    struct report result = bench_run(&bench, line);
    assert_int_equal(report_count(&result, "translations"), 6);
    for (int i = 0; i < 6; i++) {
        if (!command_blank(lines[i])) {
            bench_run_quietly(&bench, lines[i]);
            assert_string_equal(report_text_at(&result, "translations", i),
                                bench.session->current->texts[0]);
        }
        strcat(strcat(wanted, report_text_at(&result, "translations", i)), "\n");
    }
    assert_string_equal(report_text_at(&result, "translations", 1), "");
    assert_string_equal(bench.output, wanted);
    report_free(&result);
    unlink(path);
    bench_close(&bench);
}

static void files_are_checked_before_anything_is_translated(void **state)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"the dog\nthe \xFF\n", ":2: invalid UTF-8 at byte 5"},
        {"the\n\na a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a a "
         "a a a "
         "a a a a a a a a a a a a a a a a a a a a a a a a a a a\n",
         ":3: the source has"},
    };
    char path[64], line[128];
    struct bench bench = bench_open("vanilla_post");
    bench_connect(&bench);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_lines(cases[i].text, path);
        snprintf(line, sizeof line, ":translate %s", path);
        bench_refuse(&bench, line, cases[i].says);
        fflush(bench.sink.stream);
        assert_string_equal(bench.output, "");
        unlink(path);
    }
    bench_close(&bench);
}

/* Sum and count of all gates of a layer (-1: of all) that `:gates` shows for a line. */
static void sum_gates(struct bench *bench, const char *line, const char *command, int layer,
                      double *sum, int64_t *count)
{
    bench_run_quietly(bench, line);
    struct report result = bench_run(bench, command);
    const struct value *gates = bench_value(&result, NULL, "gates");
    for (int i = 0; i < gates->count; i++) {
        if (gates->list[i].kind == VALUE_NULL || (layer >= 0 && layer != i))
            continue;
        const struct array *array = gates->list[i].array;
        size_t cells = array->shape[0] * (array->dimensions > 1 ? array->shape[1] : 1);
        for (size_t c = 0; c < cells; c++)
            *sum += array->values[c];
        *count += (int64_t)cells;
    }
    report_free(&result);
}

static void gates_of_a_file_are_averages_of_its_sentences(void **state)
{
    static const char *const commands[] = {":gates enc k", ":gates dec q"};
    char path[64], line[128];
    struct bench bench = bench_open("context_both_stacks");
    write_lines("the dog sees\n\na cat\n", path);
    for (int c = 0; c < 2; c++) {
        struct status status;
        struct report result;
        bench_run_quietly(&bench, "a cat");
        bool shown = command_run(bench.session, commands[c], &result, &status);
        report_free(&result);
        if (!shown)
            continue; // this model mixes the other side
        snprintf(line, sizeof line, "%s %s by layer", commands[c], path);
        result = bench_run(&bench, line);
        assert_true(bench_groups(&result) > 0);
        for (int g = 0; g < bench_groups(&result); g++) {
            double sum = 0;
            int64_t count = 0;
            int layer = atoi(bench_group_name(&result, g)) - 1;
            sum_gates(&bench, "the dog sees", commands[c], layer, &sum, &count);
            sum_gates(&bench, "a cat", commands[c], layer, &sum, &count);
            assert_int_equal(bench_group_count(&result, g), count);
            assert_true(fabs(bench_group_mean(&result, g) * (double)count - sum) < 1e-6);
        }
        report_free(&result);
    }
    unlink(path);
    bench_close(&bench);
}

static void a_file_without_a_sentence_has_no_gates(void **state)
{
    char path[64], line[128];
    struct bench bench = bench_open("context_both_stacks");
    bench_refuse(&bench, ":gates /dev/null", "/dev/null: empty, expected a sentence on each line");
    snprintf(line, sizeof line, ":gates dec %s by position", write_lines("\n \n\n", path));
    bench_refuse(&bench, line, ": only blank lines; expected a sentence");
    unlink(path);
    bench_close(&bench);
}

static void studies_of_blank_lines_have_no_sentence(void **state)
{
    static const char *const studies[] = {
        "stats",         "head enc 1.1",       "alti",
        "lens",          "attribute saliency", "importance",
        "faithful flow", "faithful alti",      "faithful erasure flow",
    };
    char path[64], line[200];
    write_lines("\n \n", path);
    struct bench bench = bench_open("dhicm_last_layers");
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        snprintf(line, sizeof line, ":%s %s", studies[i], path);
        bench_refuse(&bench, line, ": only blank lines; expected a sentence");
    }
    unlink(path);
    bench_close(&bench);
}

static void exports_hold_everything_with_how_it_was_made(void **state)
{
    struct bench bench = bench_open("mixture_decoder");
    const json_t *given = json_array_get(bench.cases, 0);
    struct status status;
    char line[4096];
    assert_true(bench_set_head_settings(&bench, given));
    snprintf(line, sizeof line, " %s", text_of(given, "source"));
    bench_run_quietly(&bench, line);
    snprintf(line, sizeof line, ":force %s", text_of(given, "target"));
    bench_run_quietly(&bench, line);
    char path[64] = "/tmp/attnscope-test.safetensors";
    snprintf(path, sizeof path, "/tmp/attnscope-test-%d.safetensors", (int)getpid());
    snprintf(line, sizeof line, ":export %s", path);
    struct report result = bench_run(&bench, line);
    struct safetensors *file = safetensors_open(path, &status);
    assert_non_null(file);
    assert_int_equal(safetensors_count(file), report_int(&result, "tensors"));
    for (int i = 0; i < safetensors_count(file); i++) {
        const struct stored_tensor *tensor = safetensors_tensor(file, i);
        const float *wanted = bench_expected(&bench, 0, tensor->name);
        assert_non_null(wanted);
        assert_close(tensor->data, wanted, tensor->elements, 1e-4, tensor->name);
    }
    for (int i = 0; i < safetensors_count(bench.expected); i++) {
        const struct stored_tensor *tensor = safetensors_tensor(bench.expected, i);
        if (strncmp(tensor->name, "case0.", 6) == 0 && !strstr(tensor->name, "logits") &&
            !strstr(tensor->name, "decoder.output"))
            if (!safetensors_find(file, tensor->name + 6))
                fail_msg("%s is missing", tensor->name + 6);
    }
    assert_string_equal(safetensors_metadata(file, "target"), text_of(given, "target"));
    assert_string_equal(safetensors_metadata(file, "command"), line);
    assert_int_equal(strlen(safetensors_metadata(file, "checkpoint_sha256")), 64);
    json_t *ids = json_loads(safetensors_metadata(file, "target_ids"), 0, NULL);
    assert_true(json_equal(ids, json_object_get(given, "target_ids")));
    json_decref(ids);
    safetensors_close(file);
    report_free(&result);
    unlink(path);
    bench_close(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_translated_line_by_line_in_order),
        cmocka_unit_test(files_are_checked_before_anything_is_translated),
        cmocka_unit_test(gates_of_a_file_are_averages_of_its_sentences),
        cmocka_unit_test(a_file_without_a_sentence_has_no_gates),
        cmocka_unit_test(studies_of_blank_lines_have_no_sentence),
        cmocka_unit_test(exports_hold_everything_with_how_it_was_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
