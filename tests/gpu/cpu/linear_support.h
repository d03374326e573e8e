/* The CPU's linear operation in tests: problems with the answers of the plainest loop, and machines
 * that must solve them bit by bit. Every function fails the running test if it cannot do its work.
 */
#ifndef ATTNSCOPE_TESTS_LINEAR_SUPPORT_H
#define ATTNSCOPE_TESTS_LINEAR_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/backend.h"
#include "gpu/cpu/kernel/isa.h"

/* A machine: an opened device with a name for messages. */
struct machine {
    struct device *device;
    enum isa isa;
    int threads;
};

/* y (M, N) from x (M, K) and w (N, K), with every option of `linear`. */
struct problem {
    int m, n, k;
    int ldx, ldy;
    enum dtype dtype;
    enum activation activation;
    bool with_bias, accumulate;
    bool mixed;    // several products at once; those that start at odd rows have float32 weights
    float *x;      // (M, ldx)
    void *w;       // (N, K) of dtype
    float *bias;   // (N)
    float *before; // (M, ldy): y before the call
    float *y;      // (M, ldy): expected
};

struct machine machine_open(enum isa isa, int threads);

/* Opens devices of every instruction set available, with 1, 2 and 3 threads, and returns their
 * number. machines_close also closes what machine_open has opened. */
enum { MACHINES_MAX = 15 };
int machines_open(struct machine *machines);
void machines_close(struct machine *machines, int count);

/* Fills a problem whose sizes and options are set: reproducible values, including zeros of both
 * signs and subnormals, and the expected y. */
void problem_open(struct problem *problem);
void problem_close(struct problem *problem);

/* weight_value returns w[at] as a float. The other copies w to a machine; the caller forgets it. */
float weight_value(const struct problem *problem, size_t at);
struct weight *uploaded_weight(const struct machine *machine, const struct problem *problem);

/* Computes rows first … first+rows-1 of the problem; `y` (M, ldy) begins as problem->before. */
void problem_run(const struct machine *machine, const struct problem *problem, int first, int rows,
                 float *y);

/* The same as several products at once: the first takes the first columns[0] columns of y, and so
 * on. The sum of `columns` (parts) is N. */
void problem_run_parts(const struct machine *machine, const struct problem *problem, int first,
                       int rows, const int *columns, int parts, float *y);

/* Compares y with the expected (M, ldy), including the gaps between rows: nothing may be written
 * there. */
void expect_same_bits(const struct machine *machine, const struct problem *problem, const float *y,
                      const float *expected);
/* Checks that the machine solves the whole problem. */
void expect_solved(const struct machine *machine, const struct problem *problem);

/* Allocates from cmocka's memory; freed with test_free. */
void *allocated(size_t count, size_t size);
float *copied_floats(const float *values, size_t count);

#endif
