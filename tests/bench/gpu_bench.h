/* What the parts of bench_gpu share: one opened device with the model on it, in one precision.
 * A failure is told in one line and ends the program. A result that is wrong is told in a line that
 * begins with WRONG; what follows is timed all the same. */
#ifndef ATTNSCOPE_GPU_BENCH_H
#define ATTNSCOPE_GPU_BENCH_H

#include "model/net/force.h"
#include "model/search/search.h"
#include "tests/bench/rounds.h"

struct gpu_bench {
    const struct backend *backend;
    struct device *device;
    enum precision precision;
    struct model *model;
    struct search_options options;
    const struct sentence *sentences; // (count), all of one length
    int count;
    struct rounds rounds;
    int further; // steps that a longer search goes on for
};

extern const char *const gpu_precisions[]; // by enum precision
/* Of a weight in the device's memory. */
int gpu_weight_bytes(enum precision precision);

void gpu_die(const struct status *status) __attribute__((noreturn));
void gpu_die_of(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* A result is out of its bound. */
void gpu_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* True if none was. */
bool gpu_all_right(void);

/* Waits for the device. */
void gpu_wait(const struct gpu_bench *bench);

/* Of `count` searches; the latter frees their results, too. */
struct search_job *gpu_jobs_new(int count);
void gpu_jobs_free(struct search_job *jobs, int count);

/* Searches the first `count` sentences, `batch` at once; each translation replaces that in
 * jobs[i].result, and jobs[i].source is set. */
void gpu_search(const struct gpu_bench *bench, struct search_job *jobs, int count, int batch);

/* The same calls on the CPU, made once, say what a device must give: see gpu_same.c. */
struct gpu_truth;
struct gpu_truth *gpu_truth_open(const struct checkpoint *checkpoint,
                                 const struct sentence *sentences, int count);
void gpu_truth_close(struct gpu_truth *truth);
/* Prints how near the device's results are. */
void gpu_check(const struct gpu_bench *bench, const struct gpu_truth *truth);

/* What the machine can do at most, measured through the backend: see gpu_ceilings.c. */
struct gpu_ceilings {
    double flops;     // of products, at a large shape; a multiply-add is two
    double bandwidth; // bytes a second, the best of reading alone and of reading and writing
};
/* Prints them. side: of the large matrices; copied: bytes moved between device memory. */
struct gpu_ceilings gpu_ceilings(const struct gpu_bench *bench, int side, size_t copied);

#endif
