/* What a kernel is written with: the emulator's side of the contract.
 *
 * The files of gpu/cuda include <kernel.h>, never "kernel.h": nvcc finds gpu/cuda/native/kernel.h,
 * a C++ compiler finds this one (-x c++ -std=c++17 -Itests/cuda_emulator). Both give the same
 * names, so that no kernel asks which of the two it is compiled by.
 *
 *   LAUNCH(kernel, grid, block, bytes, stream, args…);
 *     A statement, without a value; cudaGetLastError tells of a launch that was refused. `grid` and
 *     `block` are dim3 or integers, `bytes` the dynamic shared memory. A kernel whose template
 *     arguments have a comma is put in parentheses: LAUNCH((norm<256, true>), …). Parameters are
 *     trivially copyable, 4096 bytes in all; a pointer among them is null, of device memory, or of
 *     pinned host memory.
 *
 *   LAUNCH_EARLY(kernel, grid, block, bytes, stream, args…);
 *     The same of a kernel that may begin when all blocks of the one before it in the stream have
 *     passed its grid_wait() or ended (programmatic dependent launch). For GPUs of compute
 *     capability 9.0 or more. Every thread of it calls grid_wait() before it returns. Before that,
 *     it writes nothing to device memory, and reads nothing there that the kernel or product before
 *     it writes; a watched kernel that does is told of as a race (races.h).
 *
 *   BLOCK_LIMIT
 *     Threads that a block may have: 1024, and 32 in the second emulated plug-in. Who launches
 *     takes no more, and hands the size to the kernel as a template argument: so the same kernels
 *     also run with blocks of one warp, where other paths are taken and other races show.
 *
 *   SHARED(type, name, n);
 *     Declares `type name[n]`, n a constant, in the shared memory of the block. Contents are
 *     undefined (NaN here). Static arrays have 48 KB together.
 *
 *   SHARED_CURSOR;
 *   SHARED_DYNAMIC(type, name, n);
 *     Declares `type *name`, n elements, n known when the kernel runs and the same in every thread,
 *     of the `bytes` of the launch. SHARED_CURSOR stands once before the first of them, in the same
 *     function. All threads pass all of them, in one order. The launch gives the sum of
 *     SHARED_BYTES(type, n) over them; above 48 KB (static and dynamic together), after
 *     cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes), up to 227
 *     KB.
 *
 * A kernel may use
 *   __global__ __device__ __host__ __forceinline__ __restrict__ __launch_bounds__ __align__
 *   dim3 threadIdx blockIdx blockDim gridDim warpSize; the vector types and make_… (vector_types.h)
 *   host_store(address, value): writes a word of pinned memory, which the host may read when an
 *     event after the kernel has come; kernels write there in no other way
 *   grid_wait(): returns when what the stream was given before has ended; at once in a kernel not
 *   launched early __syncthreads()
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
 * What a kernel must keep, and what the emulator finds (as a fault, emulator.h, or by
 *   AddressSanitizer): every lane that a mask names calls the same intrinsic in the same source
 *   line with the same mask, itself among them; a shuffle reads only from lanes that the mask
 *   names; lanes that the block does not have are not named; no thread returns before a barrier
 *   that another one waits at; all threads wait at the same source line; nothing depends on the
 *   order of threads or blocks; nothing is read that was not written (NaN); no access outside
 *   arrays; none by the host to device memory.
 *
 * Without meaning here: registers, occupancy, coalescing, bank conflicts, memory models. */
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

// The stream is the first of the `...`.
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
