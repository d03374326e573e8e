#include "tests/gpu/cuda/emulator_support.h"

#include <stdio.h>
#include <string.h>

static char message[2000]; // of the last fault

static void keep_message(void *, const char *text)
{
    snprintf(message, sizeof message, "%s", text);
}

int keep_faults(void **)
{
    cudaemu_on_fault(keep_message, nullptr);
    return 0;
}

const char *last_fault(void)
{
    return message;
}

void expect_success(cudaError_t error)
{
    if (error != cudaSuccess)
        fail_msg("%s", cudaGetErrorName(error));
}

void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in \"%s\"", part, text);
}

void expect_fault(const char *kernel, const char *what)
{
    assert_int_equal(cudaGetLastError(), cudaErrorLaunchFailure);
    expect_in(message, kernel);
    expect_in(message, what);
    message[0] = '\0';
    expect_success(cudaGetLastError());
}

int *device_integers(size_t count)
{
    int *memory;
    expect_success(cudaMalloc(&memory, count * sizeof *memory));
    expect_success(cudaMemset(memory, 0, count * sizeof *memory));
    return memory;
}
