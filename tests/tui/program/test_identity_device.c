/* What a result was computed from and by: shards of other options, precisions, devices or
 * environment variables are not taken. What is missing in the tables here fails. */
#include "tests/support/commands_support.h"
#include "tests/support/test.h"
#include "tests/tui/program/identity_support.h"
#include "tui/program/options.h"

#define EMULATED "--device", "cuda", "--backend", getenv("ATTNSCOPE_TEST_PLUGIN")

/* Options -------------------------------------------------------------------------------------- */

enum { SAME, OTHER, NO_RESULTS }; // of an option: results with it; it says nothing of results

/* By name, or by letter. Values that are paths are filled in. */
static const struct {
    const char *name;
    int results;
    const char *value;
} option_cases[] = {
    {"e", NO_RESULTS, NULL},
    {"f", NO_RESULTS, NULL},
    {"ascii", SAME, NULL},
    {"line", SAME, NULL},
    {"json", SAME, NULL},
    {"device", NO_RESULTS, NULL},  // others_devices_have_other_results
    {"backend", NO_RESULTS, NULL}, // likewise
    {"precision", OTHER, "bf16"},
    {"threads", SAME, "3"},
    {"dpi", SAME, "90"},
    {"no-clobber", SAME, NULL},
    {"quiet", SAME, NULL},
    {"shard", NO_RESULTS, NULL},
    {"parts", NO_RESULTS, NULL},
    {"merge", NO_RESULTS, NULL},
    {"replay", NO_RESULTS, NULL},
    {"convert", NO_RESULTS, NULL},
    {"source-tokenizer", OTHER, "@"},
    {"target-tokenizer", OTHER, "@"},
    {"generate", NO_RESULTS, NULL},
    {"help", NO_RESULTS, NULL},
    {"version", NO_RESULTS, NULL},
};

/* The tokeniser of a model of our own, as a file. */
static char *take_tokenizer(void)
{
    struct status status;
    struct safetensors *file = safetensors_open("samples/ja-en.bin", &status);
    assert_non_null(file);
    const struct stored_tensor *tensor = safetensors_find(file, "tokenizer.shared");
    assert_non_null(tensor);
    char *path = strdup(cli_path("other.spm"));
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(tensor->data, 1, tensor->bytes, out), tensor->bytes);
    fclose(out);
    safetensors_close(file);
    return path;
}

static int find_case(const struct program_option *option)
{
    const char letter[] = {option->letter, '\0'};
    const char *name = option->name ? option->name : letter;
    for (size_t i = 0; i < sizeof option_cases / sizeof *option_cases; i++)
        if (strcmp(option_cases[i].name, name) == 0)
            return (int)i;
    fail_msg("option %s: not in the table of this test, expected whether it changes results", name);
    return -1;
}

static void other_options_have_other_results(void **state)
{
    char *tokenizer = take_tokenizer();
    struct identity_run run = {.model = PLAIN, .study = ":translate @S"};
    identity_compute(&run);
    for (int i = 0; i < option_count; i++) {
        const int at = find_case(&option_table[i]);
        if (option_cases[at].results == NO_RESULTS)
            continue;
        char name[40];
        const char *value = option_cases[at].value;
        snprintf(name, sizeof name, "--%s", option_cases[at].name);
        run.options[0] = name;
        run.options[1] = value && *value == '@' ? tokenizer : value;
        identity_expect(&run, option_cases[at].results == SAME);
    }
    // Which side a tokeniser serves.
    static const char *const sides[] = {"--source-tokenizer", "--target-tokenizer"};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            struct identity_run one = {.model = PLAIN, .study = ":translate @S"};
            one.options[0] = sides[k % 2];
            one.options[1] = tokenizer;
            one.options[2] = k == 2 ? sides[1] : NULL;
            one.options[3] = k == 2 ? tokenizer : NULL;
            if (k == 0) {
                run = one;
                run.options[0] = sides[i % 2];
                run.options[2] = i == 2 ? sides[1] : NULL;
                run.options[3] = i == 2 ? tokenizer : NULL;
                identity_compute(&run);
            }
            identity_expect(&one, k == i);
        }
    }
    free(tokenizer);
}

