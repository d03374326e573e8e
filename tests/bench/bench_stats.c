/* What `:stats SRC TGT` costs compared with forcing the same translations, and how much memory it
 * takes.
 *
 * Usage: bench_stats [MODEL [SRC TGT]]   (default: samples/en-de.bin samples/sentences.en
 * samples/sentences.de)
 *
 * Forcing is a pass for each sentence without captured attention; a second figure is for batches of
 * 64. The model has one thread and the statistics have another. The processor time of the slower
 * thread is compared, which is the elapsed time on two otherwise idle processors; the time of both
 * threads together is printed, too. All ways take turns over a few hundred sentences, many times,
 * and the least time of each counts: the one taken while nothing else disturbed its caches or
 * shared its core. The ratio of medians is printed as well. Memory is the peak resident memory
 * after statistics of the files, repeated to 10,000 sentences, minus the peak after opening the
 * model.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "model/study/sentences/head_stats_run.h"
#include "session/session.h"

enum { MANY = 10000, SENTENCES = 200, ROUNDS = 25, BATCH = 64, MOST_MEGABYTES = 20 };
#define MOST_RATIO 1.15

struct bench {
    struct session *session;
    char paths[2][64];
    struct lines lines[2]; // of the original files
    int sentences;         // in the files at the paths
};

static void die(const char *message)
{
    fprintf(stderr, "bench_stats: %s\n", message);
    exit(1);
}

/* Processor time in seconds, of all threads and of the calling thread. */
struct seconds {
    double all, own;
};

static double read_clock(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static struct seconds now(void)
{
    return (struct seconds){read_clock(CLOCK_PROCESS_CPUTIME_ID),
                            read_clock(CLOCK_THREAD_CPUTIME_ID)};
}

static struct seconds since(struct seconds begin)
{
    struct seconds end = now();
    return (struct seconds){end.all - begin.all, end.own - begin.own};
}

static double peak_megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* Writes files of `sentences` sentences each. */
static void write_files(struct bench *bench, int sentences)
{
    bench->sentences = sentences;
    for (int which = 0; which < 2; which++) {
        const struct lines *lines = &bench->lines[which];
        FILE *out = fopen(bench->paths[which], "w");
        for (int i = 0; out && i < sentences; i++)
            fprintf(out, "%s\n", lines->text[i % lines->count]);
        if (!out || fclose(out) != 0)
            die("no temporary file");
    }
}

static void make_paths(struct bench *bench)
{
    for (int which = 0; which < 2; which++) {
        snprintf(bench->paths[which], sizeof bench->paths[which], "/tmp/bench_stats.XXXXXX");
        int descriptor = mkstemp(bench->paths[which]);
        if (descriptor < 0)
            die("no temporary file");
        close(descriptor);
    }
}

static void encode(const struct bench *bench, int i, struct sentence *source, int **ids, int *count)
{
    const struct checkpoint *checkpoint = bench->session->loaded->checkpoint;
    struct status status;
    const char *const texts[] = {bench->lines[0].text[i % bench->lines[0].count],
                                 bench->lines[1].text[i % bench->lines[1].count]};
    if (!source_encode(checkpoint, &bench->session->state.search.languages, texts[0], source,
                       &status) ||
        (*count = target_encode(checkpoint, texts[1], ids, &status)) < 0)
        die(status.message);
}

static struct seconds time_forcing(const struct bench *bench)
{
    const struct state *state = &bench->session->state;
    const struct capture_request nothing = {0};
    struct sentence source = {0};
    struct seconds begin = now();
    for (int i = 0; i < SENTENCES; i++) {
        struct capture capture;
        struct status status;
        int *ids, count;
        encode(bench, i, &source, &ids, &count);
        if (!force_run(state->model, &source, ids, count, state->head_settings, &nothing, &capture,
                       &status))
            die(status.message);
        capture_free(&capture);
        free(ids);
    }
    sentence_free(&source);
    return since(begin);
}

static struct seconds time_batches(const struct bench *bench)
{
    const struct state *state = &bench->session->state;
    struct seconds begin = now();
    for (int first = 0; first < SENTENCES; first += BATCH) {
        struct sentence sources[BATCH] = {{.count = 0}};
        struct score_job jobs[BATCH] = {{.count = 0}};
        struct status status;
        int *ids[BATCH], count = 0;
        for (; count < BATCH && first + count < SENTENCES; count++) {
            encode(bench, first + count, &sources[count], &ids[count], &jobs[count].count);
            jobs[count].source = &sources[count];
            jobs[count].target = ids[count];
            jobs[count].head_settings = state->head_settings;
            jobs[count].logprobs = calloc((size_t)jobs[count].count, sizeof(float));
        }
        if (!score_run(state->model, jobs, count, BATCH, &status))
            die(status.message);
        for (int i = 0; i < count; i++) {
            free(jobs[i].logprobs);
            free(ids[i]);
            sentence_free(&sources[i]);
        }
    }
    return since(begin);
}

static struct seconds time_stats(struct bench *bench)
{
    const struct config *config = session_config(bench->session);
    const struct study_context context = session_study(bench->session, NULL);
    struct head_stats_request request = {.source = bench->paths[0], .target = bench->paths[1]};
    const struct head_stats_result *result;
    struct status status;
    bool *wanted[MODULE_COUNT];
    for (int m = 0; m < MODULE_COUNT; m++) {
        size_t heads = (size_t)module_layers(config, m) * (size_t)module_heads(config, m);
        request.wanted[m] = wanted[m] = malloc(heads + 1);
        memset(wanted[m], true, heads);
    }
    cache_forget(&bench->session->cache, CACHED_HEAD_STATS);
    struct seconds begin = now();
    if (!head_stats_run(&context, &request, false, &result, &status))
        die(status.message);
    struct seconds time = since(begin);
    if (result->stats.sentences != bench->sentences)
        die("sentences are missing");
    for (int m = 0; m < MODULE_COUNT; m++)
        free(wanted[m]);
    return time;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double least(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_value);
    return values[0];
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_value);
    return values[ROUNDS / 2];
}

