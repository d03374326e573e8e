/* Helpers shared by the tests of the CUDA emulator. */
#ifndef ATTNSCOPE_TESTS_EMULATOR_SUPPORT_H
#define ATTNSCOPE_TESTS_EMULATOR_SUPPORT_H

#include <cuda_runtime.h>

#include "tests/cuda_emulator/emulator.h"
#include "tests/support/test.h"

/* Fails the test unless the call succeeded. */
void expect_success(cudaError_t error);

/* Fails the test unless `part` is in `text`. */
void expect_in(const char *text, const char *part);

/* A group set-up: faults are recorded instead of ending the process. */
int keep_faults(void **state);

/* Checks that the last launch on the default stream ended in a fault whose message names both, and
 * clears it. */
void expect_fault(const char *kernel, const char *what);

/* Returns the message of the last recorded fault. */
const char *last_fault(void);

/* Returns zeroed device memory. */
int *device_integers(size_t count);

#endif