/* A key of a result of the model on a device of that precision. */
static struct journal_key key_in(const struct checkpoint *checkpoint, enum precision precision)
{
    const struct device_choice choice = {.kind = DEVICE_CPU, .precision = precision};
    struct opened_device opened;
    struct status status;
    struct identity identity;
    assert_true(device_open(&choice, 1, &opened, &status));
    struct model *model = model_open(checkpoint, opened.backend, opened.device, &status);
    assert_non_null(model);
    const struct state state = {
        .model = model, .head_settings = (struct head_settings *)model_head_settings(model)};
    identity_open(&identity, "translation", "digest", &state, IDENTITY_LANGUAGES);
    model_close(model);
    opened.backend->close(opened.device);
    return identity_key(&identity, NULL, 0);
}

static void the_precision_is_part_of_a_key(void **state)
{
    struct status status;
    struct checkpoint *checkpoint = checkpoint_open(PLAIN, &status);
    assert_non_null(checkpoint);
    const struct journal_key exact = key_in(checkpoint, PRECISION_FP32);
    const struct journal_key again = key_in(checkpoint, PRECISION_FP32);
    const struct journal_key rounded = key_in(checkpoint, PRECISION_BF16);
    assert_memory_equal(&exact, &again, sizeof exact);
    assert_memory_not_equal(&exact, &rounded, sizeof exact);
    // A model without weights of 8 bits is computed in fp32 there.
    const struct journal_key floats = key_in(checkpoint, PRECISION_INT8);
    assert_memory_equal(&exact, &floats, sizeof exact);
    checkpoint_close(checkpoint);
    checkpoint = checkpoint_open(STUDENT, &status);
    assert_non_null(checkpoint);
    const struct journal_key student = key_in(checkpoint, PRECISION_FP32);
    const struct journal_key integers = key_in(checkpoint, PRECISION_INT8);
    assert_memory_not_equal(&student, &integers, sizeof student);
    checkpoint_close(checkpoint);
}

/* A student is computed in 8 bits unless fp32 is asked for. */
static void floats_of_a_student_are_other_results(void **state)
{
    struct identity_run run = {.model = STUDENT, .study = ":translate @S"};
    identity_compute(&run);
    identity_expect(&run, true);
    run.options[0] = "--precision";
    run.options[1] = "int8";
    identity_expect(&run, true);
    run.options[1] = "fp32";
    identity_expect(&run, false);
}

/* A merge says so before any study. */
static void another_precision_is_told(void **state)
{
    const char *const merge[] = {"--merge", identity_folder, NULL};
    struct identity_run run = {.model = PLAIN, .study = ":model"};
    identity_compute(&(struct identity_run){
        .model = PLAIN, .options = {"--precision", "bf16"}, .study = ":translate @S"});
    struct outcome outcome = identity_start(&run, merge);
    assert_int_not_equal(outcome.code, 0);
    assert_non_null(
        strstr(outcome.err, "computed on cpu bf16, expected cpu fp32 as in this session"));
    outcome_free(&outcome);
}

/* Precision, kind of device, the batch there, and what the device rounds otherwise. */
static void other_devices_have_other_results(void **state)
{
    struct identity_run run = {.model = PLAIN, .study = ":translate @S", .options = {EMULATED}};
    identity_compute(&run);
    identity_expect(&run, true);
    run.before = ":set batch 3";
    identity_expect(&run, false);
    run.before = NULL;
    setenv("ATTNSCOPE_CUDA", "-split-product", 1);
    identity_expect(&run, false);
    unsetenv("ATTNSCOPE_CUDA");
    run.options[4] = "--precision";
    run.options[5] = "tf32";
    identity_expect(&run, false);
    run.options[0] = NULL;
    identity_expect(&run, false);
    identity_compute(&run);
    run = (struct identity_run){.model = PLAIN, .study = ":translate @S", .options = {EMULATED}};
    identity_expect(&run, false);
}

/* A figure says on which device it was computed, where others compute other bits; `--replay`
 * elsewhere tells. */
