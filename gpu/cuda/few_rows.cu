/* Products of few rows. They are limited by the time to read the weight once, which is best done by
 * a warp for each output. One kernel also computes the norm of its input. Another shares the
 * columns of a long product among the warps of a block.
 *
 * No kernel writes weights, so a warp fetches its first ones before grid_wait, while the previous
 * kernel is still computing x. */
#include "gpu/cuda/linear.cuh"

enum { BLOCK_LINEAR = block_size(128), WARPS = BLOCK_LINEAR / LANES };

/* A product that computes a norm: each block computes the norm again, with a warp for each
 * hypothesis of the usual beam, and then takes its outputs in turns. The number of blocks is what
 * the largest GPUs of today, with 132 multiprocessors, run at once: on each multiprocessor as many
 * as leave threads enough registers for their loads. */
enum { BLOCK_NORMED = block_size(192), WARPS_NORMED = BLOCK_NORMED / LANES, MULTIPROCESSORS = 132 };

template <int KEPT> struct normed_beside {
    enum { blocks = KEPT <= NORM_KEPT / 2 ? 2 : 1 };
};

/* A product is split if it is long and has few columns: then one warp for each column is too few to
 * keep the memory busy. */
enum { LONG_PRODUCT = NORM_COLUMNS, FEW_COLUMNS = 4096 };

/* Vectors of weights that a lane fetches before the wait: those of a column of a base model. */
enum { AHEAD = 4 };

/* Converts x to a factor for weights of type T: rounded for bfloat16 weights, as in cuBLAS's
 * products of many rows. */
static __device__ __forceinline__ float factor_of(float x, float)
{
    return x;
}

static __device__ __forceinline__ float factor_of(float x, __nv_bfloat16)
{
    return __bfloat162float(__float2bfloat16_rn(x));
}

/* A lane's part of one column of weights: k = begin, begin + step, …; the first ones are already
 * fetched. */
template <class T, int VECTOR> struct part {
    const T *weight;
    int columns, begin, step;
    vector<T, VECTOR> first[AHEAD];
};

template <class T, int VECTOR>
static __device__ __forceinline__ struct part<T, VECTOR> part_fetch(const T *weight, int columns,
                                                                    int begin, int step) {
    struct part<T, VECTOR> part = {
        weight, columns, begin, step,
        {
        }
    };
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        if (begin + i * step < columns)
            part.first[i] = *(const vector<T, VECTOR> *)(weight + begin + i * step);
    return part;
}

/* The elements of every row that one vector of weights is multiplied with. */
template <int ROWS, int VECTOR>
struct factors {
    vector<float, VECTOR> row[ROWS];
};

/* Fetches zeros unless `live`, for elements past the columns. Missing rows repeat the last one.
 * Without branches between them, all loads are sent to the memory at once. */
template <int ROWS, int VECTOR>
static __device__ __forceinline__ void factors_fetch(const float *x, int ldx, int rows, bool live,
                                                     struct factors<ROWS, VECTOR> *factors)
{
#pragma unroll
    for (int m = 0; m < ROWS; m++) {
        factors->row[m] = {};
        if (live)
            factors->row[m] = *(const vector<float, VECTOR> *)(x + (size_t)min(m, rows - 1) * ldx);
    }
}

/* Adds the products with `w` to the sums of all rows. */
template <int ROWS, class T, int VECTOR>
static __device__ __forceinline__ void
add_products(const vector<T, VECTOR> &w, const struct factors<ROWS, VECTOR> &factors, float *sum)
{
#pragma unroll
    for (int m = 0; m < ROWS; m++)
#pragma unroll
        for (int i = 0; i < VECTOR; i++)
            sum[m] += factor_of(factors.row[m].element[i], w.element[i]) * wide(w.element[i]);
}

/* How many vectors of weights have their factors fetched at once, and how many blocks a
 * multiprocessor runs at once: few enough that the loads stay in registers. */
template <int ROWS> struct beside {
    enum { vectors = ROWS <= 5 ? 2 : 1, blocks = ROWS <= 5 ? 4 : 2 };
};

/* The number of sums for ROWS rows is rounded up to a power of two; each sum is in `lanes`
 * lanes. */
template <int ROWS> struct sums_of {
    enum { count = ROWS <= 1 ? 1 : ROWS <= 4 ? 4 : 8, lanes = LANES / count };
};

