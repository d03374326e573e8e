/* What a result was computed from: shards and the cache of other settings, options, files or environment variables are
 * not taken. The tables of the program say what there is to change; what is missing in the tables here fails. */
#include "model/study/result_cache.h"
#include "tests/support/commands_support.h"
#include "tests/support/session_support.h"
#include "tests/support/test.h"
#include "tui/program/options.h"

#define CONTEXT "samples/en-de-context.bin"
#define DHICM "samples/en-de-dhicm.bin"
#define NLLB "tests/golden/formats/hf-nllb"
#define EMULATED "--device", "cuda", "--backend", getenv("ATTNSCOPE_TEST_PLUGIN")

static char *source, *target, *folder;

static void write_texts(void)
{
    cli_write("source", "Two dogs are running.\nShe reads a book.\n");
    cli_write("target", "Zwei Hunde rennen.\nSie liest ein Buch.\n");
}

static int open_files(void **state)
{
    if (cli_open(state) != 0)
        return -1;
    write_texts();
    source = strdup(cli_path("source"));
    target = strdup(cli_path("target"));
    folder = strdup(cli_path("shards"));
    return source && target && folder ? 0 : -1;
}

static int close_files(void **state)
{
    free(source);
    free(target);
    free(folder);
    return cli_close(state);
}

/* A command with @S, @T and @P for the files: source, target, parts of speech. */
static char *fill(const char *command)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (; *command; command++) {
        if (*command == '@')
            command++;
        else {
            fputc(*command, out);
            continue;
        }
        fputs(*command == 'S' ? source : *command == 'T' ? target : cli_path("pos"), out);
    }
    fclose(out);
    return text;
}

/* Two runs: what is done before them all, and a study. */
struct run {
    const char *model, *options[8]; // those up to NULL
    const char *before, *study;     // before NULL: nothing
};

static struct outcome start(const struct run *run, const char *const *shard)
{
    const char *arguments[MOST_ARGUMENTS] = {"--quiet"};
    int count = 1;
    char *study = fill(run->study);
    for (int i = 0; run->options[i]; i++)
        arguments[count++] = run->options[i];
    if (!run->options[0] || strcmp(run->options[0], "--device") != 0) {
        arguments[count++] = "--device";
        arguments[count++] = "cpu";
    }
    for (int i = 0; shard[i]; i++)
        arguments[count++] = shard[i];
    arguments[count++] = run->model;
    if (run->before) {
        arguments[count++] = "-e";
        arguments[count++] = run->before;
    }
    arguments[count++] = "-e";
    arguments[count++] = study;
    assert_true(count < MOST_ARGUMENTS);
    struct outcome outcome = cli_run(arguments);
    free(study);
    return outcome;
}

/* Computes the study as one shard. */
static void compute(const struct run *run)
{
    const char *const shard[] = {"--shard", "1/1", "--parts", folder, NULL};
    cli_remove(folder);
    struct outcome outcome = start(run, shard);
    if (outcome.code)
        fail_msg("%s: %s", run->study, outcome.err);
    outcome_free(&outcome);
}

/* True if another run takes what was computed; where it does not, it says so. */
static bool takes(const struct run *run)
{
    const char *const merge[] = {"--merge", folder, NULL};
    struct outcome outcome = start(run, merge);
    const bool taken = outcome.code == 0;
    if (!taken && !strstr(outcome.err, "the parts lack") && !strstr(outcome.err, "expected cpu") &&
        !strstr(outcome.err, "as in this session"))
        fail_msg("%s; %s: %s", run->before ? run->before : "", run->study, outcome.err);
    outcome_free(&outcome);
    return taken;
}

static void expect(const struct run *run, bool taken)
{
    if (takes(run) != taken)
        fail_msg("%s %s; %s: %s", run->options[0] ? run->options[0] : "",
                 run->before ? run->before : "", run->study,
                 taken ? "not taken, expected the same result" : "taken, expected another result");
}

