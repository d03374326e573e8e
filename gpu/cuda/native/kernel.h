/* The language of kernels: nvcc's side of the contract defined in the emulator's kernel.h.
 *
 * The files of gpu/cuda include <kernel.h>, never "kernel.h": nvcc finds this one, a C++ compiler
 * finds the emulator's. Both provide the same names, so kernels do not depend on which of the two
 * compiles them. */
#ifndef ATTNSCOPE_NATIVE_KERNEL_H
#define ATTNSCOPE_NATIVE_KERNEL_H

#include <cuda_bf16.h>
#include <cuda_runtime.h>
#include <stdint.h>

/* Starts a kernel; cudaGetLastError reports a failed launch. Parenthesise a kernel whose template
 * arguments contain a comma. */
#define LAUNCH(kernel, grid, block, bytes, stream, ...)                                            \
    (kernel)<<<grid, block, bytes, stream>>>(__VA_ARGS__)

/* The same for a kernel that may begin before the previous one in the stream has ended; see
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

/* Older GPUs start kernels one after another. The next kernel may start only after this wait, so
 * that everything written by kernels before this one is complete. */
static __device__ __forceinline__ void grid_wait(void)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/* Writes the value atomically, as other threads may read it at the same time; the fence keeps the
 * kernel from ending before the host can see it. */
static __device__ __forceinline__ void host_store(int32_t *address, int32_t value)
{
    *(volatile int32_t *)address = value;
    __threadfence_system();
}

/* Maximum threads per block. */
enum { BLOCK_LIMIT = 1024 };

/* `type name[n]` in the shared memory of the block; n is a constant. */
#define SHARED(type, name, n) __shared__ type name[n]

#endif
