/* Tensors of NaN and of infinities, one after the other, of every kind that models have: no command
 * makes a number of them. */
#include <glob.h>

#include "report/output/report_forms.h"
#include "tests/support/cli_support.h"
#include "tests/support/commands_support.h"
#include "tests/support/test.h"

/* Those that have most kinds of tensors come first. */
static const char *const models[] = {"vanilla_pre",       "recurrent_post", "context_both_stacks",
                                     "dhicm_last_layers", "mma_everywhere", "gated_ffn"};

/* Every command that has numbers of the model. @: a file of the source, the target, or a suite. */
static const struct {
    const char *line;
    bool current; // of the current sentence, which there is none of where it cannot be translated
} commands[] = {
    {"blue likes gives child tree", false},
    {":force today never", true},
    {":hypothesis 1", true},
    {":attn", true},
    {":heads cross", true},
    {":head cross 1.1", true},
    {":head cross 1.1 @source @target", false},
    {":token 1", true},
    {":align", true},
    {":alti", true},
    {":importance", true},
    {":gates", true},
    {":lens", true},
    {":patch blue likes gives tree child ||| cross", true},
    {":patch blue likes gives tree child ||| by gradient", true},
    {":open @source @target", false},
    {":next", true},
    {":prev", true},
    {":goto 2", true},
    {":score today never house ||| ein Baum .", false},
    {":translate @source", false},
    {":bleu @source @target", false},
    {":ablate @source @target by layer cross", false},
    {":ablate @source @target by gradient cross layer 1", false},
    {":prune @source @target until 1 cross layer 1 head 1-2", false},
    {":contrast @source @target @source", false},
    {":align @source @target", false},
    {":align @source @target cross layer 1 as rollout", false},
    {":attribute erasure", true},
    {":attribute saliency @source @target", false},
    {":attribute gradient-input @source", false},
    {":faithful weights erasure @source @target", false},
    {":alti @source", false},
    {":alti @source @target", false},
    {":stats @source cross", false},
    {":stats @source @target cross", false},
    {":lens dec @source", false},
    {":lens enc @source @target", false},
    {":importance @source", false},
    {":gates enc q @source", false},
    {":disable enc layer 1 head 1", false},
    {":contrast @source @target @source", false},
    {":flips", true},
    {":compare before current @source @target", false},
    {":beside before", true},
};
enum { MODELS = sizeof models / sizeof *models, COMMANDS = sizeof commands / sizeof *commands };

/* The others: what they show of a model's numbers one of those has computed. */
static const char *const silent[] = {"enable", "disabled", "mask",   "entmax", "pattern", "reset",
                                     "state",  "undo",     "redo",   "merge",  "load",    "model",
                                     "set",    "info",     "export", "show",   "source",  "save",
                                     "help",   "quit",     "back"};

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

/* A model's file with a tensor of nothing but NaN, or infinity. False: it has no floating-point
 * numbers. */
static bool write_model(const struct safetensors *file, const struct stored_tensor *tensor,
                        bool infinite)
{
    static const unsigned char numbers[][2][4] = {
        [STORED_F32] = {{0, 0, 0xc0, 0x7f}, {0, 0, 0x80, 0x7f}},
        [STORED_F16] = {{0, 0x7e}, {0, 0x7c}},
        [STORED_BF16] = {{0xc0, 0x7f}, {0x80, 0x7f}}};
    const struct mapped_file *map = safetensors_file(file);
    if (tensor->dtype > STORED_BF16)
        return false;
    const size_t first = (size_t)((const char *)tensor->data - (const char *)map->data);
    FILE *out = fopen(cli_path("model.bin"), "wb");
    assert_non_null(out);
    fwrite(map->data, 1, first, out);
    for (int64_t i = 0; i < tensor->elements; i++)
        fwrite(numbers[tensor->dtype][infinite], 1, tensor->bytes / (size_t)tensor->elements, out);
    fwrite((const char *)map->data + first + tensor->bytes, 1, map->bytes - first - tensor->bytes,
           out);
    assert_int_equal(fclose(out), 0);
    return true;
}

/* *text, unless NULL: what it says, which the caller frees. */
static bool run(struct bench *bench, const char *command, char **text, struct status *status)
{
    char *line = fill(command);
    struct report report = {0};
    const bool ok = command_run(bench->session, line, &report, status);
    if (text) {
        size_t size;
        FILE *out = open_memstream(text, &size);
        assert_non_null(out);
        text_report(out, &report, IN_TEXT);
        fclose(out);
    }
    report_free(&report);
    free(line);
    return ok;
}

static bool tried_command[COMMANDS];

/* Methods that need attention weights everywhere refuse a recurrence, and only some models have
 * gates. */