/* Settings ----------------------------------------------------------------------------------------- */

/* A value of the setting that is not the one in force; NULL: there is none. */
static const char *other_value(const struct setting *setting, const struct settings *settings)
{
    static char text[SETTING_TEXT_BYTES];
    struct settings other = *settings;
    struct status status;
    const char *const numbers[] = {"1", "2", "3", "30", "0.5", "84mm", "Serif 9", "none"};
    const char *const *choices = setting_choices(setting, settings);
    const int count = choices ? 1000 : (int)(sizeof numbers / sizeof *numbers);
    for (int i = 0; i < count && (!choices || choices[i]); i++) {
        const char *value = choices ? choices[i] : numbers[i];
        other = *settings;
        if (!setting_parse(setting, value, &other, &status) ||
            setting_equal(setting, settings, &other))
            continue;
        snprintf(text, sizeof text, "%s", value);
        return text;
    }
    return NULL;
}

/* What each setting reaches, beside what the table says. */
static bool changes_scores(const struct setting *setting)
{
    return setting->reach == REACH_STATE ||
           (setting->reach == REACH_SCORES && strcmp(setting->name, "chrf.lowercase") != 0);
}

static bool changes_tests(const struct setting *setting)
{
    return changes_scores(setting) ||
           (setting->reach == REACH_TESTS && strcmp(setting->name, "significance.trials") != 0);
}

static bool is_language(const struct setting *setting)
{
    return setting->type == SETTING_LANGUAGE;
}

struct study_keys {
    struct result_key ablation, pruning, gradient;
};

static struct study_keys keys_of(const struct bench *bench)
{
    const struct state *state = &bench->session->state;
    const struct study_settings *study = &bench->session->settings.study;
    const struct ablation_list none = {.count = 0};
    return (struct study_keys){ablation_key(state, NULL, &none, study),
                               pruning_key(state, NULL, &none, study, false),
                               pruning_key(state, NULL, &none, study, true)};
}

static bool same(const struct result_key *a, const struct result_key *b)
{
    return memcmp(&a->identity, &b->identity, sizeof a->identity) == 0;
}

/* Results that the cache has under the state. */
static bool has_stats(struct bench *bench)
{
    return cache_head_stats(&bench->session->cache, &bench->session->state, "content") != NULL;
}

/* Changes one setting after the other: the cache of a session has nothing of the old value. */
static void the_cache_knows_every_setting_of(const char *model)
{
    struct bench bench = bench_open_model(model);
    struct status status;
    for (int i = 0; i < setting_count; i++) {
        const struct setting *setting = &setting_table[i];
        const char *value = other_value(setting, &bench.session->settings);
        if (!value && is_language(setting))
            continue;
        assert_non_null(value);
        char line[400];
        const struct study_keys before = keys_of(&bench);
        cache_forget(&bench.session->cache, CACHED_HEAD_STATS);
        assert_non_null(
            cache_add_head_stats(&bench.session->cache, &bench.session->state, "content", &status));
        assert_false(same(&before.pruning, &before.gradient));
        snprintf(line, sizeof line, ":set %s %s", setting->name, value);
        bench_run_quietly(&bench, line);
        const struct study_keys after = keys_of(&bench);
        if (same(&before.ablation, &after.ablation) == changes_tests(setting) ||
            same(&before.pruning, &after.pruning) == changes_scores(setting) ||
            has_stats(&bench) == (setting->reach == REACH_STATE))
            fail_msg("%s: results of the value before are%s found", line,
                     changes_tests(setting) ? "" : " not");
    }
    bench_close(&bench);
}

static void the_cache_knows_every_setting(void **state)
{
    the_cache_knows_every_setting_of(SAMPLE);
    the_cache_knows_every_setting_of(NLLB);
}

