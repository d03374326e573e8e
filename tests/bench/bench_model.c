/* How fast whole models translate and score on the CPU, compared with what the machine allows.
 *
 * Usage: bench_model [MODEL...]     (default: samples/en-de.bin and a random base-size model)
 *
 * Results are checked before they are timed: a sentence must give the same ids and the same bits by
 * itself, in a batch and teacher-forced.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/net/force.h"
#include "model/search/search.h"
#include "tests/bench/random_model.h"
#include "tests/bench/shares.h"

enum { BATCH = 64, CHECKED = 6, ALONE = 16 };

static const char sample[] = "samples/en-de.bin";
static const char sentences_file[] = "tests/bench/sentences.txt";

struct bench {
    struct checkpoint *checkpoint;
    struct model *model;
    int threads;
    struct search_options options;
    struct sentence sentences[BATCH];
    struct search_job jobs[BATCH];
};

static void die(const struct status *status)
{
    fprintf(stderr, "bench_model: %s\n", status->message);
    exit(1);
}

static void die_of(const char *what, int sentence)
{
    fprintf(stderr, "bench_model: sentence %d: %s\n", sentence + 1, what);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Sentences. */

static void encode_line(struct bench *bench, int index, const char *text)
{
    struct status status;
    if (!sentence_encode(bench->checkpoint, text, &bench->sentences[index], &status))
        die(&status);
    bench->jobs[index].source = &bench->sentences[index];
}

static void read_sentences(struct bench *bench)
{
    char line[1000];
    FILE *file = fopen(sentences_file, "r");
    for (int i = 0; i < BATCH; i++) {
        if (!file || !fgets(line, sizeof line, file)) {
            fprintf(stderr, "bench_model: %s: expected %d lines\n", sentences_file, BATCH);
            exit(1);
        }
        line[strcspn(line, "\n")] = 0;
        encode_line(bench, i, line);
    }
    fclose(file);
}

static void draw_sentences(struct bench *bench)
{
    struct status status;
    for (int i = 0; i < BATCH; i++) {
        char *text = random_sentence(&random_base, 10 + i * 7 % 21, (unsigned)i, &status);
        if (!text)
            die(&status);
        encode_line(bench, i, text);
        free(text);
    }
}

/* Runs. */

static void forget_results(struct search_job *jobs)
{
    for (int i = 0; i < BATCH; i++)
        translation_free(&jobs[i].result);
}

/* Searches the first `count` sentences; returns the seconds it took. */
static double search(struct bench *bench, struct search_job *jobs, int count, int batch)
{
    struct status status;
    bench->options.batch = batch;
    forget_results(jobs);
    double begin = now();
    if (!search_run(bench->model, jobs, count, &bench->options, NULL, &status))
        die(&status);
    return now() - begin;
}

/* Scores the best hypothesis of every sentence; returns the seconds it took. jobs[i].logprobs must
 * be allocated. */
static double score(struct bench *bench, struct score_job *jobs, int batch)
{
    struct status status;
    double begin = now();
    if (!score_run(bench->model, jobs, BATCH, batch, &status))
        die(&status);
    return now() - begin;
}

static void open_score_jobs(const struct bench *bench, struct score_job *jobs)
{
    struct status status;
    for (int i = 0; i < BATCH; i++) {
        const struct hypothesis *best = &bench->jobs[i].result.hypotheses[0];
        jobs[i] =
            (struct score_job){.source = &bench->sentences[i],
                               .target = best->ids,
                               .count = best->count,
                               .logprobs = memory_new((size_t)best->count, sizeof(float), &status)};
        if (!jobs[i].logprobs)
            die(&status);
    }
}

static void close_score_jobs(struct score_job *jobs)
{
    for (int i = 0; i < BATCH; i++)
        free(jobs[i].logprobs);
}

/* Checks. */

