#include "tests/bench/gpu_runs.h"

#include <stdarg.h>
#include <stdlib.h>

#include "tests/bench/model_floor.h"

const char *const gpu_precisions[] = {
    [PRECISION_FP32] = "fp32", [PRECISION_TF32] = "tf32", [PRECISION_BF16] = "bf16"};

int gpu_weight_bytes(enum precision precision)
{
    return precision == PRECISION_BF16 ? 2 : 4;
}

void gpu_die(const struct status *status)
{
    gpu_die_of("%s", status->message);
}

void gpu_die_of(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("bench_gpu: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(1);
}

static int wrongs;

void gpu_wrong(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fputs("WRONG: ", stdout);
    vprintf(format, list);
    putchar('\n');
    va_end(list);
    wrongs++;
}

bool gpu_all_right(void)
{
    return wrongs == 0;
}

void gpu_wait(const struct gpu_bench *bench)
{
    struct status status;
    if (!bench->backend->check(bench->device, &status))
        gpu_die(&status);
}

struct search_job *gpu_jobs_new(int count)
{
    struct status status;
    struct search_job *jobs = memory_new((size_t)count, sizeof *jobs, &status);
    if (!jobs)
        gpu_die(&status);
    return jobs;
}

void gpu_jobs_free(struct search_job *jobs, int count)
{
    for (int i = 0; i < count; i++)
        translation_free(&jobs[i].result);
    free(jobs);
}

void gpu_search(const struct gpu_bench *bench, struct search_job *jobs, int count, int batch)
{
    struct status status;
    struct search_options options = bench->options;
    options.batch = batch;
    for (int i = 0; i < count; i++) {
        translation_free(&jobs[i].result);
        jobs[i].source = &bench->sentences[i];
    }
    if (!search_run(bench->model, jobs, count, &options, NULL, &status))
        gpu_die(&status);
}

/* Searches --------------------------------------------------------------------------------------*/

struct search {
    const struct gpu_bench *bench;
    struct search_job *jobs;
    int count;
};

static void run_search(void *context)
{
    const struct search *search = context;
    gpu_search(search->bench, search->jobs, search->count, search->count);
}

struct timing gpu_time_search(const struct gpu_bench *bench, struct search_job *jobs, int count)
{
    struct search search = {bench, jobs, count};
    return rounds_time(&bench->rounds, run_search, &search);
}

int gpu_steps_of(const struct search_job *jobs)
{
    return jobs[0].result.hypotheses[0].count;
}

/* Returns the least time in seconds that the machine needs for `count` sentences side by side. */
static double floor_of(const struct gpu_bench *bench, const struct gpu_ceilings *ceilings,
                       const struct search_job *jobs, int count)
{
    struct model_work work = model_work_of(model_checkpoint(bench->model));
    const struct peak peak = {.flops = ceilings->flops, .bandwidth = ceilings->bandwidth};
    const int steps = gpu_steps_of(jobs);
    struct rows_done done = {.passes = 1, .target_steps = steps};
    for (int i = 0; i < count; i++) {
        done.source_rows += bench->sentences[i].count;
        done.target_rows += 1 + (double)(steps - 1) * bench->options.beam;
    }
    work.source_bytes = work.source_products * gpu_weight_bytes(bench->precision);
    work.target_bytes = work.target_products * gpu_weight_bytes(bench->precision);
    return floor_seconds(&work, &done, &peak);
}

static void print_launches(const struct gpu_bench *bench, struct search_job *jobs)
{
    struct device_info before, after;
    bench->backend->info(bench->device, &before);
    gpu_search(bench, jobs, 1, 1);
    bench->backend->info(bench->device, &after);
    printf("  launches for that sentence       %zu outside recorded scopes, %zu replays\n",
           after.launches - before.launches, after.replays - before.replays);
}

/* Measures and prints one sentence by itself; returns its time. A longer search shows what a step
 * costs without the encoder and other work that is done once. */
static struct timing run_one(const struct gpu_bench *bench, const struct gpu_ceilings *ceilings,
                             struct search_job *jobs)
{
    struct gpu_bench longer = *bench;
    longer.options.plus += bench->further;
    struct timing slow = gpu_time_search(&longer, jobs, 1);
    struct timing timing = gpu_time_search(bench, jobs, 1);
    const int steps = gpu_steps_of(jobs);
    const double least = floor_of(bench, ceilings, jobs, 1);
    printf("  one sentence                     %.3f ms a step (%.3f to %.3f), all of %.2f ms over "
           "%d steps;\n"
           "                                   floor %.3f ms a step: %.0f%% reached; %.3f ms for "
           "each further step\n",
           1e3 * timing.median / steps, 1e3 * timing.least / steps, 1e3 * timing.most / steps,
           1e3 * timing.median, steps, 1e3 * least / steps, 100 * least / timing.median,
           1e3 * (slow.median - timing.median) / bench->further);
    print_launches(bench, jobs);
    return timing;
}

static struct timing run_all(const struct gpu_bench *bench, const struct gpu_ceilings *ceilings,
                             struct search_job *jobs)
{
    struct timing timing = gpu_time_search(bench, jobs, bench->count);
    const double tokens = (double)bench->count * gpu_steps_of(jobs);
    const double least = floor_of(bench, ceilings, jobs, bench->count);
    printf(
        "  %4d sentences at once           %.0f tokens/s (%.0f to %.0f), %.1f ms; floor %.1f ms: "
        "%.0f%% reached\n",
        bench->count, tokens / timing.median, tokens / timing.most, tokens / timing.least,
        1e3 * timing.median, 1e3 * least, 100 * least / timing.median);
    return timing;
}

/* Gains -----------------------------------------------------------------------------------------*/

static struct head_settings *one_head_off(const struct gpu_bench *bench, int number)
{
    struct status status;
    struct head_settings *head_settings =
        head_settings_copy(model_head_settings(bench->model), &status);
    if (!head_settings)
        gpu_die(&status);
    const int heads = head_settings->count[MODULE_ENCODER],
              layers = head_settings->layers[MODULE_ENCODER];
    *head_settings_gain(head_settings, MODULE_ENCODER, number / heads % layers, number % heads) = 0;
    return head_settings;
}

/* Searches with a different head off in every sentence, as an ablation of the encoder does. */
static void run_gains(const struct gpu_bench *bench, struct search_job *jobs, int count,
                      const struct timing *plain)
{
    const struct config *config = model_checkpoint(bench->model)->config;
    const int variants =
        module_layers(config, MODULE_ENCODER) * module_heads(config, MODULE_ENCODER);
    struct status status;
    struct head_settings **head_settings =
        memory_new((size_t)variants, sizeof *head_settings, &status);
    if (!head_settings)
        gpu_die(&status);
    for (int i = 0; i < variants; i++)
        head_settings[i] = one_head_off(bench, i);
    for (int i = 0; i < count; i++)
        jobs[i].head_settings = head_settings[i % variants];
    struct timing timing = gpu_time_search(bench, jobs, count);
    printf("  a head off in each of %4d       %.2f ms (%.2f to %.2f), %+.1f%%; variants: %d\n",
           count, 1e3 * timing.median, 1e3 * timing.least, 1e3 * timing.most,
           100 * (timing.median / plain->median - 1), count < variants ? count : variants);
    for (int i = 0; i < count; i++)
        jobs[i].head_settings = NULL;
    for (int i = 0; i < variants; i++)
        head_settings_free(head_settings[i]);
    free(head_settings);
}

/* Capture ---------------------------------------------------------------------------------------*/

struct forced {
    const struct gpu_bench *bench;
    const struct hypothesis *target;
    struct capture_request request;
};

static void run_forced(void *context)
{
    const struct forced *forced = context;
    struct capture capture;
    struct status status;
    if (!force_run(forced->bench->model, &forced->bench->sentences[0], forced->target->ids,
                   forced->target->count, NULL, &forced->request, &capture, &status))
        gpu_die(&status);
    capture_free(&capture);
}

/* Times the forced pass of one sentence, without captured weights and with all of them. */
static void run_capture(const struct gpu_bench *bench, const struct search_job *job)
{
    const struct config *config = model_checkpoint(bench->model)->config;
    struct forced forced = {.bench = bench, .target = &job->result.hypotheses[0]};
    struct timing plain = rounds_time(&bench->rounds, run_forced, &forced);
    struct status status;
    int matrices = 0;
    bool *wanted[MODULE_COUNT];
    for (int module = 0; module < MODULE_COUNT; module++) {
        const int count = module_layers(config, module) * module_heads(config, module);
        wanted[module] = memory_new((size_t)count, sizeof *wanted[module], &status);
        if (!wanted[module])
            gpu_die(&status);
        for (int i = 0; i < count; i++)
            wanted[module][i] = true;
        forced.request.weights[module] = wanted[module];
        matrices += count;
    }
    struct timing all = rounds_time(&bench->rounds, run_forced, &forced);
    printf("  forced pass of one sentence      %.3f ms (%.3f to %.3f); with all %d matrices of "
           "weights "
           "%.3f ms (%.3f to %.3f), %+.1f%%\n",
           1e3 * plain.median, 1e3 * plain.least, 1e3 * plain.most, matrices, 1e3 * all.median,
           1e3 * all.least, 1e3 * all.most, 100 * (all.median / plain.median - 1));
    for (int module = 0; module < MODULE_COUNT; module++)
        free(wanted[module]);
}

void gpu_runs(const struct gpu_bench *bench, const struct gpu_ceilings *ceilings, FILE *table)
{
    struct status status;
    struct search_job *jobs = memory_new((size_t)bench->count, sizeof *jobs, &status);
    if (!jobs)
        gpu_die(&status);
    struct timing one = run_one(bench, ceilings, jobs);
    struct timing all = run_all(bench, ceilings, jobs);
    const int steps = gpu_steps_of(jobs);
    if (table)
        fprintf(table, "%s\t%.6g\t%.6g\n", gpu_precisions[bench->precision],
                1e3 * one.median / steps, bench->count * steps / all.median);
    run_capture(bench, &jobs[0]);
    run_gains(bench, jobs, 1, &one);
    run_gains(bench, jobs, bench->count, &all);
    for (int i = 0; i < bench->count; i++)
        translation_free(&jobs[i].result);
    free(jobs);
    putchar('\n');
}