/* A translation depends on all of the search; a score on the languages alone. */
static void shards_know_every_setting_of(const char *model, const char *study, bool searched)
{
    struct bench bench = bench_open_model(model);
    struct run run = {.model = model, .study = study};
    compute(&run);
    expect(&run, true);
    for (int i = 0; i < setting_count; i++) {
        const struct setting *setting = &setting_table[i];
        const char *value = other_value(setting, &bench.session->settings);
        char line[400];
        if (!value)
            continue;
        snprintf(line, sizeof line, ":set %s %s", setting->name, value);
        run.before = line;
        expect(&run, !(is_language(setting) || (searched && setting->reach == REACH_STATE)));
    }
    bench_close(&bench);
}

static void shards_know_every_setting(void **state)
{
    shards_know_every_setting_of(SAMPLE, ":translate @S", true);
    shards_know_every_setting_of(SAMPLE, ":stats @S cross 1.1", true);
    shards_know_every_setting_of(SAMPLE, ":alti @S", true);
    shards_know_every_setting_of(SAMPLE, ":align @S @T", false);
    shards_know_every_setting_of(SAMPLE, ":contrast @S @T @S", false);
    shards_know_every_setting_of(SAMPLE, ":ablate @S @T by gradient cross layer 1 head 1", false);
    cli_write("source", "\u2581w1 \u2581w2\n\u2581w3\n");
    cli_write("target", "\u2581w2\n\u2581w1\n");
    shards_know_every_setting_of(NLLB, ":translate @S", true);
    shards_know_every_setting_of(NLLB, ":align @S @T", false);
    shards_know_every_setting_of(NLLB, ":contrast @S @T @S", false);
    shards_know_every_setting_of(NLLB, ":stats @S @T cross 1.1", false);
    write_texts();
}

/* Heads and studies -------------------------------------------------------------------------------- */

/* Each pair of runs has other results. */
static void other_heads_have_other_results(void **state)
{
    static const char *const changes[] = {
        ":disable enc 1.1",          ":disable cross 1.1",    ":mask dec 1.1 local 2",
        ":mask dec 1.1 local 3",     ":mask enc 1.2 forward", ":mask enc 1.2 backward",
        ":pattern enc 1.1 previous", ":pattern enc 1.1 next",
    };
    enum { COUNT = sizeof changes / sizeof *changes };
    for (int i = -1; i < COUNT; i++) {
        struct run run = {
            .model = SAMPLE, .study = ":translate @S", .before = i < 0 ? NULL : changes[i]};
        compute(&run);
        for (int k = 0; k < COUNT; k++) {
            run.before = changes[k];
            expect(&run, k == i);
        }
    }
}

static void write_pos(const char *tag)
{
    char text[300];
    snprintf(text, sizeof text,
             "1\tDogs\t_\t%s\t_\t_\t2\tnsubj\t_\t_\n2\trun\t_\tVERB\t_\t_\t0\troot\t_\t_\n\n", tag);
    cli_write("pos", text);
}