static bool same_bits(const float *a, const float *b, int count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

static bool same_hypothesis(const struct hypothesis *a, const struct hypothesis *b)
{
    return a->count == b->count && memcmp(a->ids, b->ids, (size_t)a->count * sizeof *a->ids) == 0 &&
           same_bits(a->logprobs, b->logprobs, a->count) && a->score == b->score;
}

static bool same_translation(const struct translation *a, const struct translation *b)
{
    bool same = a->count == b->count && a->count > 0;
    for (int i = 0; same && i < a->count; i++)
        same = same_hypothesis(&a->hypotheses[i], &b->hypotheses[i]);
    return same;
}

static void check_results(struct bench *bench)
{
    struct search_job alone[BATCH] = {0};
    struct score_job scores[BATCH];
    for (int i = 0; i < BATCH; i++)
        alone[i].source = &bench->sentences[i];
    search(bench, bench->jobs, BATCH, BATCH);
    search(bench, alone, CHECKED, 1);
    for (int i = 0; i < CHECKED; i++)
        if (!same_translation(&alone[i].result, &bench->jobs[i].result))
            die_of("alone and in a batch differ", i);
    forget_results(alone);

    open_score_jobs(bench, scores);
    score(bench, scores, BATCH);
    for (int i = 0; i < BATCH; i++)
        if (!same_bits(scores[i].logprobs, bench->jobs[i].result.hypotheses[0].logprobs,
                       scores[i].count))
            die_of("search and forced pass differ", i);
    close_score_jobs(scores);
    printf("  checked: %d sentences alone and in a batch, %d searched and forced: the same bits\n",
           CHECKED, BATCH);
}

/* Returns the work of a search of the first `count` sentences: as many steps as the longest
 * hypothesis has tokens, with `beam` rows after the first step. */
static struct rows_done search_rows(const struct bench *bench, int count, int batch)
{
    struct rows_done done = {0};
    for (int i = 0; i < count; i++) {
        const struct translation *result = &bench->jobs[i].result;
        int steps = 0;
        for (int h = 0; h < result->count; h++)
            if (result->hypotheses[h].count > steps)
                steps = result->hypotheses[h].count;
        done.passes += 1.0 / batch;
        done.source_rows += bench->sentences[i].count;
        done.target_steps += (double)steps / batch;
        done.target_rows += 1 + (double)(steps - 1) * bench->options.beam;
    }
    return done;
}

static struct rows_done score_rows(const struct bench *bench, const struct score_job *jobs)
{
    struct rows_done done = {.passes = 1, .target_steps = 1};
    for (int i = 0; i < BATCH; i++) {
        done.source_rows += bench->sentences[i].count;
        done.target_rows += jobs[i].count;
    }
    return done;
}

static int best_tokens(const struct bench *bench, int count)
{
    int tokens = 0;
    for (int i = 0; i < count; i++)
        tokens += bench->jobs[i].result.hypotheses[0].count;
    return tokens;
}

/* Reports. */

struct workload {
    struct bench *bench;
    double (*run)(void *workload); // seconds
    int count, batch;
    struct score_job *jobs;
    struct rows_done done;
    double amount; // of units in a run
    const char *unit;
    char what[60];
};

static double run_search(void *context)
{
    const struct workload *workload = context;
    return search(workload->bench, workload->bench->jobs, workload->count, workload->batch);
}

static double run_score(void *context)
{
    const struct workload *workload = context;
    return score(workload->bench, workload->jobs, workload->batch);
}

static void print_share(const char *what, const struct workload *workload,
                        const struct share *share)
{
    printf("  %-18s %9.1f %s/s %9.1f ms, floor %7.1f ms (%.0f G/s, %.1f GB/s): %.0f%% reached",
           what, workload->amount / share->seconds, workload->unit, 1e3 * share->seconds,
           1e3 * share->floor, share->peak.flops / 2e9, share->peak.bandwidth / 1e9,
           100 * share_of(share));
}

/* Prints the median and the range. */
static void print_rounds(const char *what, const struct workload *workload,
                         const struct share rounds[SHARE_ROUNDS])
{
    print_share(what, workload, &rounds[SHARE_ROUNDS / 2]);
    printf(" (%.0f%% to %.0f%%)\n", 100 * share_of(&rounds[0]),
           100 * share_of(&rounds[SHARE_ROUNDS - 1]));
}

static void time_workload(struct workload *workload)
{
    struct status status;
    struct shares shares;
    const struct share_workload timed = {.run = workload->run,
                                         .context = workload,
                                         .work = model_work_of(workload->bench->checkpoint),
                                         .done = workload->done,
                                         .threads = workload->bench->threads};
    if (!shares_measure(&timed, &shares, &status))
        die(&status);
    print_rounds(workload->what, workload, shares.mean);
    print_rounds("  highest rates", workload, shares.highest);
    print_share("  at best", workload, &shares.best);
    printf("\n");
}

static void time_search(struct bench *bench, int count, int batch)
{
    struct workload workload = {
        .bench = bench, .unit = "tokens", .run = run_search, .count = count, .batch = batch};
    run_search(&workload);
    workload.amount = best_tokens(bench, count);
    workload.done = search_rows(bench, count, batch);
    snprintf(workload.what, sizeof workload.what, "beam %d, batch %d", bench->options.beam, batch);
    time_workload(&workload);
}

/* Scores the translations left by the last search of all sentences. */
static void time_score(struct bench *bench)
{
    struct score_job jobs[BATCH];
    open_score_jobs(bench, jobs);
    struct workload workload = {.bench = bench,
                                .what = "scoring, batch 64",
                                .unit = "pairs",
                                .run = run_score,
                                .batch = BATCH,
                                .jobs = jobs,
                                .amount = BATCH,
                                .done = score_rows(bench, jobs)};
    time_workload(&workload);
    close_score_jobs(jobs);
}

/* Returns the resident memory in MB, 0 if the system does not tell. */
static double resident_memory(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%*s %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1e6;
}

static struct checkpoint *open_checkpoint(const char *path)
{
    struct status status;
    struct checkpoint *checkpoint = checkpoint_open(path, &status);
    if (!checkpoint)
        die(&status);
    return checkpoint;
}

static struct checkpoint *open_random(void)
{
    struct status status;
    struct checkpoint *checkpoint = random_model_open(&random_base, &status);
    if (!checkpoint)
        die(&status);
    return checkpoint;
}

static void print_model(const char *title, const struct checkpoint *checkpoint)
{
    struct model_work work = model_work_of(checkpoint);
    printf("%s: %.1f M parameters; matrices of the encoder %.1f MB, of a decoding step %.1f MB\n",
           title, 1e-6 * (double)checkpoint->parameters, 1e-6 * work.source_bytes,
           1e-6 * work.target_bytes);
}

static void print_memory(struct device *device, double before)
{
    struct device_info info;
    cpu_backend.info(device, &info);
    printf("  memory: %.0f MB more resident than before, %.0f MB of it weights and tensors\n\n",
           resident_memory() - before, 1e-6 * (double)info.memory_used);
}

/* Takes ownership of the checkpoint. */
static void bench_model(const char *title, struct checkpoint *checkpoint,
                        void (*fill)(struct bench *bench), struct device *device)
{
    struct device_info info;
    cpu_backend.info(device, &info);
    struct bench bench = {.checkpoint = checkpoint, .threads = info.threads};
    struct status status;
    double before = resident_memory();
    bench.model = model_open(checkpoint, &cpu_backend, device, &status);
    if (!bench.model)
        die(&status);
    bench.options = search_defaults(checkpoint->config);
    bench.options.beam = 5;
    fill(&bench);

    print_model(title, checkpoint);
    check_results(&bench);
    time_search(&bench, ALONE, 1);
    time_search(&bench, BATCH, BATCH);
    time_score(&bench);
    print_memory(device, before);

    forget_results(bench.jobs);
    for (int i = 0; i < BATCH; i++)
        sentence_free(&bench.sentences[i]);
    model_close(bench.model);
    checkpoint_close(checkpoint);
}

int main(int count, char **arguments)
{
    struct status status;
    struct device_info info;
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct device *device = cpu_backend.open(&(struct device_spec){0}, &status);
    if (!device)
        die(&status);
    cpu_backend.info(device, &info);
    struct peak peak;
    if (!shares_peak(info.threads, &peak, &status))
        die(&status);
    printf("%s, %s, %d threads: %.0f G multiply-adds/s, reads %.1f GB/s (one thread: %.0f, %.1f)\n",
           info.name, info.instruction_set, info.threads, peak.flops / 2e9, peak.bandwidth / 1e9,
           peak.flops_core / 2e9, peak.bandwidth_core / 1e9);
    printf(
        "Floor: every matrix read once a pass at the machine's bandwidth, or multiplied with\n"
        "every row at its rate, whichever takes longer. A model that fits in the caches may beat\n"
        "the reading. Runs and measurements of both take turns. Shares are medians of %d rounds\n"
        "(least to most): the mean run of a round beside its mean rates; highest rates: beside\n"
        "its best millisecond. At best: the fastest run of all, beside the best one of all.\n\n",
        SHARE_ROUNDS);
    for (int i = 1; i < count; i++)
        bench_model(arguments[i], open_checkpoint(arguments[i]), read_sentences, device);
    if (count == 1) {
        bench_model(sample, open_checkpoint(sample), read_sentences, device);
        bench_model("random base model", open_random(), draw_sentences, device);
    }
    cpu_backend.close(device);
    return 0;
}
