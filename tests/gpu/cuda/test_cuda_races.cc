/* The CUDA emulator: races and reads of unwritten memory, planted in watched kernels (races.h), and
 * the same kernels without them, for which nothing may be reported. */
#include <cublas_v2.h>
#include <kernel.h>

#include "tests/gpu/cuda/emulator_support.h"

enum { BLOCK = 64, BLOCKS = 3 };

/* Shared memory, within a block ---------------------------------------------------------------- */

/* Each thread reads what a thread of the next warp has written. */
template <bool wait> static __global__ void neighbour_kernel(int *y)
{
    SHARED(int, x, BLOCK);
    x[threadIdx.x] = (int)threadIdx.x;
    if (wait)
        __syncthreads();
    y[blockIdx.x * BLOCK + threadIdx.x] = x[(threadIdx.x + 32) % BLOCK];
}

/* The barrier is there, but the array is overwritten before all have read it. */
template <bool wait> static __global__ void again_kernel(int *y)
{
    SHARED(int, x, BLOCK);
    int sum = 0;
    for (int round = 0; round < 3; round++) {
        x[threadIdx.x] = round;
        __syncthreads();
        sum += x[(threadIdx.x + 1) % BLOCK];
        if (wait)
            __syncthreads();
    }
    y[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

/* Within a warp: lanes meet in a shuffle, but it does not order memory accesses. */
template <bool sync> static __global__ void lanes_kernel(int *y)
{
    SHARED(int, x, BLOCK);
    const int place = (int)threadIdx.x;
    x[place] = place;
    const int lane = __shfl_sync(0xffffffff, place, 5);
    if (sync)
        __syncwarp(0xffffffff);
    y[blockIdx.x * BLOCK + threadIdx.x] = lane + x[place ^ 1];
}

/* Every thread writes the same number, which is still a race. */
template <bool one> static __global__ void same_value_kernel(int *y)
{
    SHARED(int, x, 1);
    if (!one || threadIdx.x == 0)
        x[0] = 7;
    __syncthreads();
    y[blockIdx.x * BLOCK + threadIdx.x] = x[0];
}

/* The bytes of a word, each written by a different thread. */
static __global__ void bytes_kernel(int *y)
{
    SHARED(unsigned char, x, BLOCK);
    x[threadIdx.x] = 1;
    __syncthreads();
    y[blockIdx.x * BLOCK + threadIdx.x] = x[threadIdx.x];
}

/* Device memory, of other blocks too ----------------------------------------------------------- */

template <bool own> static __global__ void blocks_write_kernel(int *y)
{
    y[(own ? blockIdx.x * BLOCK : 0) + threadIdx.x] = 1;
}

template <bool own> static __global__ void blocks_read_kernel(int *y)
{
    const unsigned block = own ? blockIdx.x : (blockIdx.x + 1) % BLOCKS;
    const int before = y[block * BLOCK + threadIdx.x];
    y[blockIdx.x * BLOCK + threadIdx.x] = before + 1;
}

/* Many threads have read it when one writes; the last reader is the writer. */
template <bool wait> static __global__ void read_by_all_kernel(int *y)
{
    const int first = y[blockIdx.x * BLOCK];
    if (wait)
        __syncthreads();
    if (threadIdx.x == BLOCK - 1 || first < 0)
        y[blockIdx.x * BLOCK] = first + 1;
}

template <bool atomic> static __global__ void counts_kernel(int *y)
{
    if (atomic)
        atomicAdd(y, 1);
    else
        y[0] = y[0] + 1;
}

/* Launched early ------------------------------------------------------------------------------- */

/* Reads what the previous kernel writes. */
template <bool wait> static __global__ void early_read_kernel(int *y)
{
    if (wait)
        grid_wait();
    const int before = y[blockIdx.x * BLOCK + threadIdx.x];
    if (!wait)
        grid_wait();
    y[blockIdx.x * BLOCK + threadIdx.x] = before + 1;
}

template <bool wait> static __global__ void early_write_kernel(int *y)
{
    if (wait)
        grid_wait();
    y[blockIdx.x * BLOCK + threadIdx.x] = 1;
    if (!wait)
        grid_wait();
}

template <bool wait> static __global__ void never_waits_kernel(int *y)
{
    if (wait || threadIdx.x != 7)
        grid_wait();
    if (wait)
        y[blockIdx.x * BLOCK + threadIdx.x] = 1;
}

/* Reads, before it waits, only what no kernel writes. */
static __global__ void ahead_kernel(int *y, const int *constant)
{
    const int value = constant[threadIdx.x];
    grid_wait();
    y[blockIdx.x * BLOCK + threadIdx.x] += value;
}

/* Unwritten memory ----------------------------------------------------------------------------- */

template <bool whole> static __global__ void unwritten_shared_kernel(int *y)
{
    SHARED(int, x, BLOCK);
    if (whole || threadIdx.x != 9)
        x[threadIdx.x] = 1;
    __syncthreads();
    y[blockIdx.x * BLOCK + threadIdx.x] = x[(threadIdx.x + 1) % BLOCK];
}

static __global__ void copy_kernel(int *y, const int *x)
{
    y[blockIdx.x * BLOCK + threadIdx.x] = x[blockIdx.x * BLOCK + threadIdx.x];
}

/* ---------------------------------------------------------------------------------------------- */

static int *memory;

static int take_memory(void **state)
{
    memory = device_integers((size_t)BLOCKS * BLOCK);
    return keep_faults(state);
}

static void expect_silence(const char *kernel)
{
    if (cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess)
        fail_msg("%s: %s", kernel, last_fault());
}

/* Checks that the fault is reported in every order of threads, and that nothing is reported without
 * it. */
static void check(const char *name, void (*broken)(int *), void (*right)(int *), const char *what)
{
    for (int order = CUDAEMU_FORWARD; order <= CUDAEMU_RANDOM; order++) {
        cudaemu_set_order((enum cudaemu_order)order, 3);
        LAUNCH(broken, BLOCKS, BLOCK, 0, nullptr, memory);
        if (cudaPeekAtLastError() == cudaSuccess)
            fail_msg("%s, order %d: nothing was told", name, order);
        expect_fault("kernel broken, block (", what);
        LAUNCH(right, BLOCKS, BLOCK, 0, nullptr, memory);
        expect_silence(name);
    }
    cudaemu_set_order(CUDAEMU_FORWARD, 0);
}

#define CHECK(kernel, what) check(#kernel, kernel<false>, kernel<true>, what)

static void races_in_shared_memory_are_told(void **)
{
    CHECK(neighbour_kernel, "s shared array x, which ");
    CHECK(again_kernel, "a race: it ");
    CHECK(lanes_kernel, "s shared array x, which ");
    CHECK(same_value_kernel, "a race: it writes shared array x, which thread ");
}

static void races_in_device_memory_are_told(void **)
{
    CHECK(blocks_write_kernel, " of another block has written, and nothing orders the two");
    CHECK(blocks_read_kernel, " of an allocation of 768, which thread ");
    CHECK(read_by_all_kernel, "a race: it ");
    CHECK(counts_kernel, "a race: it ");
}

static void expect_early(const char *name, void (*broken)(int *), void (*right)(int *),
                         const char *what)
{
    LAUNCH(blocks_write_kernel<true>, BLOCKS, BLOCK, 0, nullptr, memory);
    LAUNCH_EARLY(broken, BLOCKS, BLOCK, 0, nullptr, memory);
    if (cudaPeekAtLastError() == cudaSuccess)
        fail_msg("%s: nothing was told", name);
    expect_fault("kernel broken, block (", what);
    LAUNCH(blocks_write_kernel<true>, BLOCKS, BLOCK, 0, nullptr, memory);
    LAUNCH_EARLY(right, BLOCKS, BLOCK, 0, nullptr, memory);
    LAUNCH(broken, BLOCKS, BLOCK, 0, nullptr, memory); // launched normally
    expect_silence(name);
}

#define EXPECT_EARLY(kernel, what) expect_early(#kernel, kernel<false>, kernel<true>, what)

static void a_kernel_launched_early_waits_before_it_reads_and_writes(void **)
{
    EXPECT_EARLY(early_read_kernel, "a race: it reads byte 0 of an allocation of 768, which the "
                                    "kernel or product before it has written");
    EXPECT_EARLY(early_write_kernel, "a race: it writes byte 0 of an allocation of 768 before "
                                     "grid_wait, launched early");
    EXPECT_EARLY(never_waits_kernel, "it returns without grid_wait, launched early");
}

/* This holds for early kernels, too: the next one begins when all of its threads have waited. */
static void only_the_kernel_before_overlaps_an_early_one(void **)
{
    int *constant = device_integers(BLOCK);
    LAUNCH(blocks_write_kernel<true>, 1, BLOCK, 0, nullptr, constant);
    LAUNCH_EARLY(ahead_kernel, BLOCKS, BLOCK, 0, nullptr, memory, (const int *)constant);
    expect_fault("kernel ahead_kernel", "which the kernel or product before it has written");
    LAUNCH(blocks_write_kernel<true>, 1, BLOCK, 0, nullptr, constant);
    for (int round = 0; round < 3; round++) {
        LAUNCH_EARLY(early_write_kernel<true>, BLOCKS, BLOCK, 0, nullptr, memory);
        LAUNCH_EARLY(ahead_kernel, BLOCKS, BLOCK, 0, nullptr, memory, (const int *)constant);
    }
    expect_silence("what an earlier kernel has written");
    LAUNCH(blocks_write_kernel<true>, 1, BLOCK, 0, nullptr, constant);
    expect_success(cudaMemset(constant, 0, BLOCK * sizeof *constant));
    LAUNCH_EARLY(ahead_kernel, BLOCKS, BLOCK, 0, nullptr, memory, (const int *)constant);
    expect_silence("a fill, which is waited for");
    expect_success(cudaFree(constant));
}

/* A product of a single element. */
static void products_overlap_early_kernels(void **)
{
    const float one = 1, zero = 0;
    cublasHandle_t handle;
    int *numbers = device_integers(BLOCK);
    float *factors = (float *)memory, *y = (float *)numbers;
    expect_success(cudaMemset(memory, 0, sizeof *memory * BLOCK));
    assert_int_equal(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS);
    assert_int_equal(cublasSetWorkspace(handle, memory, sizeof *memory), CUBLAS_STATUS_SUCCESS);
    assert_int_equal(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, factors,
                                  CUDA_R_32F, 1, factors + 1, CUDA_R_32F, 1, &zero, y, CUDA_R_32F,
                                  1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                     CUBLAS_STATUS_SUCCESS);
    LAUNCH_EARLY(ahead_kernel, 1, BLOCK, 0, nullptr, memory, (const int *)numbers);
    expect_fault("kernel ahead_kernel", "which the kernel or product before it has written");
    assert_int_equal(cublasDestroy(handle), CUBLAS_STATUS_SUCCESS);
    expect_success(cudaFree(numbers));
}

static void older_gpus_launch_nothing_early(void **)
{
    cudaemu_set_major(8);
    LAUNCH_EARLY(early_write_kernel<true>, BLOCKS, BLOCK, 0, nullptr, memory);
    assert_int_equal(cudaGetLastError(), cudaErrorNotSupported);
    cudaemu_set_major(9);
}

static void bytes_of_a_word_may_be_of_different_threads(void **)
{
    LAUNCH(bytes_kernel, BLOCKS, BLOCK, 0, nullptr, memory);
    expect_silence("bytes_kernel");
}

static void launches_are_in_order(void **)
{
    for (int round = 0; round < 3; round++) {
        LAUNCH(blocks_read_kernel<true>, BLOCKS, BLOCK, 0, nullptr, memory);
        LAUNCH(blocks_write_kernel<true>, BLOCKS, BLOCK, 0, nullptr, memory);
        LAUNCH(counts_kernel<true>, BLOCKS, BLOCK, 0, nullptr, memory);
    }
    expect_silence("a launch after another");
}

/* Whatever byte fills memory: the check is of writes, not of values. */
static void reads_of_what_was_not_written_are_told(void **)
{
    int *fresh;
    cudaemu_set_poison(0);
    CHECK(unwritten_shared_kernel, "it reads shared array x, which nothing has written");
    expect_success(cudaMalloc(&fresh, BLOCKS * BLOCK * sizeof *fresh));
    LAUNCH(copy_kernel, BLOCKS, BLOCK, 0, nullptr, memory, (const int *)fresh);
    expect_fault("kernel copy_kernel",
                 "it reads byte 0 of an allocation of 768, which nothing has");
    expect_success(cudaMemset(fresh, 0, BLOCKS * BLOCK * sizeof *fresh));
    LAUNCH(copy_kernel, BLOCKS, BLOCK, 0, nullptr, memory, (const int *)fresh);
    expect_silence("copy_kernel");
    expect_success(cudaFree(fresh));
    cudaemu_set_poison(0xff);
}

/* A copy passes unwritten bytes on; the host must not receive them. */
static void copies_of_what_was_not_written_are_told(void **)
{
    int *fresh, *other, host[BLOCK];
    const size_t bytes = sizeof host;
    expect_success(cudaMalloc(&fresh, bytes));
    expect_success(cudaMalloc(&other, bytes));
    expect_success(cudaMemset(fresh, 0, bytes - 4));
    expect_success(cudaMemset(other, 0, bytes));
    expect_success(cudaMemcpy(other, fresh, bytes, cudaMemcpyDeviceToDevice));
    expect_success(cudaMemcpy(host, other, bytes - 4, cudaMemcpyDeviceToHost));
    assert_int_equal(cudaMemcpy(host, other, bytes, cudaMemcpyDeviceToHost),
                     cudaErrorLaunchFailure);
    expect_in(last_fault(), "a copy of 256 bytes to the host has some that nothing has written");
    cudaGetLastError();
    expect_success(cudaFree(fresh));
    expect_success(cudaFree(other));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(races_in_shared_memory_are_told),
        cmocka_unit_test(races_in_device_memory_are_told),
        cmocka_unit_test(a_kernel_launched_early_waits_before_it_reads_and_writes),
        cmocka_unit_test(only_the_kernel_before_overlaps_an_early_one),
        cmocka_unit_test(products_overlap_early_kernels),
        cmocka_unit_test(older_gpus_launch_nothing_early),
        cmocka_unit_test(bytes_of_a_word_may_be_of_different_threads),
        cmocka_unit_test(launches_are_in_order),
        cmocka_unit_test(reads_of_what_was_not_written_are_told),
        cmocka_unit_test(copies_of_what_was_not_written_are_told),
    };
    return cmocka_run_group_tests(tests, take_memory, NULL);
}
