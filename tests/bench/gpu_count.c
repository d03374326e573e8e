/* Counts what the emulated driver is given, not what the plug-in reports about itself. The cost of
 * a step is the difference between a longer and a shorter search, divided by the number of
 * additional steps. */
#include "tests/bench/gpu_count.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/bench/gpu_shortcuts.h"
#include "tests/bench/random_model.h"
#include "tests/cuda_emulator/emulator.h"

/* With one word searches are short. The loads of attention are counted with more words. */
enum { BEAM = 5, FURTHER = 2, WORDS = 1, WORDS_LOADED = 8, MANY = 2 };

/* The most nodes a step may have with 6 layers; `many` in fp32 and tf32. */
enum { NODES_FEW = 54, NODES_MANY = 90 };

/* Six layers as the base model has; their sizes do not matter here. */
static const struct random_size size = {
    .d = 32, .ffn = 64, .layers = 6, .heads = 2, .pieces = 100, .plus = 2};

struct counting {
    struct gpu_shortcuts shortcuts;
    const struct checkpoint *checkpoint;
    void (*get)(struct cudaemu_counts *counts);
    void (*reset)(void);
    bool loads; // count the loads of attention, too
    bool brief; // leave out the single shortcuts
    struct sentence sentences[MANY];
};

static void find_emulator(const char *path, struct counting *counting)
{
    int (*count_loads)(const char *kernels);
    counting->shortcuts = gpu_shortcuts_find(path);
    *(void **)&counting->get = dlsym(counting->shortcuts.plugin, "cudaemu_get_counts");
    *(void **)&counting->reset = dlsym(counting->shortcuts.plugin, "cudaemu_reset_counts");
    *(void **)&count_loads = dlsym(counting->shortcuts.plugin, "cudaemu_count_loads");
    if (!counting->get || !counting->reset || !count_loads)
        gpu_die_of("--count: expected --plugin with the path of the emulated GPU's");
    counting->loads = count_loads("attention");
}

static struct cudaemu_counts count_search(const struct counting *counting,
                                          const struct gpu_bench *bench, int sentences, int further)
{
    struct gpu_bench longer = *bench;
    struct search_job jobs[MANY] = {0};
    struct cudaemu_counts counts;
    longer.options.plus += further;
    counting->reset();
    gpu_search(&longer, jobs, sentences, sentences);
    counting->get(&counts);
    for (int i = 0; i < sentences; i++)
        translation_free(&jobs[i].result);
    return counts;
}

struct step_counts {
    double nodes, early, copies, bytes, waits;
    double warp_loads, block_loads; // bytes, by attention
};

/* Returns the counts of one step, averaged over the additional steps of a longer search. */
static struct step_counts count_step(const struct counting *counting, const struct gpu_bench *bench,
                                     int sentences)
{
    count_search(counting, bench, sentences, FURTHER); // allocates memory and records the steps
    const struct cudaemu_counts a = count_search(counting, bench, sentences, 0),
                                b = count_search(counting, bench, sentences, FURTHER);
    return (struct step_counts){(double)(b.kernels - a.kernels) / FURTHER,
                                (double)(b.early - a.early) / FURTHER,
                                (double)(b.copies - a.copies) / FURTHER,
                                (double)(b.read_bytes - a.read_bytes) / FURTHER,
                                (double)(b.waits - a.waits) / FURTHER,
                                (double)(b.warp_loads - a.warp_loads) / FURTHER,
                                (double)(b.block_loads - a.block_loads) / FURTHER};
}

/* Counts a forced pass that captures every matrix of attention weights. */
static struct cudaemu_counts count_attention(const struct counting *counting,
                                             const struct gpu_bench *bench)
{
    enum { ALL = 64 };
    const int target[] = {5, 6, 7, 8};
    bool wanted[ALL];
    struct capture_request request = {0};
    struct capture capture;
    struct cudaemu_counts counts;
    struct status status;
    memset(wanted, true, sizeof wanted);
    for (int module = 0; module < MODULE_COUNT; module++)
        request.weights[module] = wanted;
    counting->reset();
    if (!force_run(bench->model, &counting->sentences[0], target, sizeof target / sizeof *target,
                   NULL, &request, &capture, &status))
        gpu_die(&status);
    counting->get(&counts);
    capture_free(&capture);
    return counts;
}

/* Counts of a step with few rows and with many rows. */
struct counted {
    struct step_counts few, many;
};

