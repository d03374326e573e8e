/* Times the CPU's operations other than `linear` at the sizes of a base model: d 512, 8 heads of
 * 64, sentences of 25 tokens, a vocabulary of 32000; 1, 5 and 320 rows. Every result is checked
 * against a plain loop in double before it is timed.
 *
 * bench_ops [THREADS]      default: one for each processor
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/backend.h"

enum { D = 512, HEADS = 8, HD = D / HEADS, N = 25, V = 32000, MOST = 320, SLOTS = MOST * 32 };

static struct device *device;
static int threads;
static unsigned long long seed = 1;

static void stop(const char *what)
{
    fprintf(stderr, "bench_ops: %s\n", what);
    exit(1);
}

static float *random_floats(size_t count, float scale)
{
    float *x = malloc(count * sizeof *x);
    if (!x)
        stop("no memory");
    for (size_t i = 0; i < count; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = ((float)(seed >> 40) / 8388608.0f - 1.0f) * scale;
    }
    return x;
}

static struct tensor put(const void *host, size_t bytes)
{
    struct status status;
    struct tensor tensor;
    if (!cpu_backend.allocate(device, bytes, &tensor, &status))
        stop(status.message);
    if (host)
        cpu_backend.put(device, tensor, host, bytes);
    return tensor;
}

/* A single thread is timed by its processor time, so that other processes count less. */
static double now(void)
{
    struct timespec time;
    clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Returns the best time of many runs, in nanoseconds: other processes can only add to it. */
static double best_time(void (*run)(void *context), void *context)
{
    double best = INFINITY, begin = now();
    for (int i = 0; i < 2000 && (i < 5 || now() - begin < 3e8); i++) {
        double start = now();
        run(context);
        double time = now() - start;
        best = time < best ? time : best;
    }
    return best;
}

static void check(double actual, double expected, double tolerance, const char *what)
{
    if (!(fabs(actual - expected) <= tolerance))
        stop(what);
}

/* Runs attention, either of whole sentences of N tokens (encoder) or of the last position of N
 * hypotheses, each in its own lane (decoder). */

static void run_attention(void *context)
{
    cpu_backend.attention(device, context);
}

static void bench_attention(int rows, bool decoder, const char *name)
{
    static const int learned[HEADS] = {0, 1, 2, 3, 4, 5, 6, 7};
    const struct head table[HEADS] = {{.energy = ENERGY_LEARNED}};
    float *q = random_floats((size_t)rows * D, 1), *k = random_floats((size_t)SLOTS * D, 1);
    float *v = random_floats((size_t)SLOTS * D, 1), out[D];
    static int32_t begin[MOST], end[MOST], position[MOST], lane[MOST], path[MOST][32];
    for (int m = 0; m < MOST; m++) {
        begin[m] = m / N * N;
        end[m] = begin[m] + N;
        position[m] = decoder ? N - 1 : m % N;
        lane[m] = m;
        for (int p = 0; p < 32; p++)
            path[m][p] = m * 32 + p;
    }
    struct attention_args args = {
        .o = put(NULL, (size_t)rows * D * sizeof(float)),
        .q = put(q, (size_t)rows * D * sizeof(float)),
        .k = put(k, (size_t)SLOTS * D * sizeof(float)),
        .v = put(v, (size_t)SLOTS * D * sizeof(float)),
        .ldq = D,
        .ldk = D,
        .ldv = D,
        .heads = HEADS,
        .head_dim = HD,
        .learned = learned,
        .keys = decoder ? KEYS_PATH : KEYS_RANGE,
        .rows = {.rows = rows,
                 .lane = put(lane, sizeof lane),
                 .pos = put(position, sizeof position),
                 .path = put(path, sizeof path),
                 .positions = 32},
        .begin = put(begin, sizeof begin),
        .end = put(end, sizeof end),
        .position = put(position, sizeof position),
        .table = put(table, sizeof table),
    };
    run_attention(&args);
    cpu_backend.get(device, out, args.o, sizeof out);
    double total = 0, sum = 0;
    for (int j = 0; j < N; j++) { // row 0, head 0, its first column
        double energy = 0;
        for (int c = 0; c < HD; c++)
            energy += (double)q[c] * k[j * D + c];
        total += exp(energy / sqrt(HD));
        sum += exp(energy / sqrt(HD)) * v[j * D];
    }
    check(out[0], sum / total, 1e-5, "attention is wrong");
    double time = best_time(run_attention, &args);
    printf("%-26s M %3d  %10.0f ns  %7.1f ns a row and head\n", name, rows, time,
           time / rows / HEADS);
    free(q);
    free(k);
    free(v);
    struct tensor used[] = {args.o,         args.q,        args.k,         args.v,
                            args.rows.lane, args.rows.pos, args.rows.path, args.begin,
                            args.end,       args.position, args.table};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        cpu_backend.release(device, used[i]);
}

static void run_logprob(void *context)
{
    cpu_backend.logprob(device, context);
}

static void bench_logprob(int rows, int tops)
{
    float *logits = random_floats((size_t)rows * V, 8), lp;
    int32_t id;
    struct logprob_args args = {.logits = put(logits, (size_t)rows * V * sizeof(float)),
                                .top_id = put(NULL, (size_t)(rows * tops) * sizeof(int32_t)),
                                .top_lp = put(NULL, (size_t)(rows * tops) * sizeof(float)),
                                .rows = rows,
                                .vocabulary = V,
                                .tops = tops};
    run_logprob(&args);
    cpu_backend.get(device, &id, args.top_id, sizeof id);
    cpu_backend.get(device, &lp, args.top_lp, sizeof lp);
    double total = 0;
    int best = 0;
    for (int i = 0; i < V; i++) {
        total += exp(logits[i]);
        best = logits[i] > logits[best] ? i : best;
    }
    check(id, best, 0, "the ranking is wrong");
    check(lp, logits[best] - log(total), 1e-5, "a log-probability is wrong");
    double time = best_time(run_logprob, &args);
    printf("logprob, V %d, tops %-3d    M %3d  %10.0f ns  %7.3f ns a logit\n", V, tops, rows, time,
           time / rows / V);
    free(logits);
    cpu_backend.release(device, args.logits);
    cpu_backend.release(device, args.top_id);
    cpu_backend.release(device, args.top_lp);
}

static void run_norm(void *context)
{
    cpu_backend.norm(device, context);
}

static void bench_norm(int rows)
{
    float *x = random_floats((size_t)rows * D, 1), *r = random_floats((size_t)rows * D, 1), y;
    float ones[D];
    for (int c = 0; c < D; c++)
        ones[c] = 1;
    const size_t bytes = (size_t)rows * D * sizeof(float);
    struct norm_args args = {.y = put(NULL, bytes),
                             .sum = put(NULL, bytes),
                             .x = put(x, bytes),
                             .residual = put(r, bytes),
                             .gamma = put(ones, sizeof ones),
                             .beta = put(ones, sizeof ones),
                             .ldy = D,
                             .ldresidual = D,
                             .eps = 1e-5f,
                             .rows = rows,
                             .columns = D};
    run_norm(&args);
    cpu_backend.get(device, &y, args.y, sizeof y);
    double mean = 0, variance = 0;
    for (int c = 0; c < D; c++)
        mean += ((double)x[c] + r[c]) / D;
    for (int c = 0; c < D; c++)
        variance += (x[c] + r[c] - mean) * (x[c] + r[c] - mean) / D;
    check(y, (x[0] + r[0] - mean) / sqrt(variance + 1e-5) + 1, 1e-5, "norm is wrong");
    double time = best_time(run_norm, &args);
    printf("norm, d %-16d   M %3d  %10.0f ns  %7.1f ns a row\n", D, rows, time, time / rows);
    free(x);
    free(r);
    struct tensor used[] = {args.y, args.sum, args.x, args.residual, args.gamma, args.beta};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        cpu_backend.release(device, used[i]);
}

int main(int argc, char **argv)
{
    struct status status;
    struct device_info info;
    static const int rows[] = {1, 5, MOST};
    device =
        cpu_backend.open(&(struct device_spec){.threads = argc > 1 ? atoi(argv[1]) : 0}, &status);
    if (!device)
        stop(status.message);
    cpu_backend.info(device, &info);
    threads = info.threads;
    printf("%s, %s, %d threads\n", info.name, info.instruction_set, info.threads);
    for (int i = 0; i < 3; i++) {
        bench_attention(rows[i], false, "attention, encoder, n 25");
        bench_attention(rows[i], true, "attention, decoder, n 25");
        bench_logprob(rows[i], 10);
        bench_logprob(rows[i], 200);
        bench_norm(rows[i]);
    }
    cpu_backend.close(device);
    return 0;
}
