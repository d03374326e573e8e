/* What a kernel is written with: nvcc's side of the contract, which the emulator's kernel.h states.
 *
 * The files of gpu/cuda include <kernel.h>, never "kernel.h": nvcc finds this one, a C++ compiler that
 * of the emulator. Both give the same names, so that no kernel asks which of the two it is compiled by. */
#ifndef ATTNSCOPE_NATIVE_KERNEL_H
#define ATTNSCOPE_NATIVE_KERNEL_H

#include <cuda_bf16.h>
#include <cuda_runtime.h>

/* Starts a kernel; cudaGetLastError tells of a launch that was refused. A kernel whose template arguments
 * have a comma is put in parentheses. */
#define LAUNCH(kernel, grid, block, bytes, stream, ...)                                            \
    (kernel)<<<grid, block, bytes, stream>>>(__VA_ARGS__)

/* Threads that a block may have. */
enum { BLOCK_LIMIT = 1024 };

/* `type name[n]` in the shared memory of the block; n is a constant. */
#define SHARED(type, name, n) __shared__ type name[n]

#endif
