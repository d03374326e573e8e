/* How much contrastive scoring gains when candidates share the encoding of their source and the
 * tokens they begin with.
 *
 * Usage: bench_contrast [MODEL...]     (default: samples/en-de.bin and a random base-size model)
 *
 * Candidates are a reference and copies of it with one token replaced, at varying places. The
 * scores with and without sharing are compared bit by bit before anything is timed. The two are
 * timed in turns, and the median of the ratios is printed: a neighbour on the machine slows down
 * both runs of a pair.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/net/force.h"
#include "model/net/sentence.h"
#include "tests/bench/random_model.h"

enum { SOURCES = 16, CANDIDATES_MOST = 8, JOBS_MOST = SOURCES * CANDIDATES_MOST, ROUNDS = 7 };

static const char sample[] = "samples/en-de.bin";
static const char *const sentence_files[] = {"samples/sentences.en", "samples/sentences.de"};

struct bench {
    struct checkpoint *checkpoint;
    struct model *model;
    struct sentence sources[SOURCES];  // for all candidates
    struct sentence copies[JOBS_MOST]; // one for each, of what the sources own
    int *references[SOURCES], lengths[SOURCES];
    int *targets[JOBS_MOST];
    float *logprobs[2][JOBS_MOST];
    struct score_job jobs[2][JOBS_MOST]; // without sharing, with it
    int count;
};

static void die(const char *message)
{
    fprintf(stderr, "bench_contrast: %s\n", message);
    exit(1);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void encode_pair(struct bench *bench, int number, const char *source, const char *reference)
{
    struct status status;
    if (!sentence_encode(bench->checkpoint, source, &bench->sources[number], &status))
        die(status.message);
    bench->lengths[number] =
        target_encode(bench->checkpoint, reference, &bench->references[number], &status);
    if (bench->lengths[number] < 0)
        die(status.message);
}

static void read_line(FILE *file, char line[1000])
{
    if (!file || !fgets(line, 1000, file))
        die("samples/sentences.en, samples/sentences.de: expected more lines");
    line[strcspn(line, "\n")] = 0;
}

static void read_pairs(struct bench *bench)
{
    char source[1000], reference[1000];
    FILE *sources = fopen(sentence_files[0], "r"), *references = fopen(sentence_files[1], "r");
    for (int i = 0; i < SOURCES; i++) {
        read_line(sources, source);
        read_line(references, reference);
        encode_pair(bench, i, source, reference);
    }
    fclose(sources);
    fclose(references);
}

static void draw_pairs(struct bench *bench)
{
    struct status status;
    for (int i = 0; i < SOURCES; i++) {
        int length = 10 + i * 7 % 21;
        char *source = random_sentence(&random_base, length, (unsigned)i, &status);
        char *reference = random_sentence(&random_base, length, (unsigned)i + SOURCES, &status);
        if (!source || !reference)
            die(status.message);
        encode_pair(bench, i, source, reference);
        free(source);
        free(reference);
    }
}

/* The wrong token is at 1/16, 3/16, 5/16 … of the sentence, in turns. */
static int *make_target(const struct bench *bench, int number, int candidate)
{
    int size = vocabulary_size(bench->checkpoint->vocabulary[SIDE_TARGET]);
    int count = bench->lengths[number], eighth = (number * 5 + candidate * 3) % 8;
    int *ids = malloc((size_t)count * sizeof *ids);
    if (!ids)
        die("out of memory");
    memcpy(ids, bench->references[number], (size_t)count * sizeof *ids);
    if (candidate > 0) {
        int *error = &ids[(2 * eighth + 1) * (count - 1) / 16];
        *error = (*error + 7 * candidate) % size;
    }
    return ids;
}

