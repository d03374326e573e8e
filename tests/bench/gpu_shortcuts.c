#include "tests/bench/gpu_shortcuts.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/loader.h"
#include "tests/bench/gpu_runs.h"

struct gpu_shortcuts gpu_shortcuts_find(const char *path)
{
    struct status status;
    struct gpu_shortcuts shortcuts = {.backend = backend_load(path, &status)};
    if (!shortcuts.backend)
        gpu_die(&status);
    shortcuts.plugin = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    if (shortcuts.plugin)
        shortcuts.table = dlsym(shortcuts.plugin, "attnscope_shortcuts");
    if (!shortcuts.table)
        gpu_die_of("expected --plugin with the path of a plug-in that has shortcuts");
    return shortcuts;
}

void gpu_shortcuts_open(struct gpu_bench *bench, int ordinal, const struct checkpoint *checkpoint,
                        const char *list)
{
    struct status status;
    if (list ? setenv("ATTNSCOPE_CUDA", list, 1) : unsetenv("ATTNSCOPE_CUDA"))
        gpu_die_of("no memory");
    bench->device = bench->backend->open(
        &(struct device_spec){.ordinal = ordinal, .precision = bench->precision}, &status);
    bench->model =
        bench->device ? model_open(checkpoint, bench->backend, bench->device, &status) : NULL;
    if (!bench->model)
        gpu_die(&status);
}

void gpu_shortcuts_close(struct gpu_bench *bench)
{
    model_close(bench->model);
    bench->backend->close(bench->device);
}

void gpu_shortcut_turned(const struct shortcut_entry *shortcut, char text[GPU_SHORTCUT_ROOM])
{
    snprintf(text, GPU_SHORTCUT_ROOM, "%s%s", shortcut->usual ? "-" : "", shortcut->name);
}

/* Results with one list of shortcuts. */
struct measured {
    double step, tokens; // seconds of an additional step of one sentence; all sentences' a second
    struct search_job *jobs;
};

static struct measured measure(const struct gpu_bench *bench)
{
    struct status status;
    struct gpu_bench longer = *bench;
    struct measured measured = {
        .jobs = memory_new((size_t)bench->count, sizeof *measured.jobs, &status)};
    if (!measured.jobs)
        gpu_die(&status);
    longer.options.plus += bench->further;
    const struct timing slow = gpu_time_search(&longer, measured.jobs, 1),
                        one = gpu_time_search(bench, measured.jobs, 1),
                        all = gpu_time_search(bench, measured.jobs, bench->count);
    measured.step = (slow.median - one.median) / bench->further;
    measured.tokens = bench->count * gpu_steps_of(measured.jobs) / all.median;
    return measured;
}

static void measured_free(struct measured *measured, int count)
{
    for (int i = 0; i < count; i++)
        translation_free(&measured->jobs[i].result);
    free(measured->jobs);
}

static bool same_best(const struct search_job *a, const struct search_job *b)
{
    const struct hypothesis *x = &a->result.hypotheses[0], *y = &b->result.hypotheses[0];
    return x->count == y->count && memcmp(x->ids, y->ids, (size_t)x->count * sizeof *x->ids) == 0;
}

static void print_measured(const char *list, const struct measured *measured,
                           const struct measured *usual, int count)
{
    int others = 0;
    for (int i = 0; i < count; i++)
        others += !same_best(&measured->jobs[i], &usual->jobs[i]);
    printf("  %-22s %8.4f ms %+6.1f%%  %9.0f tokens/s %+6.1f%%  %6d\n", list, 1e3 * measured->step,
           100 * (measured->step / usual->step - 1), measured->tokens,
           100 * (measured->tokens / usual->tokens - 1), others);
}

static void run_list(struct gpu_bench *bench, int ordinal, const struct checkpoint *checkpoint,
                     const char *list, const struct measured *usual)
{
    gpu_shortcuts_open(bench, ordinal, checkpoint, list);
    struct measured measured = measure(bench);
    print_measured(list ? list : "usual, again", &measured, usual, bench->count);
    measured_free(&measured, bench->count);
    gpu_shortcuts_close(bench);
}

void gpu_shortcuts_run(const struct gpu_shortcuts *shortcuts, const struct gpu_bench *bench,
                       int ordinal, const struct checkpoint *checkpoint)
{
    struct gpu_bench one = *bench;
    one.backend = shortcuts->backend;
    printf("%s: a step of one sentence; %d sentences at once; sentences translated otherwise\n",
           gpu_precisions[one.precision], one.count);
    gpu_shortcuts_open(&one, ordinal, checkpoint, NULL);
    struct measured usual = measure(&one);
    print_measured("usual", &usual, &usual, one.count);
    gpu_shortcuts_close(&one);
    run_list(&one, ordinal, checkpoint, "none", &usual);
    for (const struct shortcut_entry *entry = shortcuts->table; entry->name; entry++) {
        char list[GPU_SHORTCUT_ROOM];
        gpu_shortcut_turned(entry, list);
        run_list(&one, ordinal, checkpoint, list, &usual);
    }
    run_list(&one, ordinal, checkpoint, "-graphs", &usual);
    run_list(&one, ordinal, checkpoint, NULL, &usual); // shows how far two equal runs are apart
    measured_free(&usual, one.count);
    putchar('\n');
}
