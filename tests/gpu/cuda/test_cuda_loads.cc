/* The CUDA emulator: counts of the loads of watched kernels from device memory (loads.h), compared
 * with sectors counted by hand. */
#include <kernel.h>

#include "tests/gpu/cuda/emulator_support.h"

enum { BLOCK = 64, BLOCKS = 3, WARPS = BLOCK / 32, SECTOR = 32, TIMES = 3 };

struct alignas(16) quad {
    float element[4];
};

/* Adjacent lanes load adjacent words: 128 bytes a warp, all different. */
static __global__ void side_by_side_kernel(float *y, const float *x)
{
    const unsigned at = blockIdx.x * BLOCK + threadIdx.x;
    y[at] = x[at];
}

/* Each lane loads from a different sector. */
static __global__ void apart_kernel(float *y, const float *x)
{
    y[blockIdx.x * BLOCK + threadIdx.x] = x[threadIdx.x * SECTOR / sizeof *x];
}

/* All lanes load from the same place. */
static __global__ void same_place_kernel(float *y, const float *x)
{
    y[blockIdx.x * BLOCK + threadIdx.x] = x[0];
}

/* Executes one instruction several times. */
static __global__ void again_kernel(float *y, const float *x, int times)
{
    float sum = 0;
    for (int i = 0; i < times; i++) {
        sum += x[threadIdx.x];
        __syncthreads();
    }
    y[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

/* Loads sixteen bytes a lane: 512 a warp. */
static __global__ void quads_kernel(float *y, const float *x)
{
    const quad a = ((const quad *)x)[threadIdx.x];
    y[blockIdx.x * BLOCK + threadIdx.x] = a.element[0] + a.element[1] + a.element[2] + a.element[3];
}

/* ---------------------------------------------------------------------------------------------- */

static float *x, *y;

static int take_memory(void **state)
{
    x = (float *)device_integers((size_t)BLOCKS * BLOCK * SECTOR);
    y = (float *)device_integers((size_t)BLOCKS * BLOCK);
    return keep_faults(state);
}

/* Checks the counts since the last call, in sectors. */
static void expect_loads(size_t of_warps, size_t of_blocks)
{
    struct cudaemu_counts counts;
    expect_success(cudaDeviceSynchronize());
    cudaemu_get_counts(&counts);
    assert_int_equal(counts.warp_loads, of_warps * SECTOR);
    assert_int_equal(counts.block_loads, of_blocks * SECTOR);
    cudaemu_reset_counts();
}

static void sectors_are_counted_once_an_instruction_and_once_a_block(void **)
{
    assert_true(cudaemu_count_loads("_kernel"));
    cudaemu_reset_counts();
    LAUNCH(side_by_side_kernel, BLOCKS, BLOCK, 0, nullptr, y, (const float *)x);
    expect_loads(BLOCKS * BLOCK * 4 / SECTOR, BLOCKS * BLOCK * 4 / SECTOR);
    LAUNCH(apart_kernel, BLOCKS, BLOCK, 0, nullptr, y, (const float *)x);
    expect_loads(BLOCKS * BLOCK, BLOCKS * BLOCK);
    LAUNCH(same_place_kernel, BLOCKS, BLOCK, 0, nullptr, y, (const float *)x);
    expect_loads(BLOCKS * WARPS, BLOCKS);
    LAUNCH(again_kernel, BLOCKS, BLOCK, 0, nullptr, y, (const float *)x, (int)TIMES);
    expect_loads(TIMES * BLOCKS * BLOCK * 4 / SECTOR, BLOCKS * BLOCK * 4 / SECTOR);
    LAUNCH(quads_kernel, BLOCKS, BLOCK, 0, nullptr, y, (const float *)x);
    expect_loads(BLOCKS * BLOCK * 16 / SECTOR, BLOCKS * BLOCK * 16 / SECTOR);
}

static void kernels_of_other_names_are_not_counted(void **)
{
    cudaemu_count_loads("apart");
    cudaemu_reset_counts();
    LAUNCH(side_by_side_kernel, BLOCKS, BLOCK, 0, nullptr, y, (const float *)x);
    expect_loads(0, 0);
    LAUNCH(apart_kernel, 1, BLOCK, 0, nullptr, y, (const float *)x);
    expect_loads(BLOCK, BLOCK);
    cudaemu_count_loads(nullptr);
    LAUNCH(apart_kernel, 1, BLOCK, 0, nullptr, y, (const float *)x);
    expect_loads(0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors_are_counted_once_an_instruction_and_once_a_block),
        cmocka_unit_test(kernels_of_other_names_are_not_counted),
    };
    return cmocka_run_group_tests(tests, take_memory, NULL);
}