/* What a study is asked for. */
static void other_questions_have_other_results(void **state)
{
    static const struct {
        const char *model, *one, *other;
    } cases[] = {
        {SAMPLE, ":translate @S", ":translate @T"},
        {SAMPLE, ":align @S @T cross 1.1", ":align @S @T cross 1.2"},
        {SAMPLE, ":align @S @T cross 1.1", ":align @S @T cross 1.1 shifted"},
        {SAMPLE, ":align @S @T cross layer 1 as alti", ":align @S @T cross layer 1 as rollout"},
        {SAMPLE, ":align @S @T cross 1.1", ":align @S @T cross 1.1 as norms"},
        {SAMPLE, ":alti @S", ":alti @S @T"},
        {SAMPLE, ":alti @S @T", ":alti @T @S"},
        {SAMPLE, ":stats @S cross 1.1", ":stats @S cross 1.2"},
        {SAMPLE, ":stats @S cross 1.1", ":stats @S @T cross 1.1"},
        {SAMPLE, ":stats @P enc 1.1 by pos confidence", ":stats @P enc 1.1 by pos entropy"},
        {SAMPLE, ":contrast @S @T @S", ":contrast @T @S @T"},
        {SAMPLE, ":ablate @S @T by gradient cross layer 1 head 1",
         ":ablate @S @T by gradient cross layer 1 head 2"},
        {CONTEXT, ":gates enc q @S", ":gates enc k @S"},
        {CONTEXT, ":gates enc q @S by layer", ":gates enc qk @S by layer"},
        {SAMPLE, ":lens dec @S", ":lens enc @S"},
        {DHICM, ":importance @S enc", ":importance @S dec"},
        {DHICM, ":importance @S dec layer 2", ":importance @S cross layer 2"},
    };
    write_pos("NOUN");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const model = cases[i].model;
        const struct run one = {.model = model, .study = cases[i].one};
        const struct run other = {.model = model, .study = cases[i].other};
        compute(&one);
        expect(&one, true);
        expect(&other, false);
        compute(&other);
        expect(&one, false);
    }
}

/* Files -------------------------------------------------------------------------------------------- */

/* Contents count, not names. */
static void other_files_have_other_results(void **state)
{
    static const char *const studies[][2] = {{SAMPLE, ":stats @P enc 1.1 by pos confidence"},
                                             {SAMPLE, ":stats @P enc 1.1"},
                                             {CONTEXT, ":gates enc q @P by pos"},
                                             {DHICM, ":importance @P by pos"}};
    for (size_t i = 0; i < sizeof studies / sizeof *studies; i++) {
        const struct run run = {.model = studies[i][0], .study = studies[i][1]};
        write_pos("NOUN");
        compute(&run);
        expect(&run, true);
        write_pos("ADJ");
        expect(&run, false);
        write_pos("MINE");
        expect(&run, false);
    }
    struct run run = {.model = SAMPLE, .study = ":translate @S"};
    compute(&run);
    run.model = "samples/en-de-fixed.bin";
    expect(&run, false);
    run.model = SAMPLE;
    char *text = cli_read(source, NULL), *old = strdup(text);
    memcpy(strstr(text, "book"), "cake", 4);
    cli_write("source", text);
    expect(&run, false);
    cli_write("source", old);
    expect(&run, true);
    free(text);
    free(old);
}

/* Options ------------------------------------------------------------------------------------------ */

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
    struct run run = {.model = SAMPLE, .study = ":translate @S"};
    compute(&run);
    for (int i = 0; i < option_count; i++) {
        const int at = find_case(&option_table[i]);
        if (option_cases[at].results == NO_RESULTS)
            continue;
        char name[40];
        const char *value = option_cases[at].value;
        snprintf(name, sizeof name, "--%s", option_cases[at].name);
        run.options[0] = name;
        run.options[1] = value && *value == '@' ? tokenizer : value;
        expect(&run, option_cases[at].results == SAME);
    }
    // Which side a tokeniser serves.
    static const char *const sides[] = {"--source-tokenizer", "--target-tokenizer"};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            struct run one = {.model = SAMPLE, .study = ":translate @S"};
            one.options[0] = sides[k % 2];
            one.options[1] = tokenizer;
            one.options[2] = k == 2 ? sides[1] : NULL;
            one.options[3] = k == 2 ? tokenizer : NULL;
            if (k == 0) {
                run = one;
                run.options[0] = sides[i % 2];
                run.options[2] = i == 2 ? sides[1] : NULL;
                run.options[3] = i == 2 ? tokenizer : NULL;
                compute(&run);
            }
            expect(&one, k == i);
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
    struct checkpoint *checkpoint = checkpoint_open(SAMPLE, &status);
    assert_non_null(checkpoint);
    const struct journal_key exact = key_in(checkpoint, PRECISION_FP32);
    const struct journal_key again = key_in(checkpoint, PRECISION_FP32);
    const struct journal_key rounded = key_in(checkpoint, PRECISION_BF16);
    assert_memory_equal(&exact, &again, sizeof exact);
    assert_memory_not_equal(&exact, &rounded, sizeof exact);
    checkpoint_close(checkpoint);
}

