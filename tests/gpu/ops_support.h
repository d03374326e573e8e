/* What the tests of operations share: devices of every kind, tensors that are released with them,
 * and reproducible numbers. Every function fails the running test when it cannot do its work.
 *
 * The tests are of the CPU or, where ATTNSCOPE_TEST_PLUGIN names one, of a plug-in.
 */
#ifndef ATTNSCOPE_TESTS_OPS_SUPPORT_H
#define ATTNSCOPE_TESTS_OPS_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/backend.h"

enum { OPS_TENSORS = 64 };

/* An opened device and the tensors of one test. */
struct ops {
    const struct backend *backend;
    struct device *device;
    struct tensor held[OPS_TENSORS];
    int count;
};

bool ops_on_plugin(void);

/* Orders of threads. `main` runs its tests as long as ops_next_order says so: once on the CPU, and
 * on a plug-in once for every order in which an emulated GPU runs the threads of a block and the
 * blocks of a grid: forward, reverse, random, or the first ATTNSCOPE_TEST_ORDERS of them. What
 * ops_get brings must be the same bits in each: otherwise a kernel has a race. */
bool ops_next_order(void);
/* The same of any other result, in the order of the calls; `what` is for the message. */
void ops_same_bits(const void *data, size_t bytes, const char *what);

/* Of the CPU, isa NULL: the best of this machine; of a plug-in, with the shortcuts that
 * ATTNSCOPE_CUDA names now. ops_close releases the tensors and fails the test when the
 * device failed. */
void ops_open(struct ops *ops, const char *isa, int threads);
void ops_close(struct ops *ops);
/* Releases the tensors; the device goes on. */
void ops_forget(struct ops *ops);

/* The same on the plug-in and as `spec` says. */
void ops_open_plugin(struct ops *ops, const struct device_spec *spec);

/* A tensor with a copy of `bytes` bytes of host memory. */
struct tensor ops_put(struct ops *ops, const void *host, size_t bytes);
/* One of `count` floats, all NaN, so that a place that is never written shows. */
struct tensor ops_floats(struct ops *ops, size_t count);
void ops_get(struct ops *ops, void *host, struct tensor tensor, size_t bytes);

/* Runs `run` with every instruction set that this machine has and with 1, 2 and 3 threads, and
 * fails the test unless it writes the same `bytes` bytes to `out` each time. On a plug-in once, as
 * orders are its matter. */
typedef void ops_run(struct ops *ops, void *out, const void *context);
void ops_same_everywhere(ops_run *run, const void *context, size_t bytes);

/* Evenly spread over -scale … scale; the state is the caller's seed. */
float ops_random(uint64_t *state, float scale);
void ops_random_fill(float *out, size_t count, float scale, uint64_t seed);

/* Fails, naming `what` and the index, unless every |actual - expected| <= tolerance (NaN fails). */
void ops_assert_close(const char *what, const float *actual, const double *expected, size_t count,
                      double tolerance);
/* The same relative to 1 + |expected|; equal numbers, and NaN in the same places, are near. */
void ops_assert_near(const char *what, const float *actual, const float *expected, size_t count,
                     double tolerance);
void ops_assert_same(const char *what, const void *actual, const void *expected, size_t bytes);

#endif
