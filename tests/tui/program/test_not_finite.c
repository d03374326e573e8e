/* Tensors of NaN, one after the other: no command makes a number of them. */
#include "tests/support/cli_support.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

static const char *const models[] = {"vanilla_pre",       "recurrent_post", "context_both_stacks",
                                     "dhicm_last_layers", "mma_everywhere", "gated_ffn"};

/* @: a file of the source, the target, or a suite. */
static const char *const commands[] = {"blue likes gives child tree",
                                       ":score today never house ||| ein Baum .",
                                       ":translate @source",
                                       ":bleu @source @target",
                                       ":ablate @source @target by layer cross",
                                       ":ablate @source @target by gradient cross layer 1",
                                       ":contrast @source @target @source",
                                       ":align @source @target",
                                       ":align @source @target cross layer 1 as rollout",
                                       ":alti @source",
                                       ":alti @source @target",
                                       ":attribute saliency @source @target",
                                       ":stats @source cross",
                                       ":stats @source @target cross",
                                       ":lens dec @source",
                                       ":lens enc @source @target"};
enum { MODELS = sizeof models / sizeof *models, COMMANDS = sizeof commands / sizeof *commands };

static int open_files(void **state)
{
    if (cli_open(state) != 0)
        return -1;
    cli_write("source", "today never house old sleeps .\nblue likes gives child tree\n");
    cli_write("target", "ein Baum .\ndas Kind\n");
    return 0;
}

/* The command with the files' paths. The caller frees it. */
static char *fill(const char *command)
{
    char *line = NULL, *text = strdup(command), *rest = text, *part;
    size_t size;
    FILE *out = open_memstream(&line, &size);
    assert_true(text && out);
    for (int i = 0; (part = strsep(&rest, " ")); i++)
        fprintf(out, "%s%s", i ? " " : "", *part == '@' ? cli_path(part + 1) : part);
    fclose(out);
    free(text);
    return line;
}

/* A model's file with a tensor of nothing but NaN. False: it has no floating-point numbers. */
static bool write_model(const struct safetensors *file, const struct stored_tensor *tensor)
{
    static const unsigned char nan[][4] = {
        [STORED_F32] = {0, 0, 0xc0, 0x7f}, [STORED_F16] = {0, 0x7e}, [STORED_BF16] = {0xc0, 0x7f}};
    const struct mapped_file *map = safetensors_file(file);
    if (tensor->dtype > STORED_BF16)
        return false;
    const size_t first = (size_t)((const char *)tensor->data - (const char *)map->data);
    FILE *out = fopen(cli_path("model.bin"), "wb");
    assert_non_null(out);
    fwrite(map->data, 1, first, out);
    for (int64_t i = 0; i < tensor->elements; i++)
        fwrite(nan[tensor->dtype], 1, tensor->bytes / (size_t)tensor->elements, out);
    fwrite((const char *)map->data + first + tensor->bytes, 1, map->bytes - first - tensor->bytes,
           out);
    assert_int_equal(fclose(out), 0);
    return true;
}

static bool run(struct bench *bench, const char *command, struct status *status)
{
    char *line = fill(command);
    struct report report = {0};
    const bool ok = command_run(bench->session, line, &report, status);
    report_free(&report);
    free(line);
    return ok;
}

/* Methods that need attention weights everywhere refuse a recurrence. */
static int take_those_that_work(const char *path, bool works[COMMANDS])
{
    struct bench bench = bench_open_model(path);
    struct status status;
    int count = 0;
    bench_connect(&bench);
    for (int k = 0; k < COMMANDS; k++)
        count += works[k] = run(&bench, commands[k], &status);
    bench_close(&bench);
    return count;
}

static void expect_refused(const char *model, const char *tensor, const bool works[COMMANDS])
{
    struct bench bench = bench_open_model(cli_path("model.bin"));
    bench_connect(&bench);
    for (int k = 0; k < COMMANDS; k++) {
        struct status status = {0};
        if (works[k] && run(&bench, commands[k], &status))
            fail_msg("%s, %s of NaN: \"%s\" has a result", model, tensor, commands[k]);
        if (works[k] && !strstr(status.message, "not finite"))
            fail_msg("%s, %s of NaN: \"%s\": %s", model, tensor, commands[k], status.message);
    }
    bench_close(&bench);
}

/* Layers are alike: those of the last one are tried. */
static void what_is_no_number_is_no_finding(void **state)
{
    for (int m = 0; m < MODELS; m++) {
        char path[100];
        bool works[COMMANDS];
        struct status status;
        snprintf(path, sizeof path, "tests/golden/%s.bin", models[m]);
        assert_in_range(take_those_that_work(path, works), COMMANDS - 3, COMMANDS);
        struct safetensors *file = safetensors_open(path, &status);
        if (!file)
            fail_msg("%s", status.message);
        for (int i = 0; i < safetensors_count(file); i++) {
            const struct stored_tensor *tensor = safetensors_tensor(file, i);
            if (!strstr(tensor->name, ".layers.0.") && write_model(file, tensor))
                expect_refused(models[m], tensor->name, works);
        }
        safetensors_close(file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_number_is_no_finding),
    };
    return cmocka_run_group_tests(tests, open_files, cli_close);
}