static void print_loads(const struct counted *counted)
{
    printf("  %8.0f %8.0f  %8.0f %8.0f", counted->few.warp_loads, counted->few.block_loads,
           counted->many.warp_loads, counted->many.block_loads);
}

/* Counts and prints a line for the shortcuts in `list` (NULL: the usual ones). */
static struct counted count_with(const struct counting *counting, enum precision precision,
                                 const char *list)
{
    struct gpu_bench bench = {.backend = counting->shortcuts.backend,
                              .precision = precision,
                              .options = search_defaults(counting->checkpoint->config),
                              .sentences = counting->sentences,
                              .count = MANY};
    bench.options.beam = BEAM;
    gpu_shortcuts_open(&bench, 0, counting->checkpoint, list);
    const struct counted counted = {count_step(counting, &bench, 1),
                                    count_step(counting, &bench, MANY)};
    const struct step_counts few = counted.few, many = counted.many;
    const struct cudaemu_counts attention = count_attention(counting, &bench);
    printf("  %-18s %5.0f %5.0f %6.0f %5.0f %5.0f  %5.0f %5.0f %6.0f %5.0f %5.0f  %7zu %7zu %5zu",
           list ? list : "usual", few.nodes, few.early, few.copies, few.bytes, few.waits,
           many.nodes, many.early, many.copies, many.bytes, many.waits, attention.kernels,
           attention.read_bytes, attention.waits);
    if (counting->loads)
        print_loads(&counted);
    putchar('\n');
    gpu_shortcuts_close(&bench);
    return counted;
}

/* Returns false if a step has too many nodes, or loads no less than without any shortcut. */
static bool count_precision(const struct counting *counting, enum precision precision)
{
    printf("%s\n", gpu_precisions[precision]);
    const struct counted none = count_with(counting, precision, "none"),
                         usual = count_with(counting, precision, NULL);
    for (const struct shortcut_entry *entry = counting->shortcuts.table;
         !counting->brief && entry->name; entry++) {
        char list[GPU_SHORTCUT_ROOM];
        gpu_shortcut_turned(entry, list);
        count_with(counting, precision, list);
    }
    return usual.few.nodes <= NODES_FEW && usual.many.nodes <= NODES_MANY &&
           (!counting->loads || (usual.few.block_loads < none.few.block_loads &&
                                 usual.many.block_loads < none.many.block_loads));
}

static void print_title(const struct counting *counting)
{
    printf("Decoding steps of a model of %d layers, beam %d: nodes of the graph, those of them "
           "that may begin early, copies\nbesides, bytes read, waits; of few rows (%d) and of many "
           "(%d). And a forced pass of one sentence with all attention:\nkernels, bytes read, "
           "waits.",
           size.layers, BEAM, BEAM, MANY * BEAM);
    if (counting->loads)
        printf(" And what attention loads in a step of few rows, and of many: bytes of the 32-byte "
               "sectors\nthat the instructions of its warps touch, and of those that its blocks "
               "touch.");
    printf(
        "\n\n  %-18s %-31s %-31s %-21s%s\n"
        "  %-18s nodes early copies bytes waits  nodes early copies bytes waits  kernels   bytes "
        "waits%s\n",
        "", "few rows", "many rows", "attention",
        counting->loads ? "  loads, few rows    loads, many rows" : "", "shortcuts",
        counting->loads ? "     warps   blocks     warps   blocks" : "");
}

int gpu_count(const char *plugin, bool brief)
{
    struct counting counting = {.brief = brief};
    struct status status;
    bool within = true;
    find_emulator(plugin, &counting);
    struct checkpoint *checkpoint = random_model_open(&size, &status);
    if (!checkpoint)
        gpu_die(&status);
    counting.checkpoint = checkpoint;
    for (unsigned i = 0; i < MANY; i++) {
        char *text = random_sentence(&size, counting.loads ? WORDS_LOADED : WORDS, i, &status);
        if (!text || !sentence_encode(checkpoint, text, &counting.sentences[i], &status))
            gpu_die(&status);
        free(text);
    }
    print_title(&counting);
    // The plug-in treats tf32 like fp32.
    within &= count_precision(&counting, PRECISION_FP32);
    within &= count_precision(&counting, PRECISION_BF16);
    printf("\n%s: a step of few rows has at most %d nodes, one of many at most %d\n",
           within ? "as it should be" : "MORE than it should be", NODES_FEW, NODES_MANY);
    for (int i = 0; i < MANY; i++)
        sentence_free(&counting.sentences[i]);
    checkpoint_close(checkpoint);
    return !within;
}
