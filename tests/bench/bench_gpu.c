/* How fast a plug-in translates, compared with what its machine allows, in every precision.
 *
 * Usage: bench_gpu [--plugin FILE] [--device N] [--sentences N] [--words N] [--table FILE] [--tiny]
 *                  [--count] [--shortcuts] [--profile fp32|tf32|bf16]
 *
 * The model is the random one of base size. Every sentence has the same number of words, and every
 * translation has 5 tokens more than its source (with --tiny as many: each step is slow on an
 * emulated device). Results are checked against the CPU's before they are timed. Wrong results are
 * reported but timed all the same, and the exit status is 1.
 *
 * --table writes the numbers that other programs are compared with, tab-separated. --tiny uses a
 * small model and short rounds, which say nothing about speed, to try the program on an emulated
 * device. --count, only on an emulated device, counts what a step asks of the GPU and does nothing
 * else; see gpu_count.c. --shortcuts only measures what each shortcut gains, in tf32 and bf16; see
 * gpu_shortcuts.c. --profile only searches all sentences at once in that precision, for a profiler.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/loader.h"
#include "tests/bench/gpu_bench.h"
#include "tests/bench/gpu_count.h"
#include "tests/bench/gpu_runs.h"
#include "tests/bench/gpu_shortcuts.h"
#include "tests/bench/random_model.h"

enum { BEAM = 5 };

struct setting {
    const char *plugin, *table;
    int ordinal, sentences, words, checked;
    struct random_size model;
    struct rounds rounds;
    int further;    // additional steps of a longer search
    int side;       // of the matrices that the ceilings are measured with
    size_t copied;  // bytes, for the ceiling of the bandwidth
    bool tiny;      // leaves out what says nothing about speed
    bool count;     // only count what a step asks of the GPU
    bool shortcuts; // only measure what each shortcut gains
    int profiled;   // only search once in this precision; -1: measure everything
};

static struct setting base_setting(void)
{
    return (struct setting){.sentences = 1024,
                            .words = 20,
                            .checked = 8,
                            .model = random_base,
                            .rounds = {.count = 5, .least_seconds = 0.2},
                            .further = 32,
                            .side = 8192,
                            .copied = (size_t)2 << 30,
                            .profiled = -1};
}

static void make_tiny(struct setting *setting)
{
    setting->tiny = true;
    setting->sentences = 2;
    setting->words = 2;
    setting->checked = 2;
    setting->model =
        (struct random_size){.d = 32, .ffn = 64, .layers = 1, .heads = 2, .pieces = 100};
    setting->rounds = (struct rounds){.count = 1};
    setting->further = 1;
    setting->side = 64;
    setting->copied = (size_t)64 << 10;
}

static int number_of(const char *option, const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (*end || end == text || value < 0 || value > 1000000)
        gpu_die_of("--%s %s: expected a number up to 1000000", option, text);
    return (int)value;
}

static int precision_of(const char *name)
{
    for (int i = PRECISION_FP32; i <= PRECISION_BF16; i++)
        if (strcmp(name, gpu_precisions[i]) == 0)
            return i;
    gpu_die_of("--profile %s: expected fp32, tf32 or bf16", name);
}

static struct setting read_setting(int count, char **arguments)
{
    static const struct option options[] = {
        {"plugin", required_argument, NULL, 'p'},    {"device", required_argument, NULL, 'd'},
        {"sentences", required_argument, NULL, 's'}, {"words", required_argument, NULL, 'w'},
        {"table", required_argument, NULL, 'o'},     {"tiny", no_argument, NULL, 't'},
        {"count", no_argument, NULL, 'c'},           {"shortcuts", no_argument, NULL, 'g'},
        {"profile", required_argument, NULL, 'f'},   {0}};
    struct setting setting = base_setting();
    int option, index = 0;
    while ((option = getopt_long(count, arguments, "", options, &index)) != -1)
        switch (option) {
        case 'p':
            setting.plugin = optarg;
            break;
        case 'o':
            setting.table = optarg;
            break;
        case 'd':
            setting.ordinal = number_of("device", optarg);
            break;
        case 's':
            setting.sentences = number_of("sentences", optarg);
            break;
        case 'w':
            setting.words = number_of("words", optarg);
            break;
        case 't':
            make_tiny(&setting);
            break;
        case 'c':
            setting.count = true;
            break;
        case 'g':
            setting.shortcuts = true;
            break;
        case 'f':
            setting.profiled = precision_of(optarg);
            break;
        default:
            exit(2);
        }
    if (optind != count || setting.sentences < 1 || setting.words < 1 || setting.words > 200)
        gpu_die_of("expected options alone, 1 sentence or more and 1 to 200 words");
    if (setting.checked > setting.sentences)
        setting.checked = setting.sentences;
    return setting;
}

static struct sentence *draw_sentences(const struct setting *setting,
                                       const struct checkpoint *checkpoint)
{
    struct status status;
    struct sentence *sentences = memory_new((size_t)setting->sentences, sizeof *sentences, &status);
    for (int i = 0; sentences && i < setting->sentences; i++) {
        char *text = random_sentence(&setting->model, setting->words, (unsigned)i, &status);
        if (!text || !sentence_encode(checkpoint, text, &sentences[i], &status))
            gpu_die(&status);
        free(text);
    }
    if (!sentences)
        gpu_die(&status);
    return sentences;
}

static void print_device(const struct gpu_bench *bench)
{
    struct device_info info;
    bench->backend->info(bench->device, &info);
    printf("%s: %s, CUDA %s, %.1f of %.1f GiB free, %.0f MB held\n",
           gpu_precisions[bench->precision], info.name, info.driver,
           (double)info.memory_free / (1 << 30), (double)info.memory_total / (1 << 30),
           1e-6 * (double)info.memory_used);
}

static struct gpu_bench bench_of(const struct setting *setting, enum precision precision,
                                 const struct checkpoint *checkpoint,
                                 const struct sentence *sentences)
{
    struct gpu_bench bench = {.precision = precision,
                              .options = search_defaults(checkpoint->config),
                              .sentences = sentences,
                              .count = setting->sentences,
                              .rounds = setting->rounds,
                              .further = setting->further};
    bench.options.beam = BEAM;
    return bench;
}

/* Few and short rounds, because there are many lists of shortcuts. All of them apply in bf16. */
static void bench_shortcuts(const struct setting *setting, const struct checkpoint *checkpoint,
                            const struct sentence *sentences)
{
    const struct gpu_shortcuts shortcuts = gpu_shortcuts_find(setting->plugin);
    for (int precision = setting->tiny ? PRECISION_BF16 : PRECISION_TF32;
         precision <= PRECISION_BF16; precision++) {
        struct gpu_bench bench =
            bench_of(setting, (enum precision)precision, checkpoint, sentences);
        bench.rounds.count = bench.rounds.count < 3 ? bench.rounds.count : 3;
        bench.rounds.least_seconds /= 4;
        gpu_shortcuts_run(&shortcuts, &bench, setting->ordinal, checkpoint);
    }
}