static void take_those_that_work(const char *path, bool works[COMMANDS])
{
    struct bench bench = bench_open_model(path);
    struct status status;
    bench_connect(&bench);
    for (int k = 0; k < COMMANDS; k++)
        tried_command[k] |= works[k] = run(&bench, commands[k].line, NULL, &status);
    bench_close(&bench);
}

/* A change of heads is no number; neither is a list of lines. */
static bool has_numbers(const char *line)
{
    return strncmp(line, ":disable", 8) != 0 && strncmp(line, ":open", 5) != 0;
}

/* What is infinite may become a number, such as a share of 1: then all that is said is finite. */
static void expect_refused(const char *model, const char *tensor, bool infinite,
                           const bool works[COMMANDS])
{
    struct bench bench = bench_open_model(cli_path("model.bin"));
    bench_connect(&bench);
    for (int k = 0; k < COMMANDS; k++) {
        const char *line = commands[k].line;
        struct status status = {0};
        char *text = NULL;
        if (!works[k])
            continue;
        const bool ok = run(&bench, line, &text, &status);
        if (ok && has_numbers(line) && !infinite)
            fail_msg("%s, %s: \"%s\" has a result", model, tensor, line);
        if (ok && (strstr(text, "nan") || strstr(text, "inf ")))
            fail_msg("%s, %s: \"%s\" says\n%s", model, tensor, line, text);
        if (!ok && !commands[k].current && !strstr(status.message, "not finite"))
            fail_msg("%s, %s: \"%s\": %s", model, tensor, line, status.message);
        free(text);
    }
    bench_close(&bench);
}

/* The tensor's name with N for the number of a layer: layers are alike. */
static const char *kind_of(const char *name)
{
    static char kind[100];
    size_t length = 0;
    for (; *name && length + 1 < sizeof kind; name++)
        if (*name < '0' || *name > '9' || !length || !strchr(".N", kind[length - 1]))
            kind[length++] = *name;
        else if (kind[length - 1] == '.')
            kind[length++] = 'N';
    kind[length] = '\0';
    return kind;
}

enum { KINDS_MOST = 200 };
static char *kinds[KINDS_MOST];
static int kind_count;

static bool is_new(const char *name)
{
    const char *kind = kind_of(name);
    for (int i = 0; i < kind_count; i++)
        if (strcmp(kinds[i], kind) == 0)
            return false;
    assert_in_range(kind_count, 0, KINDS_MOST - 1);
    kinds[kind_count++] = strdup(kind);
    return true;
}

/* Tensors of kinds that no model before had; of the layers the last one, whose name is. */
static void try_model(const char *path)
{
    bool works[COMMANDS], known = false;
    struct status status;
    struct safetensors *file = safetensors_open(path, &status);
    if (!file)
        fail_msg("%s", status.message);
    for (int i = safetensors_count(file) - 1; i >= 0; i--) {
        const struct stored_tensor *tensor = safetensors_tensor(file, i);
        if (tensor->dtype > STORED_BF16 || !is_new(tensor->name))
            continue;
        if (!known)
            take_those_that_work(path, works);
        known = true;
        for (int infinite = 0; infinite < 2; infinite++)
            if (write_model(file, tensor, infinite))
                expect_refused(path, tensor->name, infinite, works);
    }
    safetensors_close(file);
}

static void what_is_no_number_is_no_finding(void **state)
{
    glob_t found;
    for (int m = 0; m < MODELS; m++) {
        char path[100];
        snprintf(path, sizeof path, "tests/golden/%s.bin", models[m]);
        try_model(path);
    }
    assert_int_equal(glob("tests/golden/*.bin", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        try_model(found.gl_pathv[i]);
    globfree(&found);
    assert_in_range(kind_count, 100, KINDS_MOST);
    for (int k = 0; k < COMMANDS; k++)
        if (!tried_command[k])
            fail_msg("\"%s\" works with no model", commands[k].line);
    while (kind_count > 0)
        free(kinds[--kind_count]);
}

static bool is_tried(const char *name)
{
    for (int k = 0; k < COMMANDS; k++) {
        char begin[40];
        command_name(commands[k].line, begin, sizeof begin);
        if (strcmp(begin, name) == 0)
            return true;
    }
    return false;
}

static void every_command_is_tried_or_silent(void **state)
{
    for (int i = 0; i < command_count; i++) {
        bool said = false;
        for (size_t k = 0; k < sizeof silent / sizeof *silent; k++)
            said |= strcmp(silent[k], command_table[i]->name) == 0;
        if (said == is_tried(command_table[i]->name))
            fail_msg(":%s: expected in one of the lists", command_table[i]->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_number_is_no_finding),
        cmocka_unit_test(every_command_is_tried_or_silent),
    };
    return cmocka_run_group_tests(tests, open_files, cli_close);
}