static double of_longer_thread(struct seconds time)
{
    double other = time.all - time.own;
    return time.own > other ? time.own : other;
}

static bool measure_time(struct bench *bench)
{
    double forcing[ROUNDS], batches[ROUNDS], stats[ROUNDS], both[ROUNDS];
    write_files(bench, SENTENCES);
    for (int i = 0; i < ROUNDS; i++) {
        forcing[i] = time_forcing(bench).all;
        struct seconds time = time_stats(bench);
        stats[i] = of_longer_thread(time);
        both[i] = time.all;
        batches[i] = time_batches(bench).all;
    }
    double ratio = least(stats) / least(forcing);
    printf("  %.3f times forcing the same sentences (at most %.2f), of medians %.3f; in both "
           "threads %.3f; %.3f times forcing in batches of %d; %.0f us a sentence\n",
           ratio, MOST_RATIO, median(stats) / median(forcing), least(both) / least(forcing),
           least(stats) / least(batches), BATCH, 1e6 * least(stats) / SENTENCES);
    return ratio <= MOST_RATIO;
}

static bool measure_memory(struct bench *bench)
{
    write_files(bench, MANY);
    double start = peak_megabytes();
    time_stats(bench);
    double grown = peak_megabytes() - start;
    printf("  %d sentences: memory %+.1f MB (at most %d)\n", MANY, grown, MOST_MEGABYTES);
    return grown <= MOST_MEGABYTES;
}

int main(int count, char **arguments)
{
    const char *model = count > 1 ? arguments[1] : "samples/en-de.bin";
    const char *const files[] = {count > 3 ? arguments[2] : "samples/sentences.en",
                                 count > 3 ? arguments[3] : "samples/sentences.de"};
    struct session_spec spec = {
        .paths = &model, .count = 1, .device = {.kind = DEVICE_CPU}, .threads = 1};
    struct status status;
    struct bench bench = {.session = session_open(&spec, &status)};
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (!bench.session)
        die(status.message);
    for (int i = 0; i < 2; i++)
        if (!lines_read(files[i], NULL, &bench.lines[i], &status))
            die(status.message);
    make_paths(&bench);
    printf("%s, %s\n", model, files[0]);
    bool good = measure_memory(&bench);
    good = measure_time(&bench) && good;
    for (int i = 0; i < 2; i++) {
        unlink(bench.paths[i]);
        lines_free(&bench.lines[i]);
    }
    session_close(bench.session);
    return good ? 0 : 1;
}
