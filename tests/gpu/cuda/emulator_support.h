/* What the tests of the CUDA emulator share. */
#ifndef ATTNSCOPE_TESTS_EMULATOR_SUPPORT_H
#define ATTNSCOPE_TESTS_EMULATOR_SUPPORT_H

#include <cuda_runtime.h>

#include "tests/cuda_emulator/emulator.h"
#include "tests/support/test.h"

/* Fails the test unless the call went well. */
void expect_success(cudaError_t error);

/* Fails the test unless `part` is in `text`. */
void expect_in(const char *text, const char *part);

/* A set-up for a group: faults are kept instead of ending the process. */
int keep_faults(void **state);

/* What was launched on the default stream ended in a fault, whose message says both. The next is
 * awaited then. */
void expect_fault(const char *kernel, const char *what);

/* The message of the fault that was kept last. */
const char *last_fault(void);

/* Device memory, zeroed. */
int *device_integers(size_t count);

#endif