static struct gpu_bench open_bench(const struct setting *setting, const struct backend *backend,
                                   enum precision precision, const struct checkpoint *checkpoint,
                                   const struct sentence *sentences)
{
    struct status status;
    struct gpu_bench bench = bench_of(setting, precision, checkpoint, sentences);
    bench.backend = backend;
    bench.device = backend->open(
        &(struct device_spec){.ordinal = setting->ordinal, .precision = precision}, &status);
    if (!bench.device)
        gpu_die(&status);
    bench.model = model_open(checkpoint, backend, bench.device, &status);
    if (!bench.model)
        gpu_die(&status);
    print_device(&bench);
    return bench;
}

static void bench_profile(const struct setting *setting, const struct backend *backend,
                          const struct checkpoint *checkpoint, const struct sentence *sentences)
{
    struct gpu_bench bench =
        open_bench(setting, backend, (enum precision)setting->profiled, checkpoint, sentences);
    struct search_job *jobs = gpu_jobs_new(bench.count);
    gpu_search(&bench, jobs, bench.count, bench.count);
    gpu_jobs_free(jobs, bench.count);
    model_close(bench.model);
    backend->close(bench.device);
}

static void bench_precision(const struct setting *setting, const struct backend *backend,
                            enum precision precision, const struct checkpoint *checkpoint,
                            const struct sentence *sentences, const struct gpu_truth *truth,
                            FILE *table)
{
    struct gpu_bench bench = open_bench(setting, backend, precision, checkpoint, sentences);
    gpu_check(&bench, truth);
    struct gpu_ceilings ceilings = gpu_ceilings(&bench, setting->side, setting->copied);
    gpu_runs(&bench, &ceilings, table);
    model_close(bench.model);
    backend->close(bench.device);
}

