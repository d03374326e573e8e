/* The CUDA emulator: what wrong kernels and wrong hosts are told. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include <kernel.h>

#include "tests/cuda_emulator/emulator.h"
#include "tests/cuda_emulator/sanitizer.h"

extern "C" {
#include <cmocka.h>
}

static char message[2000]; // of the last fault

static void keep_message(void *, const char *text)
{
    snprintf(message, sizeof message, "%s", text);
}

static void expect(cudaError_t error)
{
    if (error != cudaSuccess)
        fail_msg("%s", cudaGetErrorName(error));
}

static void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" is not in \"%s\"", part, text);
}

/* What was launched on the default stream ended in a fault of which the message says all the parts. */
static void expect_fault(const char *kernel, const char *what)
{
    assert_int_equal(cudaGetLastError(), cudaErrorLaunchFailure);
    expect_in(message, kernel);
    expect_in(message, what);
    message[0] = '\0';
    expect(cudaGetLastError());
}

static int *integers(size_t count)
{
    int *memory;
    expect(cudaMalloc(&memory, count * sizeof *memory));
    expect(cudaMemset(memory, 0, count * sizeof *memory));
    return memory;
}

static void each_order(void (*test)(void))
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        cudaemu_set_order(seed == 0   ? CUDAEMU_FORWARD
                          : seed == 1 ? CUDAEMU_REVERSE
                                      : CUDAEMU_RANDOM,
                          seed);
        test();
    }
}

/* Each thread reads what its neighbour wrote; `wait` false: the barrier was removed. */
template <bool wait> static __global__ void neighbour(float *y)
{
    SHARED(float, x, 64);
    x[threadIdx.x] = (float)threadIdx.x;
    if (wait)
        __syncthreads();
    y[threadIdx.x] = x[(threadIdx.x + 1) % 64];
}

template <bool wait> static std::vector<float> neighbours(enum cudaemu_order order)
{
    float *y;
    std::vector<float> got(64);
    cudaemu_set_order(order, 1);
    expect(cudaMalloc(&y, 64 * sizeof *y));
    LAUNCH(neighbour<wait>, 1, 64, 0, nullptr, y);
    expect(cudaMemcpy(got.data(), y, 64 * sizeof *y, cudaMemcpyDeviceToHost));
    expect(cudaFree(y));
    return got;
}

static size_t count_nan(const std::vector<float> &values)
{
    size_t count = 0;
    for (float value : values)
        count += isnan(value) ? 1 : 0;
    return count;
}

static void a_removed_barrier_gives_nan_and_depends_on_the_order(void **)
{
    const enum cudaemu_order orders[] = {CUDAEMU_FORWARD, CUDAEMU_REVERSE, CUDAEMU_RANDOM};
    std::vector<float> right = neighbours<true>(CUDAEMU_FORWARD);
    assert_int_equal(count_nan(right), 0);
    size_t missing[3];
    for (int i = 0; i < 3; i++) {
        assert_true(neighbours<true>(orders[i]) == right);
        missing[i] = count_nan(neighbours<false>(orders[i]));
    }
    assert_int_equal(missing[0], 63); // all but the last, whose neighbour was the first
    assert_int_equal(missing[1], 1);
    assert_true(missing[2] > 1 && missing[2] < 63);
}

static __global__ void names_too_few(int *out)
{
    out[threadIdx.x] = __shfl_xor_sync(0x0000ffff, (int)threadIdx.x, 1);
}

static __global__ void masks_differ(int *out)
{
    unsigned mask = threadIdx.x == 7 ? 0xffffffff : 0x0fffffff;
    if (threadIdx.x < 28)
        out[threadIdx.x] = (int)__ballot_sync(mask, 1);
}

static __global__ void never_arrives(int *out)
{
    if (threadIdx.x != 5)
        __syncwarp(0xffffffff);
    __syncthreads();
    out[threadIdx.x] = 1;
}

static __global__ void calls_differ(int *out)
{
    if (threadIdx.x % 2)
        out[threadIdx.x] = __shfl_sync(0xffffffff, 1, 0);
    else
        out[threadIdx.x] = __shfl_sync(0xffffffff, 1, 0);
}

static __global__ void reads_the_unnamed(int *out)
{
    if (threadIdx.x < 16)
        out[threadIdx.x] = __shfl_down_sync(0x0000ffff, (int)threadIdx.x, 8);
}

static __global__ void names_lanes_beyond(int *out)
{
    out[threadIdx.x] = __shfl_sync(0xffffffff, 1, 0);
}