/* Returns the sum of the warp's column for row lane / sums_of<ROWS>::lanes. */
template <int ROWS, class T, int VECTOR>
static __device__ __forceinline__ float sum_column(const struct part<T, VECTOR> &part,
                                                   const float *x, int ldx, int rows)
{
    float sum[sums_of<ROWS>::count] = {0};
    enum { BESIDE = beside<ROWS>::vectors };
    struct factors<ROWS, VECTOR> factors[BESIDE];
#pragma unroll
    for (int i = 0; i < AHEAD; i += BESIDE) {
        const int first = part.begin + i * part.step;
#pragma unroll
        for (int u = 0; u < BESIDE; u++)
            factors_fetch(x + first + u * part.step, ldx, rows,
                          first + u * part.step < part.columns, &factors[u]);
#pragma unroll
        for (int u = 0; u < BESIDE; u++)
            add_products<ROWS>(part.first[i + u], factors[u], sum);
    }
#pragma unroll 2
    for (int k = part.begin + AHEAD * part.step; k < part.columns; k += part.step) {
        const vector<T, VECTOR> w = *(const vector<T, VECTOR> *)(part.weight + k);
        factors_fetch(x + k, ldx, rows, true, &factors[0]);
        add_products<ROWS>(w, factors[0], sum);
    }
    return warp_sums(sum, (int)threadIdx.x % LANES);
}

template <int ROWS>
static __device__ __forceinline__ void finish_column(const struct linear_params &p, int column,
                                                     int m, float total)
{
    const struct output &output = p.outputs[output_of(p, &column)];
    finish(output, m, column,
           output.accumulate ? output.y[(size_t)m * output.ldy + column] + total : total);
}

/* Returns the weights of a column, of the last one if there is no such column. */
template <class T>
static __device__ __forceinline__ const T *column_weight(const struct linear_params &p, int column)
{
    column = min(column, p.columns - 1);
    const struct output &output = p.outputs[output_of(p, &column)];
    return (const T *)output.weight + (size_t)column * p.k;
}

/* A warp computes one column; its lanes divide k, VECTOR elements at a time. */
template <int BLOCK, int ROWS, class T, int VECTOR>
static __global__ void __launch_bounds__(BLOCK, beside<ROWS>::blocks)
    few_rows_kernel(struct linear_params p)
{
    const int lane = (int)threadIdx.x % LANES, lanes = sums_of<ROWS>::lanes;
    const int column = (int)blockIdx.x * (BLOCK / LANES) + (int)threadIdx.x / LANES;
    const struct part<T, VECTOR> part =
        part_fetch<T, VECTOR>(column_weight<T>(p, column), p.k, lane * VECTOR, LANES * VECTOR);
    grid_wait();
    if (column >= p.columns)
        return;
    const float total = sum_column<ROWS>(part, p.x, p.ldx, p.rows);
    if (lane % lanes == 0 && lane / lanes < p.rows)
        finish_column<ROWS>(p, column, lane / lanes, total);
}

/* The warps of a block divide k of one column; their sums are added in a fixed order. */
template <int BLOCK, int ROWS, class T, int VECTOR>
static __global__ void __launch_bounds__(BLOCK, beside<ROWS>::blocks)
    long_rows_kernel(struct linear_params p)
{
    const int warps = BLOCK / LANES, lanes = sums_of<ROWS>::lanes;
    SHARED(float, sums, (BLOCK / LANES) * sums_of<ROWS>::count);
    const int lane = (int)threadIdx.x % LANES, warp = (int)threadIdx.x / LANES;
    const int column = (int)blockIdx.x, m = (int)threadIdx.x;
    const struct part<T, VECTOR> part = part_fetch<T, VECTOR>(
        column_weight<T>(p, column), p.k, (int)threadIdx.x * VECTOR, BLOCK * VECTOR);
    grid_wait();
    const float sum = sum_column<ROWS>(part, p.x, p.ldx, p.rows);
    if (lane % lanes == 0)
        sums[warp * sums_of<ROWS>::count + lane / lanes] = sum;
    __syncthreads();
    if (m >= p.rows)
        return;
    float total = sums[m];
    for (int i = 1; i < warps; i++)
        total += sums[i * sums_of<ROWS>::count + m];
    finish_column<ROWS>(p, column, m, total);
}

