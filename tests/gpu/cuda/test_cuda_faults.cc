/* The CUDA emulator: messages for wrong kernels, launches and captures. */
#include <math.h>

#include <vector>

#include <kernel.h>

#include "tests/gpu/cuda/emulator_support.h"

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

/* Each thread reads what its neighbour wrote; without `wait` the barrier is missing. */
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
    expect_success(cudaMalloc(&y, 64 * sizeof *y));
    LAUNCH(neighbour<wait>, 1, 64, 0, nullptr, y);
    expect_success(cudaMemcpy(got.data(), y, 64 * sizeof *y, cudaMemcpyDeviceToHost));
    expect_success(cudaFree(y));
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

/* What the previous block has left must not be there for the next. */
static __global__ void reads_what_was_left(float *y)
{
    SHARED(float, x, 32);
    y[blockIdx.x * 32 + threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = 1;
}

static void shared_memory_is_nan_in_every_block(void **)
{
    float *y;
    std::vector<float> got(3 * 32);
    expect_success(cudaMalloc(&y, got.size() * sizeof *y));
    expect_success(cudaMemset(y, 0, got.size() * sizeof *y));
    LAUNCH(reads_what_was_left, 3, 32, 0, nullptr, y);
    expect_success(cudaMemcpy(got.data(), y, got.size() * sizeof *y, cudaMemcpyDeviceToHost));
    assert_int_equal(count_nan(got), got.size());
    expect_success(cudaFree(y));
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
    int *out = device_integers(64);
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
    expect_success(cudaFree(out));
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
    int *out = device_integers(64);
    LAUNCH(leaves_early, 1, 64, 0, nullptr, out);
    expect_fault("kernel leaves_early", "barrier");
    LAUNCH(leaves_the_warp, 1, 32, 0, nullptr, out);
    expect_fault("kernel leaves_the_warp", "kernel");
    LAUNCH(barriers_differ, 1, 64, 0, nullptr, out);
    expect_fault("kernel barriers_differ", "waits in __syncthreads at test_cuda_faults.cc");
    expect_success(cudaFree(out));
}

static void leaving_before_a_barrier_is_a_fault(void **)
{
    each_order(wrong_barriers);
}

static __global__ void writes_at(int *out, int index)
{
    out[index] = 1;
}

static __global__ void tell(int32_t *address, int index)
{
    host_store(address + index, 7);
}

static void what_is_told_to_the_host_is_in_pinned_memory(void **)
{
    int32_t *pinned;
    expect_success(cudaMallocHost((void **)&pinned, 4 * sizeof *pinned));
    LAUNCH(tell, 1, 1, 0, nullptr, pinned, 3);
    expect_success(cudaDeviceSynchronize());
    assert_int_equal(pinned[3], 7);
    LAUNCH(tell, 1, 1, 0, nullptr, pinned, 4);
    expect_fault("kernel tell", "which is no pinned memory");
    int *device = device_integers(1);
    LAUNCH(tell, 1, 1, 0, nullptr, device, 0);
    expect_fault("kernel tell", "which is no pinned memory");
    expect_success(cudaFree(device));
    expect_success(cudaFreeHost(pinned));
}

static void a_launch_after_a_fault_works(void **)
{
    int *out = device_integers(64), value = 0;
    LAUNCH(never_arrives, 1, 64, 0, nullptr, out);
    expect_fault("never_arrives", "never arrives");
    LAUNCH(writes_at, 1, 1, 0, nullptr, out, 3);
    expect_success(cudaMemcpy(&value, out + 3, sizeof value, cudaMemcpyDeviceToHost));
    assert_int_equal(value, 1);
    expect_success(cudaFree(out));
}

static __global__ void wants_more_than_it_got(int n)
{
    SHARED_CURSOR;
    SHARED_DYNAMIC(float, x, n);
    x[0] = 0;
}

static void launches_beyond_the_limits_are_refused(void **)
{
    int *out = device_integers(1), host = 0;
    const dim3 wrong[][2] = {{dim3(0), dim3(32)},
                             {dim3(1), dim3(0)},
                             {dim3(1), dim3(1025)},
                             {dim3(1), dim3(64, 32)},
                             {dim3(1, 65536), dim3(32)}};
    for (auto &shape : wrong) {
        LAUNCH(writes_at, shape[0], shape[1], 0, nullptr, out, 0);
        assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    }
    // As LAUNCH does when kernels are compiled for blocks of one warp.
    cudaemu::launch("writes_at", writes_at, false, 32, 1, 33, 0, nullptr, out, 0);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidConfiguration);
    cudaemu::launch("writes_at", writes_at, false, 32, 1, 32, 0, nullptr, out, 0);
    expect_success(cudaGetLastError());
    LAUNCH(writes_at, 1, 1, (48 << 10) + 1, nullptr, out, 0);
    assert_int_equal(cudaGetLastError(), cudaErrorInvalidValue);
    LAUNCH(wants_more_than_it_got, 1, 32, 64, nullptr, 17);
    expect_fault("wants_more_than_it_got", "shared array x has 68 bytes");
    LAUNCH(writes_at, 1, 1, 0, nullptr, &host, 0);
    expect_fault("writes_at", "parameter 1 is a pointer that is neither");
    expect_success(cudaFree(out));
}

typedef cudaError_t call(void);

static int *captured_memory;
static cudaStream_t captured_stream;
static cudaEvent_t captured_event;
static void *other_memory;

static cudaError_t allocate_memory(void)
{
    return cudaMalloc(&other_memory, 4);
}

static cudaError_t allocate_pinned(void)
{
    return cudaMallocHost(&other_memory, 4);
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

static cudaError_t wait_for_event(void)
{
    return cudaEventSynchronize(captured_event);
}

static cudaError_t launch_elsewhere(void)
{
    LAUNCH(writes_at, 1, 1, 0, nullptr, captured_memory, 0);
    return cudaGetLastError();
}

static void what_blocks_ends_a_capture(void **)
{
    call *const calls[] = {allocate_memory, allocate_pinned, free_memory,
                           copy_blocking,   copy_pageable,   wait_for_stream,
                           wait_for_device, wait_for_event,  launch_elsewhere};
    expect_success(cudaEventCreate(&captured_event));
    captured_memory = device_integers(1);
    expect_success(cudaStreamCreateWithFlags(&captured_stream, cudaStreamNonBlocking));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        cudaGraph_t graph;
        expect_success(cudaStreamBeginCapture(captured_stream, cudaStreamCaptureModeRelaxed));
        assert_int_equal(calls[i](), cudaErrorStreamCaptureUnsupported);
        assert_int_equal(cudaStreamEndCapture(captured_stream, &graph),
                         cudaErrorStreamCaptureInvalidated);
        assert_null(graph);
        cudaGetLastError();
        expect_success(cudaStreamSynchronize(captured_stream));
    }
    expect_success(cudaEventDestroy(captured_event));
    expect_success(cudaStreamDestroy(captured_stream));
    expect_success(cudaFree(captured_memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_removed_barrier_gives_nan_and_depends_on_the_order),
        cmocka_unit_test(shared_memory_is_nan_in_every_block),
        cmocka_unit_test(a_wrong_mask_is_a_fault),
        cmocka_unit_test(leaving_before_a_barrier_is_a_fault),
        cmocka_unit_test(what_is_told_to_the_host_is_in_pinned_memory),
        cmocka_unit_test(a_launch_after_a_fault_works),
        cmocka_unit_test(launches_beyond_the_limits_are_refused),
        cmocka_unit_test(what_blocks_ends_a_capture),
    };
    return cmocka_run_group_tests(tests, keep_faults, NULL);
}