static void a_figure_names_its_device(void **state)
{
    char line[400];
    const char *path = cli_path("emulated.json");
    snprintf(line, sizeof line, ":export %s attn", path);
    const char *const export[] = {EMULATED, "--json", PLAIN, "-e", "child tree", "-e", line, NULL};
    const char *const again[] = {CPU, "--json", "--replay", path, PLAIN, NULL};
    const char *const same[] = {EMULATED, "--json", "--replay", path, PLAIN, NULL};
    struct outcome outcome = cli_run(export);
    assert_int_equal(outcome.code, 0);
    outcome_free(&outcome);
    outcome = cli_run(same);
    assert_int_equal(outcome.code, 0);
    outcome_free(&outcome);
    outcome = cli_run(again);
    assert_int_equal(outcome.code, 1);
    assert_non_null(strstr(outcome.out, "\"differences\":\"device\""));
    outcome_free(&outcome);
}

/* Environment ---------------------------------------------------------------------------------- */

/* Every variable that the program reads, and another value of it. */
static const char *const variables[][2] = {
    {"ARGOS_PACKAGES_DIR", "/nowhere"},
    {"ATTNSCOPE_CUDA", "none"}, // on a GPU: above
    {"ATTNSCOPE_ISA", "c"},
    {"ATTNSCOPE_MODELS", "/nowhere"},
    {"COLORTERM", "truecolor"},
    {"COLUMNS", "40"},
    {"CONDA_PREFIX", "/nowhere"},
    {"CUDA_HOME", "/nowhere"},
    {"CUDA_PATH", "/nowhere"},
    {"HF_HOME", "/nowhere"},
    {"HF_HUB_CACHE", "/nowhere"},
    {"HOME", "/nowhere"},
    {"HUGGINGFACE_HUB_CACHE", "/nowhere"},
    {"LC_ALL", "C"},
    {"NO_COLOR", "1"},
    {"OMP_NUM_THREADS", "3"},
    {"PAGER", "cat"},
    {"SACREBLEU", "/nowhere"},
    {"SOURCE_DATE_EPOCH", "0"},
    {"TERM", "vt100"},
    {"VIRTUAL_ENV", "/nowhere"},
    {"XDG_CACHE_HOME", "/nowhere"},
    {"XDG_CONFIG_HOME", "/nowhere"},
    {"XDG_DATA_HOME", "/nowhere"},
    {"XDG_STATE_HOME", "/nowhere"},
};
enum { VARIABLES = sizeof variables / sizeof *variables };

static void every_variable_is_known(void)
{
    char line[200];
    int read = 0;
    FILE *names = popen("grep -rhoE 'getenv\\(\"[A-Z_0-9]+\"' base gpu model tui render", "r");
    assert_non_null(names);
    for (; fgets(line, sizeof line, names); read++) {
        char *name = strchr(line, '"') + 1;
        *strchr(name, '"') = '\0';
        int i = 0;
        while (i < VARIABLES && strcmp(variables[i][0], name) != 0)
            i++;
        if (i == VARIABLES)
            fail_msg("%s: not in the table of this test", name);
    }
    pclose(names);
    assert_true(read > 10);
}

static void the_environment_changes_no_result_on_the_cpu(void **state)
{
    const struct identity_run run = {.model = PLAIN, .study = ":translate @S"};
    every_variable_is_known();
    identity_compute(&run);
    for (int i = 0; i < VARIABLES; i++) {
        char *old = getenv(variables[i][0]) ? strdup(getenv(variables[i][0])) : NULL;
        setenv(variables[i][0], variables[i][1], 1);
        identity_expect(&run, true);
        if (old)
            setenv(variables[i][0], old, 1);
        else
            unsetenv(variables[i][0]);
        free(old);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_options_have_other_results),
        cmocka_unit_test(the_precision_is_part_of_a_key),
        cmocka_unit_test(floats_of_a_student_are_other_results),
        cmocka_unit_test(another_precision_is_told),
        cmocka_unit_test(other_devices_have_other_results),
        cmocka_unit_test(a_figure_names_its_device),
        cmocka_unit_test(the_environment_changes_no_result_on_the_cpu),
    };
    return cmocka_run_group_tests(tests, identity_open_files, identity_close_files);
}
