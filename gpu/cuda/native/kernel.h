/* The language of kernels: nvcc's side of the contract, which the emulator's kernel.h states.
 *
 * The files of gpu/cuda include <kernel.h>, never "kernel.h": nvcc finds this one, a C++ compiler
 * that of the emulator. Both give the same names, so that no kernel asks which of the two it is
 * compiled by. */
#ifndef ATTNSCOPE_NATIVE_KERNEL_H
#define ATTNSCOPE_NATIVE_KERNEL_H

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

/* Starts a kernel; cudaGetLastError tells of a launch that was refused. A kernel whose template
 * arguments have a comma is put in parentheses. */
#define LAUNCH(kernel, grid, block, bytes, stream, ...)                                            \
    (kernel)<<<grid, block, bytes, stream>>>(__VA_ARGS__)

/* The same of a kernel that may begin before the one before it in the stream has ended; see
 * grid_wait. */
#define LAUNCH_EARLY(kernel, grid, block, bytes, stream, ...)                                      \
    launch_early(kernel, grid, block, bytes, stream, __VA_ARGS__)

template <class... P, class... A>
static inline void launch_early(void (*kernel)(P...), dim3 grid, dim3 block, size_t bytes,
                                cudaStream_t stream, const A &...arguments)
{
    cudaLaunchAttribute early = {};
    cudaLaunchConfig_t config = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = bytes;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = 1;
    cudaLaunchKernelEx(&config, kernel, arguments...);
}

/* Older GPUs begin kernels one after the other. The next kernel is let in after the wait, not
 * before it, so that it finds complete what kernels before this one have written. */
static __device__ __forceinline__ void grid_wait(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* What other threads may read at the same time is written at once, as a whole; the fence keeps the
 * kernel from ending before the host can see it. */
static __device__ __forceinline__ void host_store(int32_t *address, int32_t value)
{
    *(volatile int32_t *)address = value;
    __threadfence_system();
}

/* Threads that a block may have. */
enum { BLOCK_LIMIT = 1024 };

/* `type name[n]` in the shared memory of the block; n is a constant. */
#define SHARED(type, name, n) __shared__ type name[n]

#endif
