/* Results computed jointly by the lanes of a warp or the threads of a block.
 *
 * Reductions are trees of a fixed shape, so a result does not depend on which thread is faster. All
 * lanes of a warp (all threads of a block) call, and all get the result unless stated otherwise.
 * `shared` is shared memory of the block, one element per warp unless stated otherwise; it can be
 * reused immediately. */
#ifndef ATTNSCOPE_CUDA_LANES_CUH
#define ATTNSCOPE_CUDA_LANES_CUH

#include <math.h>
#include <string.h>

#include <kernel.h>

enum : unsigned { ALL_LANES = 0xFFFFFFFFu };
enum { LANES = 32 };

typedef unsigned long long key64;

static __device__ __forceinline__ float lane_other(float value, int step)
{
    return __shfl_xor_sync(ALL_LANES, value, step);
}

static __device__ __forceinline__ key64 lane_other(key64 value, int step)
{
    const unsigned low = __shfl_xor_sync(ALL_LANES, (unsigned)value, step);
    const unsigned high = __shfl_xor_sync(ALL_LANES, (unsigned)(value >> 32), step);
    return (key64)high << 32 | low;
}

static __device__ __forceinline__ double lane_other(double value, int step)
{
    key64 bits;
    memcpy(&bits, &value, sizeof bits);
    bits = lane_other(bits, step);
    memcpy(&value, &bits, sizeof bits);
    return value;
}

struct join_sum {
    template <class T> static __device__ __forceinline__ T join(T a, T b)
    {
        return a + b;
    }
};

/* The maximum as in fmaxf: of a number and NaN, the number. */
struct join_max {
    static __device__ __forceinline__ float join(float a, float b)
    {
        return fmaxf(a, b);
    }
    static __device__ __forceinline__ key64 join(key64 a, key64 b)
    {
        return a > b ? a : b;
    }
};

template <class Join, class T> static __device__ __forceinline__ T warp_join(T value)
{
    for (int step = LANES / 2; step > 0; step /= 2)
        value = Join::join(value, lane_other(value, step));
    return value;
}

static __device__ __forceinline__ float warp_sum(float value)
{
    return warp_join<join_sum>(value);
}

/* N sums at once, N a power of two up to LANES: a lane gets that of value[lane / (LANES / N)],
 * bit-identical to warp_sum. While a lane has several values, its partner takes over one half of
 * them and it keeps the other: that takes N - 1 + log2(LANES / N) shuffles, not 5 N. Overwrites
 * `value`. */
template <int N> static __device__ __forceinline__ float warp_sums(float (&value)[N], int lane)
{
    static_assert(N > 0 && N <= LANES && (N & (N - 1)) == 0, "a power of two up to LANES");
    int step = LANES / 2;
#pragma unroll
    for (int half = N / 2; half > 0; half /= 2, step /= 2) {
        const bool upper = lane & step;
#pragma unroll
        for (int i = 0; i < half; i++) {
            const float kept = upper ? value[half + i] : value[i];
            const float given = upper ? value[i] : value[half + i];
            value[i] = kept + lane_other(given, step);
        }
    }
    for (; step > 0; step /= 2)
        value[0] += lane_other(value[0], step);
    return value[0];
}

static __device__ __forceinline__ float warp_max(float value)
{
    return warp_join<join_max>(value);
}

template <class Join, int BLOCK, class T>
static __device__ __forceinline__ T block_join(T value, T *shared)
{
    const int warps = BLOCK / LANES;
    value = warp_join<Join>(value);
    if (warps == 1)
        return value;
    __syncthreads(); // the elements there have been read
    if (threadIdx.x % LANES == 0)
        shared[threadIdx.x / LANES] = value;
    __syncthreads();
    value = shared[0];
    for (int warp = 1; warp < warps; warp++)
        value = Join::join(value, shared[warp]);
    return value;
}

template <int BLOCK, class T> static __device__ __forceinline__ T block_sum(T value, T *shared)
{
    return block_join<join_sum, BLOCK>(value, shared);
}

template <int BLOCK, class T> static __device__ __forceinline__ T block_max(T value, T *shared)
{
    return block_join<join_max, BLOCK>(value, shared);
}

/* The keys of a block in descending order, one per turn. Keys are distinct, except 0, which stands
 * for none. Only the warp that had the winner looks for its next key. `shared` has two elements per
 * warp.
 *
 *   struct contest contest = contest_begin(best, shared);   each thread's own best
 *   for as many as are wanted:
 *       winner = contest_winner<BLOCK>(&contest);
 *       if (winner is 0, or not contest.own)   the same for all lanes of a warp
 *           go on with the next turn
 *       contest_next(&contest, best);          after the thread that had the winner found its next
 *       best
 */
struct contest {
    key64 own; // the best of the warp
    key64 *shared;
    int turn;
};

static __device__ __forceinline__ void contest_next(struct contest *contest, key64 best)
{
    contest->own = warp_join<join_max>(best);
}

static __device__ __forceinline__ struct contest contest_begin(key64 best, key64 *shared)
{
    struct contest contest = {0, shared, 0};
    contest_next(&contest, best);
    __syncthreads(); // the elements there have been read
    return contest;
}

/* Turns alternate between two places: before a place is written again, a barrier has passed after
 * all reads of it. */
template <int BLOCK> static __device__ __forceinline__ key64 contest_winner(struct contest *contest)
{
    const int warps = BLOCK / LANES;
    if (warps == 1)
        return contest->own;
    key64 *const bests = contest->shared + contest->turn++ % 2 * warps;
    if (threadIdx.x % LANES == 0)
        bests[threadIdx.x / LANES] = contest->own;
    __syncthreads();
    key64 winner = bests[0];
    for (int warp = 1; warp < warps; warp++)
        winner = join_max::join(winner, bests[warp]);
    return winner;
}

#endif
