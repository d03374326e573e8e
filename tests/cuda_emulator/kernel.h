/* What kernels are written with: the emulator's side of the contract.
 *
 * The files of gpu/cuda include <kernel.h>, never "kernel.h": nvcc finds gpu/cuda/native/kernel.h,
 * a C++ compiler finds this one (-x c++ -std=c++17 -Itests/cuda_emulator). Both define the same
 * names, so that kernels do not depend on which one compiles them.
 *
 *   LAUNCH(kernel, grid, block, bytes, stream, args…);
 *     A statement without a value; cudaGetLastError reports a launch that was refused. `grid` and
 *     `block` are dim3 or integers, `bytes` is the dynamic shared memory. A kernel whose template
 *     arguments contain a comma is put in parentheses: LAUNCH((norm<256, true>), …). Parameters are
 *     trivially copyable, 4096 bytes in all; pointers among them are null or point to device memory
 *     or pinned host memory.
 *
 *   LAUNCH_EARLY(kernel, grid, block, bytes, stream, args…);
 *     The same for a kernel that may begin once all blocks of the previous kernel in the stream
 * have
 *     passed its grid_wait() or ended (programmatic dependent launch). For GPUs of compute
 *     capability 9.0 or more. Every thread of it must call grid_wait() before it returns. Before
 *     that it must not write device memory, nor read what the previous kernel or product writes
 *     there; in a watched kernel this is reported as a race (races.h).
 *
 *   BLOCK_LIMIT
 *     Threads that a block may have: 1024, and 32 in the second emulated plug-in. Launches must not
 *     exceed it, and must pass the size to the kernel as a template argument. So the same kernels
 *     also run with blocks of one warp, which take other paths and show other races.
 *
 *   SHARED(type, name, n);
 *     Declares `type name[n]`, n a constant, in the shared memory of the block. Contents are
 *     undefined (NaN here). Static arrays have 48 KB together.
 *
 *   SHARED_CURSOR;
 *   SHARED_DYNAMIC(type, name, n);
 *     Declares `type *name`, n elements in the `bytes` of the launch; n is known only when the
 *     kernel runs, and the same in every thread. SHARED_CURSOR stands once before the first of
 * them,
 *     in the same function. All threads must pass all of them, in the same order. `bytes` of the
 *     launch is the sum of SHARED_BYTES(type, n) over them; above 48 KB (static and dynamic
 *     together), after cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
 *     bytes), up to 227 KB.
 *
 * A kernel may use
 *   __global__ __device__ __host__ __forceinline__ __restrict__ __launch_bounds__ __align__
 *   dim3 threadIdx blockIdx blockDim gridDim warpSize; the vector types and make_… (vector_types.h)
 *   host_store(address, value): writes a word of pinned memory, which the host may read once an
 *     event after the kernel is done; kernels must not write there in any other way
 *   grid_wait(): returns when everything given to the stream before has ended; in a kernel that was
 *     not launched early, at once
 *   __syncthreads()
 *   __syncwarp(mask), __shfl_sync, __shfl_up_sync, __shfl_down_sync, __shfl_xor_sync (mask, value,
 *     lane[, width]) of int, unsigned and float, __ballot_sync(mask, predicate)
 *   atomicAdd Sub Max Min Exch CAS And Or of int and unsigned (Add, Exch, CAS, Max, Min also of
 *     unsigned long long)
 *   math.h's functions in float, rsqrtf, min, max, __fmaf_rn __fadd_rn __fmul_rn,
 *   __float_as_int __int_as_float __float_as_uint __uint_as_float __popc __ffs __clz __ldg
 *   bf16 as storage: __float2bfloat16_rn, __bfloat162float and their pairs (cuda_bf16.h)
 * and nothing else: no fast intrinsics, float atomics, cooperative groups, textures, inline PTX,
 * __constant__ or __device__ variables, __threadfence, device printf.
 *
 * Rules for kernels, which the emulator checks (with a fault, emulator.h, or AddressSanitizer):
 * every
 *   lane that a mask names calls the same intrinsic in the same source line with the same mask,
 *   which names the caller too; a shuffle reads only from lanes that the mask names; masks name
 * only
 *   lanes that the block has; no thread returns before a barrier at which another one waits; all
 *   threads wait at the same source line; nothing depends on the order of threads or blocks;
 *   nothing is read that was not written (NaN); no access outside arrays; no access by the host to
 *   device memory.
 *
 * Not modelled: registers, occupancy, coalescing, bank conflicts, memory models. */
#ifndef CUDA_EMULATOR_KERNEL_H
#define CUDA_EMULATOR_KERNEL_H

#include "cuda_bf16.h"
#include "cuda_runtime.h"
#include "launch.h"
#include "shared.h"

#ifndef CUDAEMU_BLOCK_LIMIT
#define CUDAEMU_BLOCK_LIMIT 1024
#endif
enum { BLOCK_LIMIT = CUDAEMU_BLOCK_LIMIT };

// The stream is the first argument in `...`.
#define LAUNCH(kernel, grid, block, bytes, ...)                                                    \
    ::cudaemu::launch(#kernel, kernel, false, BLOCK_LIMIT, grid, block, bytes, __VA_ARGS__)

#define LAUNCH_EARLY(kernel, grid, block, bytes, ...)                                              \
    ::cudaemu::launch(#kernel, kernel, true, BLOCK_LIMIT, grid, block, bytes, __VA_ARGS__)

#define SHARED(type, name, n)                                                                      \
    static ::cudaemu::shared_site name##_site = {#name};                                           \
    auto &name = ::cudaemu::shared_array<type, (n)>(name##_site)

#define SHARED_CURSOR ::cudaemu::shared_cursor shared_cursor

#define SHARED_DYNAMIC(type, name, n)                                                              \
    static ::cudaemu::shared_site name##_site = {#name};                                           \
    type *const name = shared_cursor.take<type>(name##_site, n)

#define SHARED_BYTES(type, n) ((sizeof(type) * (size_t)(n) + 15) / 16 * 16)

#endif
