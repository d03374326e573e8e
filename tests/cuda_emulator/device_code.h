/* What device code is written with: qualifiers, indices, collectives, atomics, arithmetic.
 *
 * Contains only what kernel.h promises, so that a kernel that uses more does not compile. */
#ifndef CUDA_EMULATOR_DEVICE_CODE_H
#define CUDA_EMULATOR_DEVICE_CODE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "races.h"
#include "sanitizer.h"
#include "vector_types.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

// Set whenever another thread is resumed.
extern uint3 threadIdx, blockIdx;
extern dim3 blockDim, gridDim;
constexpr int warpSize = 32;

namespace cudaemu
{

enum class collective { sync, shuffle, up, down, exchange, ballot };

struct place { // in the source
    const char *file;
    int line;
};

/* Waits for the lanes of `mask` and returns this lane's result. Called all the time: as the first
 * argument, `at` is passed in registers. On x86-64's stack it would be read back as a whole before
 * its two halves had been written. */
uint32_t meet(place at, collective what, uint32_t mask, uint32_t value, int operand, int width);
void wait_for_block(place at);
void wait_for_grids(void);
void check_pinned(const void *address, size_t bytes); // a fault of the kernel if it is not

template <class T> inline uint32_t to_bits(T value)
{
    static_assert(sizeof value == 4, "shuffles are of 32 bits");
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

template <class T> inline T from_bits(uint32_t bits)
{
    static_assert(sizeof(T) == 4, "shuffles are of 32 bits");
    T value;
    memcpy(&value, &bits, 4);
    return value;
}

} // namespace cudaemu

// Default arguments are evaluated in the caller, so that this is the caller's place.
#define CUDAEMU_CALLER const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(CUDAEMU_CALLER)
{
    cudaemu::wait_for_block({file, line});
}

/* Everything given to the stream before has ended at this point; reading too early is detected by
 * races.h. */
inline void grid_wait(void)
{
    cudaemu::wait_for_grids();
}

inline void host_store(int32_t *address, int32_t value)
{
    cudaemu::check_pinned(address, sizeof *address);
    *address = value;
}

inline void __syncwarp(unsigned mask, CUDAEMU_CALLER)
{
    cudaemu::meet({file, line}, cudaemu::collective::sync, mask, 0, 0, 32);
}

inline unsigned __ballot_sync(unsigned mask, int predicate, CUDAEMU_CALLER)
{
    return cudaemu::meet({file, line}, cudaemu::collective::ballot, mask, predicate != 0, 0, 32);
}

#define CUDAEMU_SHUFFLE(name, kind)                                                                \
    template <class T>                                                                             \
    inline T name(unsigned mask, T value, int lane, int width = 32, CUDAEMU_CALLER)                \
    {                                                                                              \
        return cudaemu::from_bits<T>(cudaemu::meet({file, line}, cudaemu::collective::kind, mask,  \
                                                   cudaemu::to_bits(value), lane, width));         \
    }
CUDAEMU_SHUFFLE(__shfl_sync, shuffle)
CUDAEMU_SHUFFLE(__shfl_up_sync, up)
CUDAEMU_SHUFFLE(__shfl_down_sync, down)
CUDAEMU_SHUFFLE(__shfl_xor_sync, exchange)

/* If accesses are watched (races.h), atomic ones are reported as atomic. */
#if CUDAEMU_TSAN
#define CUDAEMU_UNWATCHED __attribute__((no_sanitize("thread")))
#define CUDAEMU_WATCH_ATOMIC(address)                                                              \
    cudaemu::watch_access(address, sizeof *(address), cudaemu::access::atomic,                     \
                          __builtin_return_address(0))
#else
#define CUDAEMU_UNWATCHED
#define CUDAEMU_WATCH_ATOMIC(address) (void)0
#endif

/* Threads switch only at collectives, so that plain operations are atomic. Overloads rather than a
 * template: there must be none for float, whose sum would depend on the order. */
#define CUDAEMU_ATOMIC(name, T, expression)                                                        \
    CUDAEMU_UNWATCHED inline T name(T *address, T value)                                           \
    {                                                                                              \
        CUDAEMU_WATCH_ATOMIC(address);                                                             \
        T old = *address;                                                                          \
        *address = expression;                                                                     \
        return old;                                                                                \
    }
#define CUDAEMU_ATOMICS(T)                                                                         \
    CUDAEMU_ATOMIC(atomicMax, T, old > value ? old : value)                                        \
    CUDAEMU_ATOMIC(atomicMin, T, old < value ? old : value)                                        \
    CUDAEMU_ATOMIC(atomicExch, T, value)                                                           \
    CUDAEMU_UNWATCHED inline T atomicCAS(T *address, T compare, T value)                           \
    {                                                                                              \
        CUDAEMU_WATCH_ATOMIC(address);                                                             \
        T old = *address;                                                                          \
        *address = old == compare ? value : old;                                                   \
        return old;                                                                                \
    }
CUDAEMU_ATOMICS(int)
CUDAEMU_ATOMICS(unsigned)
CUDAEMU_ATOMICS(unsigned long long)
CUDAEMU_ATOMIC(atomicAdd, unsigned, old + value)
CUDAEMU_ATOMIC(atomicAdd, unsigned long long, old + value)
CUDAEMU_ATOMIC(atomicSub, unsigned, old - value)
CUDAEMU_ATOMIC(atomicAnd, unsigned, old &value)
CUDAEMU_ATOMIC(atomicOr, unsigned, old | value)
CUDAEMU_ATOMIC(atomicAdd, int, (int)((unsigned)old + (unsigned)value))
CUDAEMU_ATOMIC(atomicSub, int, (int)((unsigned)old - (unsigned)value))
CUDAEMU_ATOMIC(atomicAnd, int, old &value)
CUDAEMU_ATOMIC(atomicOr, int, old | value)

#define CUDAEMU_MIN_MAX(T)                                                                         \
    inline T min(T a, T b)                                                                         \
    {                                                                                              \
        return b < a ? b : a;                                                                      \
    }                                                                                              \
    inline T max(T a, T b)                                                                         \
    {                                                                                              \
        return a < b ? b : a;                                                                      \
    }
CUDAEMU_MIN_MAX(int)
CUDAEMU_MIN_MAX(unsigned)
CUDAEMU_MIN_MAX(long)
CUDAEMU_MIN_MAX(unsigned long)
CUDAEMU_MIN_MAX(long long)
CUDAEMU_MIN_MAX(unsigned long long)

// CUDA's min and max of float are fminf and fmaxf: given a number and NaN, they return the number.
inline float min(float a, float b)
{
    return fminf(a, b);
}

inline float max(float a, float b)
{
    return fmaxf(a, b);
}

inline float rsqrtf(float x)
{
    return 1.0f / sqrtf(x);
}

inline float __fmaf_rn(float a, float b, float c)
{
    return fmaf(a, b, c);
}

// Never contracted, because the project compiles with -ffp-contract=off.
inline float __fadd_rn(float a, float b)
{
    return a + b;
}

inline float __fmul_rn(float a, float b)
{
    return a * b;
}

inline int __float_as_int(float x)
{
    return (int)cudaemu::to_bits(x);
}

inline unsigned __float_as_uint(float x)
{
    return cudaemu::to_bits(x);
}

inline float __int_as_float(int bits)
{
    return cudaemu::from_bits<float>((uint32_t)bits);
}

inline float __uint_as_float(unsigned bits)
{
    return cudaemu::from_bits<float>(bits);
}

inline int __popc(unsigned x)
{
    return __builtin_popcount(x);
}

inline int __ffs(int x)
{
    return __builtin_ffs(x);
}

inline int __clz(int x)
{
    return x ? __builtin_clz((unsigned)x) : 32;
}

template <class T> inline T __ldg(const T *address)
{
    return *address;
}

#endif