static void wrong_masks(void)
{
    int *out = integers(64);
    LAUNCH(names_too_few, 1, 32, 0, nullptr, out);
    expect_fault("kernel names_too_few, block (0, 0, 0)", "does not name the lane");
    LAUNCH(masks_differ, 2, 32, 0, nullptr, out);
    expect_fault("kernel masks_differ", "__ballot_sync at test_cuda_faults.cc");
    LAUNCH(never_arrives, 1, 64, 0, nullptr, out);
    expect_fault("kernel never_arrives", "lane 5, which never arrives: it waits in __syncthreads");
    LAUNCH(calls_differ, 1, 32, 0, nullptr, out);
    expect_fault("kernel calls_differ", "with which it shares lanes, waits in __shfl_sync");
    LAUNCH(reads_the_unnamed, 1, 32, 0, nullptr, out);
    expect_fault("thread (8, 0, 0)", "it reads lane 16, which mask 0x0000ffff does not name");
    LAUNCH(names_lanes_beyond, 1, 48, 0, nullptr, out);
    expect_fault("thread (", "names lane 16, which the block does not have");
    expect(cudaFree(out));
}

static void a_wrong_mask_is_a_fault(void **)
{
    each_order(wrong_masks);
}

static __global__ void leaves_early(int *out)
{
    if (threadIdx.x == 33)
        return;
    __syncthreads();
    out[threadIdx.x] = 1;
}

static __global__ void leaves_the_warp(int *out)
{
    if (threadIdx.x == 3)
        return;
    out[threadIdx.x] = __shfl_sync(0xffffffff, 1, 0);
}

static __global__ void barriers_differ(int *out)
{
    if (threadIdx.x < 32)
        __syncthreads();
    else
        __syncthreads();
    out[threadIdx.x] = 1;
}

static void wrong_barriers(void)
{
    int *out = integers(64);
    LAUNCH(leaves_early, 1, 64, 0, nullptr, out);
    expect_fault("kernel leaves_early", "barrier");
    LAUNCH(leaves_the_warp, 1, 32, 0, nullptr, out);
    expect_fault("kernel leaves_the_warp", "kernel");
    LAUNCH(barriers_differ, 1, 64, 0, nullptr, out);
    expect_fault("kernel barriers_differ", "waits in __syncthreads at test_cuda_faults.cc");
    expect(cudaFree(out));
}

static void leaving_before_a_barrier_is_a_fault(void **)
{
    each_order(wrong_barriers);
}

static __global__ void writes_at(int *out, int index)
{
    out[index] = 1;
}

static void a_launch_after_a_fault_works(void **)
{
    int *out = integers(64), value = 0;
    LAUNCH(never_arrives, 1, 64, 0, nullptr, out);
    expect_fault("never_arrives", "never arrives");
    LAUNCH(writes_at, 1, 1, 0, nullptr, out, 3);
    expect(cudaMemcpy(&value, out + 3, sizeof value, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 1);
    expect(cudaFree(out));
}

static __global__ void wants_more_than_it_got(int n)
{
    SHARED_CURSOR;
    SHARED_DYNAMIC(float, x, n);
    x[0] = 0;
}

static void launches_beyond_the_limits_are_refused(void **)
{
    int *out = integers(1), host = 0;
    const dim3 wrong[][2] = {{dim3(0), dim3(32)},
                             {dim3(1), dim3(0)},
                             {dim3(1), dim3(1025)},
                             {dim3(1), dim3(64, 32)},
                             {dim3(1, 65536), dim3(32)}};
    for (auto &shape : wrong) {
        LAUNCH(writes_at, shape[0], shape[1], 0, nullptr, out, 0);
        assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    }
    LAUNCH(writes_at, 1, 1, (48 << 10) + 1, nullptr, out, 0);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    LAUNCH(wants_more_than_it_got, 1, 32, 64, nullptr, 17);
    expect_fault("wants_more_than_it_got", "shared array x has 68 bytes");
    LAUNCH(writes_at, 1, 1, 0, nullptr, &host, 0);
    expect_fault("writes_at", "parameter 1 is a pointer that is neither");
    expect(cudaFree(out));
}

static int *captured_memory;
static cudaStream_t captured_stream;
static void *other_memory;

static cudaError_t allocate_memory(void)
{
    return cudaMalloc(&other_memory, 4);
}

static cudaError_t free_memory(void)
{
    return cudaFree(captured_memory);
}

static cudaError_t copy_blocking(void)
{
    int value;
    return cudaMemcpy(&value, captured_memory, sizeof value, cudaMemcpyDeviceToHost);
}

static cudaError_t copy_pageable(void)
{
    int value;
    return cudaMemcpyAsync(&value, captured_memory, sizeof value, cudaMemcpyDeviceToHost,
                           captured_stream);
}

static cudaError_t wait_for_stream(void)
{
    return cudaStreamSynchronize(captured_stream);
}

static cudaError_t wait_for_device(void)
{
    return cudaDeviceSynchronize();
}

static cudaError_t launch_elsewhere(void)
{
    LAUNCH(writes_at, 1, 1, 0, nullptr, captured_memory, 0);
    return cudaGetLastError();
}

static void what_blocks_ends_a_capture(void **)
{
    cudaError_t (*const calls[])(void) = {allocate_memory, free_memory,     copy_blocking,
                                          copy_pageable,   wait_for_stream, wait_for_device,
                                          launch_elsewhere};
    captured_memory = integers(1);
    expect(cudaStreamCreateWithFlags(&captured_stream, cudaStreamNonBlocking));
    for (auto &call : calls) {
        cudaGraph_t graph;
        expect(cudaStreamBeginCapture(captured_stream, cudaStreamCaptureModeRelaxed));
        assert_int_equal(call(), cudaErrorStreamCaptureUnsupported);
        assert_int_equal(cudaStreamEndCapture(captured_stream, &graph),
                         cudaErrorStreamCaptureInvalidated);
        assert_null(graph);
        cudaGetLastError();
        expect(cudaStreamSynchronize(captured_stream));
    }
    expect(cudaStreamDestroy(captured_stream));
    expect(cudaFree(captured_memory));
}

/* Runs the body in a process of its own, without a handler, and returns what it said as it died. */
static const char *last_words(void (*body)(void))
{
    static char words[8000];
    int ends[2], status;
    size_t length = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        cudaemu_on_fault(NULL, NULL);
        signal(SIGSEGV, SIG_DFL); // cmocka's would go on with the test
        body();
        _exit(0);
    }
    close(ends[1]);
    ssize_t got;
    while ((got = read(ends[0], words + length, sizeof words - 1 - length)) > 0)
        length += (size_t)got;
    words[length] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        fail_msg("it went through, and said \"%s\"", words);
    return words;
}