/* x is the result of the norm `norm`, which the first block also stores. */
template <int BLOCK, int ROWS, class T, int KEPT>
static __global__ void __launch_bounds__(BLOCK, normed_beside<KEPT>::blocks)
    normed_rows_kernel(struct linear_params p, struct norm_params norm)
{
    enum { VECTOR = 4, COLUMNS = KEPT * LANES };
    typedef vector<float, VECTOR> quad;
    SHARED(quad, x, ROWS * COLUMNS / VECTOR);
    const int lane = (int)threadIdx.x % LANES, lanes = sums_of<ROWS>::lanes;
    const int warp = (int)threadIdx.x / LANES, warps = BLOCK / LANES;
    const int turn = (int)gridDim.x * warps;
    const bool first = blockIdx.x == 0;
    int column = (int)blockIdx.x * warps + warp;
    struct part<T, VECTOR> part =
        part_fetch<T, VECTOR>(column_weight<T>(p, column), p.k, lane * VECTOR, LANES * VECTOR);
    grid_wait();
    for (int m = warp; m < p.rows; m += warps) {
        float kept[KEPT];
        norm_by_warp(norm, m, first ? norm_sums(norm, m) : nullptr, kept);
#pragma unroll
        for (int i = 0; i < KEPT; i++) {
            const int c = lane + i * LANES;
            if (c < p.k)
                x[(m * COLUMNS + c) / VECTOR].element[c % VECTOR] = kept[i];
            if (first && c < p.k)
                norm.y[(size_t)m * norm.ldy + c] = kept[i];
        }
    }
    __syncthreads();
    for (; column < p.columns; column += turn) {
        const float total = sum_column<ROWS>(part, x[0].element, COLUMNS, p.rows);
        if (column + turn < p.columns)
            part = part_fetch<T, VECTOR>(column_weight<T>(p, column + turn), p.k, lane * VECTOR,
                                         LANES * VECTOR);
        if (lane % lanes == 0 && lane / lanes < p.rows)
            finish_column<ROWS>(p, column, lane / lanes, total);
    }
}

/* Starting them ---------------------------------------------------------------------------------*/

template <int ROWS, class T, int VECTOR>
static void start_rows(struct device *device, const struct linear_params &p)
{
    if (device->shortcuts[SHORTCUT_SPLIT_PRODUCT] && p.k > LONG_PRODUCT && p.columns <= FEW_COLUMNS)
        START(device, (long_rows_kernel<BLOCK_LINEAR, ROWS, T, VECTOR>), p.columns, BLOCK_LINEAR,
              p);
    else
        START(device, (few_rows_kernel<BLOCK_LINEAR, ROWS, T, VECTOR>),
              quotient_up(p.columns, WARPS), BLOCK_LINEAR, p);
}

template <int ROWS, class T, int KEPT>
static void start_normed(struct device *device, const struct linear_params &p,
                         const struct norm_params &norm)
{
    const int most = MULTIPROCESSORS * normed_beside<KEPT>::blocks;
    const int wanted = quotient_up(p.columns, WARPS_NORMED), blocks = wanted < most ? wanted : most;
    START(device, (normed_rows_kernel<BLOCK_NORMED, ROWS, T, KEPT>), blocks, BLOCK_NORMED, p, norm);
}

template <int ROWS, class T>
static void start_aligned(struct device *device, const struct linear_params &p,
                          const struct norm_params *norm)
{
    const bool aligned =
        p.k % 4 == 0 && p.ldx % 4 == 0 && (uintptr_t)p.x % (4 * sizeof(float)) == 0;
    if (norm && p.k <= NORM_COLUMNS / 2)
        start_normed<ROWS, T, NORM_KEPT / 2>(device, p, *norm);
    else if (norm)
        start_normed<ROWS, T, NORM_KEPT>(device, p, *norm);
    else if (aligned)
        start_rows<ROWS, T, 4>(device, p);
    else
        start_rows<ROWS, T, 1>(device, p);
}

template <class T>
static void start_few(struct device *device, const struct linear_params &p,
                      const struct norm_params *norm)
{
    if (p.rows == 1)
        start_aligned<1, T>(device, p, norm);
    else if (p.rows <= 4)
        start_aligned<4, T>(device, p, norm);
    else if (p.rows <= 5) // the hypotheses of the usual beam
        start_aligned<5, T>(device, p, norm);
    else
        start_aligned<FEW_ROWS, T>(device, p, norm);
}

void few_rows_start(struct device *device, const struct linear_params &params, bool narrow,
                    const struct norm_params *norm)
{
    if (narrow)
        start_few<__nv_bfloat16>(device, params, norm);
    else
        start_few<float>(device, params, norm);
}
