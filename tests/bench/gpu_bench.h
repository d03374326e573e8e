/* Shared by the parts of bench_gpu: one opened device with the model on it, in one precision. An
 * error prints one line and ends the program. A wrong result prints a line that begins with WRONG,
 * and the measurements go on. */
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
    int further; // additional steps of a longer search
};

extern const char *const gpu_precisions[]; // by enum precision
/* Returns the size of a weight in the device's memory. */
int gpu_weight_bytes(enum precision precision);

void gpu_die(const struct status *status) __attribute__((noreturn));
void gpu_die_of(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Reports a wrong result. */
void gpu_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* True if no result was wrong. */
bool gpu_all_right(void);

/* Waits until the device has finished. */
void gpu_wait(const struct gpu_bench *bench);

/* Allocate and free `count` searches; gpu_jobs_free also frees their results. */
struct search_job *gpu_jobs_new(int count);
void gpu_jobs_free(struct search_job *jobs, int count);

/* Searches the first `count` sentences, `batch` at once; each translation replaces that in
 * jobs[i].result, and jobs[i].source is set. */
void gpu_search(const struct gpu_bench *bench, struct search_job *jobs, int count, int batch);

/* What a device must compute, from the CPU: see gpu_same.c. */
struct gpu_truth;
struct gpu_truth *gpu_truth_open(const struct checkpoint *checkpoint,
                                 const struct sentence *sentences, int count);
void gpu_truth_close(struct gpu_truth *truth);
/* Compares the device's results with it and prints how close they are. */
void gpu_check(const struct gpu_bench *bench, const struct gpu_truth *truth);

/* The most that the machine can do, measured through the backend: see gpu_ceilings.c. */
struct gpu_ceilings {
    double flops;     // of products, at a large shape; a multiply-add is two
    double bandwidth; // bytes a second: the best of only reading, and of reading and writing
};
/* Measures and prints the ceilings, with matrices of `side` rows and columns and copies of `copied`
 * bytes in device memory. */
struct gpu_ceilings gpu_ceilings(const struct gpu_bench *bench, int side, size_t copied);

#endif