static __global__ void writes_beyond_shared(int index)
{
    SHARED(int, small, 5);
    SHARED(int, other, 5);
    int *first = small;
    other[threadIdx.x % 5] = 0;
    first[index] = 1;
}

static void write_beyond_shared(void)
{
    LAUNCH(writes_beyond_shared, 1, 1, 0, nullptr, 5);
}

static void write_before_shared(void)
{
    LAUNCH(writes_beyond_shared, 1, 1, 0, nullptr, -1);
}

static void write_beyond_global(void)
{
    LAUNCH(writes_at, 1, 1, 0, nullptr, integers(5), 5);
}

static void write_before_global(void)
{
    LAUNCH(writes_at, 1, 1, 0, nullptr, integers(5), -1);
}

static void host_reads(void)
{
    volatile int *memory = integers(1);
    (void)*memory;
}

static void host_writes(void)
{
    *(volatile int *)integers(100) = 1;
}

static void write_far_beyond_global(void)
{
    LAUNCH(writes_at, 1, 1, 0, nullptr, integers(5), 1 << 30);
}

static __global__ void recurses(int *out, int depth)
{
    volatile char room[1000];
    room[depth % 1000] = 1;
    if (depth > 0)
        recurses(out, depth - 1);
    out[0] += room[depth % 1000];
}

static void overflow_stack(void)
{
    LAUNCH(recurses, 1, 1, 0, nullptr, integers(1), 1000);
}

static void accesses_outside_of_arrays_end_the_process(void **)
{
    static const struct {
        void (*body)(void);
        const char *asan, *plain; // what is said with AddressSanitizer and without
    } cases[] = {
        {write_beyond_shared, "kernel writes_beyond_shared", "outside of shared array small"},
        {write_before_shared, "kernel writes_beyond_shared", "outside of shared array small"},
        {write_beyond_global, "kernel writes_at", "wrote outside of an allocation of 20 bytes"},
        {write_before_global, "kernel writes_at", "wrote outside of an allocation of 20 bytes"},
        {write_far_beyond_global, "kernel writes_at", "is no allocation of device memory"},
        {host_reads, "the host touches device memory", "byte 0 of an allocation of 4"},
        {host_writes, "the host touches device memory", "byte 0 of an allocation of 400"},
        {overflow_stack, "kernel recurses", "stack of 256 KB overflowed"},
    };
    for (auto &one : cases) {
        const char *words = last_words(one.body);
        expect_in(words, CUDAEMU_ASAN ? one.asan : one.plain);
    }
}

static int prepare(void **)
{
    cudaemu_on_fault(keep_message, NULL);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_removed_barrier_gives_nan_and_depends_on_the_order),
        cmocka_unit_test(a_wrong_mask_is_a_fault),
        cmocka_unit_test(leaving_before_a_barrier_is_a_fault),
        cmocka_unit_test(a_launch_after_a_fault_works),
        cmocka_unit_test(launches_beyond_the_limits_are_refused),
        cmocka_unit_test(what_blocks_ends_a_capture),
        cmocka_unit_test(accesses_outside_of_arrays_end_the_process),
    };
    return cmocka_run_group_tests(tests, prepare, NULL);
}