/* Returns NULL if no table is asked for. */
static FILE *open_table(const struct setting *setting)
{
    FILE *table = setting->table ? fopen(setting->table, "w") : NULL;
    if (setting->table && !table)
        gpu_die_of("%s: cannot write: %s", setting->table, strerror(errno));
    if (table)
        setvbuf(table, NULL, _IOLBF, 0); // keeps the results if the program is stopped
    if (table)
        fprintf(table, "# sentences %d words %d beam %d\n", setting->sentences, setting->words,
                BEAM);
    return table;
}

static void bench_precisions(const struct setting *setting, const struct backend *backend,
                             const struct checkpoint *checkpoint, const struct sentence *sentences)
{
    struct gpu_truth *truth = gpu_truth_open(checkpoint, sentences, setting->checked);
    FILE *table = open_table(setting);
    for (int precision = PRECISION_FP32; precision <= PRECISION_BF16; precision++)
        bench_precision(setting, backend, (enum precision)precision, checkpoint, sentences, truth,
                        table);
    if (table && fclose(table) != 0)
        gpu_die_of("%s: cannot write: %s", setting->table, strerror(errno));
    gpu_truth_close(truth);
}

static void print_title(const struct setting *setting, const struct checkpoint *checkpoint)
{
    const struct random_size *size = &setting->model;
    printf("Random model: d %d, ffn %d, %d+%d layers, %d heads, %d pieces, %.1f M parameters.\n"
           "Beam %d; sentences of %d words. Median of %d rounds after one to warm up (least to "
           "most).\n"
           "Products: those of the library through `linear` (in bf16 with the rounding of x before "
           "them). "
           "Floor: every\nmatrix read once a pass at the best rate measured for memory, or "
           "multiplied with "
           "every row at the rate\nof the large product, whichever takes longer; what fits in the "
           "caches "
           "may beat it.\n\n",
           size->d, size->ffn, size->layers, size->layers, size->heads, size->pieces,
           1e-6 * (double)checkpoint->parameters, BEAM, setting->words, setting->rounds.count);
}

int main(int count, char **arguments)
{
    struct status status;
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct setting setting = read_setting(count, arguments);
    if (setting.count)
        return gpu_count(setting.plugin, setting.tiny);
    const struct backend *backend = backend_load(setting.plugin, &status);
    struct checkpoint *checkpoint = backend ? random_model_open(&setting.model, &status) : NULL;
    if (!checkpoint)
        gpu_die(&status);
    struct sentence *sentences = draw_sentences(&setting, checkpoint);
    print_title(&setting, checkpoint);
    if (setting.profiled >= 0)
        bench_profile(&setting, backend, checkpoint, sentences);
    else if (setting.shortcuts)
        bench_shortcuts(&setting, checkpoint, sentences);
    else
        bench_precisions(&setting, backend, checkpoint, sentences);
    for (int i = 0; i < setting.sentences; i++)
        sentence_free(&sentences[i]);
    free(sentences);
    checkpoint_close(checkpoint);
    return !gpu_all_right();
}