/* A merge says so before any study. */
static void another_precision_is_told(void **state)
{
    const char *const merge[] = {"--merge", folder, NULL};
    struct run run = {.model = SAMPLE, .study = ":model"};
    compute(&(struct run){
        .model = SAMPLE, .options = {"--precision", "bf16"}, .study = ":translate @S"});
    struct outcome outcome = start(&run, merge);
    assert_int_not_equal(outcome.code, 0);
    assert_non_null(
        strstr(outcome.err, "computed on cpu bf16, expected cpu fp32 as in this session"));
    outcome_free(&outcome);
}

/* Precision, kind of device, the batch there, and what the device rounds otherwise. */
static void other_devices_have_other_results(void **state)
{
    struct run run = {.model = SAMPLE, .study = ":translate @S", .options = {EMULATED}};
    compute(&run);
    expect(&run, true);
    run.before = ":set batch 3";
    expect(&run, false);
    run.before = NULL;
    setenv("ATTNSCOPE_CUDA", "-split-product", 1);
    expect(&run, false);
    unsetenv("ATTNSCOPE_CUDA");
    run.options[4] = "--precision";
    run.options[5] = "tf32";
    expect(&run, false);
    run.options[0] = NULL;
    expect(&run, false);
    compute(&run);
    run = (struct run){.model = SAMPLE, .study = ":translate @S", .options = {EMULATED}};
    expect(&run, false);
}

/* Environment -------------------------------------------------------------------------------------- */

/* Every variable that the program reads, and another value of it. */
static const char *const variables[][2] = {
    {"ARGOS_PACKAGES_DIR", "/nowhere"},
    {"ATTNSCOPE_CUDA", "none"}, // on a GPU: above
    {"ATTNSCOPE_ISA", "c"},
    {"ATTNSCOPE_MODELS", "/nowhere"},
    {"COLORTERM", "truecolor"},
    {"COLUMNS", "40"},
    {"CUDA_HOME", "/nowhere"},
    {"CUDA_PATH", "/nowhere"},
    {"HF_HOME", "/nowhere"},
    {"HF_HUB_CACHE", "/nowhere"},
    {"HOME", "/nowhere"},
    {"HUGGINGFACE_HUB_CACHE", "/nowhere"},
    {"LC_ALL", "C"},
    {"NO_COLOR", "1"},
    {"PAGER", "cat"},
    {"SACREBLEU", "/nowhere"},
    {"SOURCE_DATE_EPOCH", "0"},
    {"TERM", "vt100"},
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
    const struct run run = {.model = SAMPLE, .study = ":translate @S"};
    every_variable_is_known();
    compute(&run);
    for (int i = 0; i < VARIABLES; i++) {
        char *old = getenv(variables[i][0]) ? strdup(getenv(variables[i][0])) : NULL;
        setenv(variables[i][0], variables[i][1], 1);
        expect(&run, true);
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
        cmocka_unit_test(the_cache_knows_every_setting),
        cmocka_unit_test(shards_know_every_setting),
        cmocka_unit_test(other_heads_have_other_results),
        cmocka_unit_test(other_questions_have_other_results),
        cmocka_unit_test(other_files_have_other_results),
        cmocka_unit_test(other_options_have_other_results),
        cmocka_unit_test(the_precision_is_part_of_a_key),
        cmocka_unit_test(another_precision_is_told),
        cmocka_unit_test(other_devices_have_other_results),
        cmocka_unit_test(the_environment_changes_no_result_on_the_cpu),
    };
    return cmocka_run_group_tests(tests, open_files, close_files);
}
