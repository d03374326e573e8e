/* The linear operation of the CPU in tests: problems with their answers, which the plainest loop
 * gives, and machines that are to solve them to the bit. Every function fails the running test when
 * it cannot do its work.
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

/* y (M, N) from x (M, K) and w (N, K) with everything that `linear` can be asked. */
struct problem {
    int m, n, k;
    int ldx, ldy;
    enum dtype dtype;
    enum activation activation;
    bool with_bias, accumulate;
    bool mixed;    // products at once: those from odd rows of w on have it as float32
    float *x;      // (M, ldx)
    void *w;       // (N, K) of dtype
    float *bias;   // (N)
    float *before; // (M, ldy): y before the call
    float *y;      // (M, ldy): expected
};

struct machine machine_open(enum isa isa, int threads);

/* Devices of every instruction set that there is here, with 1, 2 and 3 threads; returns how many.
 * machines_close closes what machine_open has opened, too. */
enum { MACHINES_MAX = 15 };
int machines_open(struct machine *machines);
void machines_close(struct machine *machines, int count);

/* Fills a problem whose sizes and choices are given: reproducible values, zeros of both signs and
 * subnormals among them, and the expected y. */
void problem_open(struct problem *problem);
void problem_close(struct problem *problem);

/* w[at] as a float; and w on a machine, which the caller forgets. */
float weight_value(const struct problem *problem, size_t at);
struct weight *uploaded_weight(const struct machine *machine, const struct problem *problem);

/* Computes rows first … first+rows-1 of the problem; `y` (M, ldy) begins as problem->before. */
void problem_run(const struct machine *machine, const struct problem *problem, int first, int rows,
                 float *y);

/* The same as several products at once: the first has the first columns[0] columns of y, and so on;
 * the sum of `columns` (parts) is N. */
void problem_run_parts(const struct machine *machine, const struct problem *problem, int first,
                       int rows, const int *columns, int parts, float *y);

/* y and expected: (M, ldy). The gaps between the rows are compared too: nothing may be written
 * there. */
void expect_same_bits(const struct machine *machine, const struct problem *problem, const float *y,
                      const float *expected);
/* The machine computes the whole problem and finds problem->y. */
void expect_solved(const struct machine *machine, const struct problem *problem);

/* Of cmocka's memory: test_free frees it. */
void *allocated(size_t count, size_t size);
float *copied_floats(const float *values, size_t count);

#endif
