/* Shared by the tests of operations: devices of every kind, tensors that are released with them,
 * and reproducible numbers. Every function fails the running test if it cannot do its work.
 *
 * The tests run on the CPU or, if ATTNSCOPE_TEST_PLUGIN names one, on a plug-in.
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
bool ops_emulated(void); // on a plug-in that emulates a GPU

/* `main` repeats its tests as long as ops_next_order returns true. On the CPU they run once. On a
 * plug-in they run once for every order in which an emulated GPU runs the threads of a block and
 * the blocks of a grid: forward, reverse, random, or the first ATTNSCOPE_TEST_ORDERS of them.
 * ops_get must return the same bits in each order: otherwise a kernel has a race. */
bool ops_next_order(void);
/* Checks any other result in the same way; calls must come in the same order. `what` is for the
 * message. */
void ops_same_bits(const void *data, size_t bytes, const char *what);

/* Opens the CPU (isa NULL: the best of this machine) or the plug-in, with the shortcuts that
 * ATTNSCOPE_CUDA names now. ops_close releases the tensors and fails the test if the device
 * failed. */
void ops_open(struct ops *ops, const char *isa, int threads);
void ops_close(struct ops *ops);
/* Releases the tensors but keeps the device. */
void ops_forget(struct ops *ops);

/* Opens the plug-in with `spec`. */
void ops_open_plugin(struct ops *ops, const struct device_spec *spec);

/* Returns a tensor with a copy of `bytes` bytes of host memory. */
struct tensor ops_put(struct ops *ops, const void *host, size_t bytes);
/* Returns a tensor of `count` floats, all NaN, so that a place that is never written shows. */
struct tensor ops_floats(struct ops *ops, size_t count);
void ops_get(struct ops *ops, void *host, struct tensor tensor, size_t bytes);

/* Runs `run` with every instruction set of this machine and with 1, 2 and 3 threads, and fails the
 * test unless it writes the same `bytes` bytes to `out` each time. Runs it only once on a plug-in,
 * where ops_next_order compares the runs. */
typedef void ops_run(struct ops *ops, void *out, const void *context);
void ops_same_everywhere(ops_run *run, const void *context, size_t bytes);

/* Returns a number evenly distributed over -scale … scale; `state` is the caller's seed. */
float ops_random(uint64_t *state, float scale);
void ops_random_fill(float *out, size_t count, float scale, uint64_t seed);

/* Fails, naming `what` and the index, unless every |actual - expected| <= tolerance (NaN fails). */
void ops_assert_close(const char *what, const float *actual, const double *expected, size_t count,
                      double tolerance);
/* The same relative to 1 + |expected|; equal numbers, and NaN in the same places, count as
 * close. */
void ops_assert_near(const char *what, const float *actual, const float *expected, size_t count,
                     double tolerance);
void ops_assert_same(const char *what, const void *actual, const void *expected, size_t bytes);

#endif