static void add_job(struct bench *bench, int source, int candidate)
{
    int tokens = bench->lengths[source];
    int job = bench->count++;
    bench->targets[job] = make_target(bench, source, candidate);
    bench->copies[job] = bench->sources[source];
    for (int shared = 0; shared < 2; shared++) {
        bench->logprobs[shared][job] = calloc((size_t)tokens, sizeof(float));
        if (!bench->logprobs[shared][job])
            die("out of memory");
        bench->jobs[shared][job] =
            (struct score_job){shared ? &bench->sources[source] : &bench->copies[job],
                               bench->targets[job], tokens, NULL, bench->logprobs[shared][job]};
    }
}

static void open_jobs(struct bench *bench, int candidates)
{
    for (int i = 0; i < SOURCES; i++)
        for (int c = 0; c < candidates; c++)
            add_job(bench, i, c);
}

static void close_jobs(struct bench *bench)
{
    for (; bench->count > 0; bench->count--) {
        int job = bench->count - 1;
        free(bench->targets[job]);
        free(bench->logprobs[0][job]);
        free(bench->logprobs[1][job]);
    }
}

static double run(struct bench *bench, int shared)
{
    struct status status;
    double begin = now();
    if (!score_run(bench->model, bench->jobs[shared], bench->count, 64, &status))
        die(status.message);
    return now() - begin;
}

static void check(struct bench *bench)
{
    run(bench, 0);
    run(bench, 1);
    for (int i = 0; i < bench->count; i++)
        if (memcmp(bench->logprobs[0][i], bench->logprobs[1][i],
                   (size_t)bench->jobs[0][i].count * sizeof(float)) != 0)
            die("sharing gives other bits");
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void time_candidates(struct bench *bench, int candidates)
{
    double seconds[2] = {0}, ratios[ROUNDS];
    open_jobs(bench, candidates);
    check(bench);
    for (int i = 0; i < ROUNDS; i++) {
        double apart = run(bench, 0), together = run(bench, 1);
        ratios[i] = apart / together;
        seconds[0] += apart / ROUNDS;
        seconds[1] += together / ROUNDS;
    }
    qsort(ratios, ROUNDS, sizeof *ratios, by_value);
    printf(
        "  %d candidates a source: %8.1f ms without sharing, %8.1f ms with it: %.2f times as fast "
        "(%.2f to %.2f)\n",
        candidates, 1e3 * seconds[0], 1e3 * seconds[1], ratios[ROUNDS / 2], ratios[0],
        ratios[ROUNDS - 1]);
    close_jobs(bench);
}

/* Takes ownership of the checkpoint. */
static void bench_contrast(const char *title, struct checkpoint *checkpoint,
                           void (*fill)(struct bench *), struct device *device)
{
    struct status status;
    static struct bench bench;
    if (!checkpoint)
        die("no model");
    bench = (struct bench){.checkpoint = checkpoint};
    bench.model = model_open(checkpoint, &cpu_backend, device, &status);
    if (!bench.model)
        die(status.message);
    fill(&bench);
    printf("%s\n", title);
    for (int candidates = 2; candidates <= CANDIDATES_MOST; candidates *= 2)
        time_candidates(&bench, candidates);
    for (int i = 0; i < SOURCES; i++) {
        sentence_free(&bench.sources[i]);
        free(bench.references[i]);
    }
    model_close(bench.model);
    checkpoint_close(checkpoint);
}

int main(int count, char **arguments)
{
    struct status status;
    setvbuf(stdout, NULL, _IOLBF, 0);
    struct device *device = cpu_backend.open(&(struct device_spec){0}, &status);
    if (!device)
        die(status.message);
    for (int i = 1; i < count; i++)
        bench_contrast(arguments[i], checkpoint_open(arguments[i], &status), read_pairs, device);
    if (count == 1) {
        bench_contrast(sample, checkpoint_open(sample, &status), read_pairs, device);
        bench_contrast("random base model", random_model_open(&random_base, &status), draw_pairs,
                       device);
    }
    cpu_backend.close(device);
    return 0;
}
