/* The kernels, written once in terms of v16. Included by one file per instruction set, which
 * defines KERNELS as the name of its table. kernels.h defines each kernel. */
#include "gpu/cpu/kernel/kernels.h"
#include "gpu/cpu/kernel/simd.h"
#include "gpu/cpu/kernel/unroll.h"

#include "gpu/cpu/kernel/kernels_element.h"

/* Partial sums -----------------------------------------------------------------------------------
 * Lanes past the end add a product of zeros, which changes at most the sign of a zero. */

static inline v16 dot_lanes(const float *a, const float *b, size_t n)
{
    v16 sum = v16_zero();
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES)
        sum = v16_fma(v16_load(a + i), v16_load(b + i), sum);
    if (i < n)
        sum = v16_fma(v16_load_part(a + i, n - i), v16_load_part(b + i, n - i), sum);
    return sum;
}

static float dot(const float *a, const float *b, size_t n)
{
    return v16_sum(dot_lanes(a, b, n));
}

static inline v16 sum_lanes(const float *x, size_t n)
{
    v16 total = v16_zero();
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES)
        total = v16_add(total, v16_load(x + i));
    if (i < n)
        total = v16_add(total, v16_load_part(x + i, n - i));
    return total;
}

static float sum(const float *x, size_t n)
{
    return v16_sum(sum_lanes(x, n));
}

static void multiply(float *y, const float *x, size_t n)
{
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES)
        v16_store(y + i, v16_mul(v16_load(y + i), v16_load(x + i)));
    if (i < n)
        v16_store_part(y + i, n - i,
                       v16_mul(v16_load_part(y + i, n - i), v16_load_part(x + i, n - i)));
}

static void blend(float *y, const float *x, float share, size_t n)
{
    v16 more = v16_set1(share), less = v16_set1(1.0f - share);
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES)
        v16_store(y + i, v16_fma(more, v16_load(x + i), v16_mul(less, v16_load(y + i))));
    if (i < n)
        v16_store_part(
            y + i, n - i,
            v16_fma(more, v16_load_part(x + i, n - i), v16_mul(less, v16_load_part(y + i, n - i))));
}

#include "gpu/cpu/kernel/kernels_attention.h"

/* Norms ----------------------------------------------------------------------------------------*/

static inline float add_sum(float *z, const float *x, const float *y, size_t n)
{
    v16 total = v16_zero();
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES) {
        v16 both = v16_add(v16_load(x + i), v16_load(y + i));
        v16_store(z + i, both);
        total = v16_add(total, both);
    }
    if (i < n) {
        v16 both = v16_add(v16_load_part(x + i, n - i), v16_load_part(y + i, n - i));
        v16_store_part(z + i, n - i, both);
        total = v16_add(total, both);
    }
    return v16_sum(total);
}

static inline float square_sum(const float *x, float mean, size_t n)
{
    v16 total = v16_zero(), centre = v16_set1(mean);
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES) {
        v16 difference = v16_sub(v16_load(x + i), centre);
        total = v16_fma(difference, difference, total);
    }
    if (i < n) {
        float part[V16_LANES];
        v16_store(part, centre); // lanes past the end: mean - mean
        memcpy(part, x + i, (n - i) * sizeof *part);
        v16 difference = v16_sub(v16_load(part), centre);
        total = v16_fma(difference, difference, total);
    }
    return v16_sum(total);
}

static inline v16 standard_lanes(v16 x, const float moments[2], v16 gamma, v16 beta)
{
    v16 unit = v16_mul(v16_sub(x, v16_set1(moments[0])), v16_set1(moments[1]));
    return v16_fma(unit, gamma, beta);
}

static inline void standardise(float *y, const float *x, const float moments[2], const float *gamma,
                               const float *beta, size_t n)
{
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES)
        v16_store(y + i, standard_lanes(v16_load(x + i), moments, v16_load(gamma + i),
                                        v16_load(beta + i)));
    if (i < n)
        v16_store_part(y + i, n - i,
                       standard_lanes(v16_load_part(x + i, n - i), moments,
                                      v16_load_part(gamma + i, n - i),
                                      v16_load_part(beta + i, n - i)));
}

/* Writes z = x + residual, and returns its sum. */
static inline float row_sum(float *z, const struct norm_row *row, size_t n)
{
    if (row->residual)
        return add_sum(z, row->x, row->residual, n);
    if (z != row->x)
        memcpy(z, row->x, n * sizeof *z);
    return v16_sum(sum_lanes(z, n));
}

static void norm(float *y, float *z, const struct norm_row *row, size_t n)
{
    const float mean = row_sum(z, row, n) / (float)n;
    const float variance = square_sum(z, mean, n) / (float)n;
    const float moments[2] = {mean, 1.0f / sqrtf(variance + row->eps)};
    standardise(y, z, moments, row->gamma, row->beta, n);
}

static inline v16 scaled_lanes(v16 x, v16 factor, v16 gamma)
{
    return v16_mul(v16_mul(x, factor), gamma);
}

static void rms_norm(float *y, float *z, const struct norm_row *row, size_t n)
{
    row_sum(z, row, n); // only for z; a row is short, so its sum costs little
    const v16 factor = v16_set1(1.0f / sqrtf(square_sum(z, 0, n) / (float)n + row->eps));
    const float *gamma = row->gamma;
    size_t i = 0;
    for (; i + V16_LANES <= n; i += V16_LANES)
        v16_store(y + i, scaled_lanes(v16_load(z + i), factor, v16_load(gamma + i)));
    if (i < n)
        v16_store_part(
            y + i, n - i,
            scaled_lanes(v16_load_part(z + i, n - i), factor, v16_load_part(gamma + i, n - i)));
}

#include "gpu/cpu/kernel/kernels_backward.h" // uses all above

/* Rows of logits -------------------------------------------------------------------------------*/

enum { GROUP_PARTS = KERNEL_GROUPS / V16_LANES };

/* Loads n < V16_LANES elements, with -inf in the other lanes. */
static inline v16 load_rest(const float *x, size_t n)
{
    float rest[V16_LANES];
    v16_store(rest, v16_set1(-INFINITY));
    memcpy(rest, x, n * sizeof *rest);
    return v16_load(rest);
}

/* The same for n < KERNEL_GROUPS elements, in `rest`. */
static inline const float *load_group(float rest[KERNEL_GROUPS], const float *x, size_t n)
{
    for (int p = 0; p < GROUP_PARTS; p++)
        v16_store(rest + p * V16_LANES, v16_set1(-INFINITY));
    return memcpy(rest, x, n * sizeof *rest);
}

/* Returns which of KERNEL_GROUPS elements are above `mark`: bit i stands for x[i]. */
ALWAYS_INLINE uint64_t group_above(const float *x, v16 mark)
{
    uint64_t bits = 0;
    UNROLL
    for (int p = 0; p < GROUP_PARTS; p++)
        bits |= (uint64_t)v16_above(v16_load(x + p * V16_LANES), mark) << (p * V16_LANES);
    return bits;
}

/* Raises highest[p] to the maximum of itself and the p-th vector. */
ALWAYS_INLINE void group_max(v16 highest[GROUP_PARTS], const float *x)
{
    UNROLL
    for (int p = 0; p < GROUP_PARTS; p++)
        highest[p] = v16_max(v16_load(x + p * V16_LANES), highest[p]);
}

static inline float parts_highest(const v16 highest[GROUP_PARTS])
{
    return v16_highest(v16_max(v16_max(highest[0], highest[1]), v16_max(highest[2], highest[3])));
}

static float look(const float *x, size_t n, float mark, float *groups, uint64_t *bits)
{
    float rest[KERNEL_GROUPS];
    v16 highest[GROUP_PARTS];
    for (int p = 0; p < GROUP_PARTS; p++)
        highest[p] = v16_set1(-INFINITY);
    for (size_t i = 0; i < n; i += KERNEL_GROUPS) {
        const float *group = n - i < KERNEL_GROUPS ? load_group(rest, x + i, n - i) : x + i;
        group_max(highest, group);
        *bits++ = group_above(group, v16_set1(mark));
    }
    for (int p = 0; p < GROUP_PARTS; p++)
        v16_store(groups + p * V16_LANES, highest[p]);
    return parts_highest(highest);
}

static float max(const float *x, size_t n)
{
    float rest[KERNEL_GROUPS];
    v16 highest[GROUP_PARTS];
    for (int p = 0; p < GROUP_PARTS; p++)
        highest[p] = v16_set1(-INFINITY);
    size_t i = 0;
    for (; i + KERNEL_GROUPS <= n; i += KERNEL_GROUPS)
        group_max(highest, x + i);
    if (i < n)
        group_max(highest, load_group(rest, x + i, n - i));
    return parts_highest(highest);
}

static inline void horner_step(v16 *y, const v16 *x, float coefficient, const int parts)
{
    for (int p = 0; p < parts; p++)
        y[p] = v16_fma(y[p], x[p], v16_set1(coefficient));
}

/* total += e^(x - top) for x <= top, element by element of `parts` vectors: exp_lanes without what
 * is irrelevant to a sum that contains a 1. Below -80 it is e^-80, which changes nothing; n ln 2
 * may be off by n 2e-9; e^r may be off by an ulp; and NaN stays NaN because it is multiplied,
 * whatever 2^n is. Each step runs for all parts, because processors do not look ahead far enough to
 * start the next exponential while they wait for this one. This takes a quarter less time. */
ALWAYS_INLINE void exp_add(v16 *total, const float *x, v16 top, const int parts)
{
    const v16 magic = v16_set1(12582912.0f + 127.0f);
    v16 r[GROUP_PARTS], t[GROUP_PARTS], e[GROUP_PARTS];
    for (int p = 0; p < parts; p++)
        r[p] = v16_max(v16_set1(-80.0f), v16_sub(v16_load(x + p * V16_LANES), top));
    for (int p = 0; p < parts; p++)
        t[p] = v16_fma(r[p], v16_set1(1.44269504f), magic);
    for (int p = 0; p < parts; p++)
        r[p] = v16_fnma(v16_sub(t[p], magic), v16_set1(0.693147181f), r[p]);
    for (int p = 0; p < parts; p++)
        e[p] = v16_fma(v16_set1(0.00138144626f), r[p], v16_set1(0.00836878084f));
    horner_step(e, r, 0.0416683927f, parts);
    horner_step(e, r, 0.166665196f, parts);
    horner_step(e, r, 0.49999994f, parts);
    horner_step(e, r, 1.0f, parts);
    horner_step(e, r, 1.0f, parts);
    for (int p = 0; p < parts; p++)
        total[p] = v16_fma(e[p], v16_power(t[p]), total[p]);
}

/* Takes a float: passing a v16 would leave the upper halves of registers in use, which is expensive
 * for the caller's code, in another instruction set. */
static float exp_sum_block(const float *x, float highest, size_t n)
{
    const v16 top = v16_set1(highest);
    v16 total[GROUP_PARTS] = {v16_zero(), v16_zero(), v16_zero(), v16_zero()};
    size_t i = 0;
    for (; i + KERNEL_GROUPS <= n; i += KERNEL_GROUPS)
        exp_add(total, x + i, top, GROUP_PARTS);
    int rest = 0;
    for (; i + V16_LANES <= n; i += V16_LANES, rest++)
        exp_add(&total[rest], x + i, top, 1);
    if (i < n) {
        float last[V16_LANES];
        v16_store(last, load_rest(x + i, n - i));
        exp_add(&total[rest], last, top, 1);
    }
    return v16_sum(v16_add(v16_add(total[0], total[1]), v16_add(total[2], total[3])));
}

static double exp_sum(const float *x, float highest, size_t n)
{
    const size_t block = 4096;
    double total = 0;
    for (size_t begin = 0; begin < n; begin += block)
        total += (double)exp_sum_block(x + begin, highest, n - begin < block ? n - begin : block);
    return total;
}

/* By bisection between the lowest group and the highest. */
static float group_mark(const float *groups, int count)
{
    enum { HALVINGS = 7 };
    v16 highest = v16_set1(-INFINITY), negative = highest;
    for (int p = 0; p < GROUP_PARTS; p++) {
        const v16 part = v16_load(groups + p * V16_LANES);
        highest = v16_max(part, highest);
        negative = v16_max(v16_sub(v16_zero(), part), negative);
    }
    float low = -v16_highest(negative), high = v16_highest(highest);
    for (int i = 0; i < HALVINGS && count <= KERNEL_GROUPS; i++) {
        const float middle = 0.5f * low + 0.5f * high;
        const bool reached = __builtin_popcountll(group_above(groups, v16_set1(middle))) >= count;
        low = reached ? middle : low;
        high = reached ? high : middle;
    }
    return count <= KERNEL_GROUPS ? low : -INFINITY;
}

/* Returns how many elements precede the i-th of the others, which are in `all`. */
static int merged_place(const struct kernel_best *best, v16 all, float other, int i)
{
    const v16 one = v16_set1(other);
    const unsigned earlier = (1u << i) - 1;
    int place = __builtin_popcount(v16_above(all, one) | (earlier & ~v16_above(one, all)));
    for (int b = 0; b < best->room; b += V16_LANES)
        place += V16_LANES - __builtin_popcount(v16_above(one, v16_load(best->value + b)));
    return place;
}

/* An element without room goes past the end, where anything may be written. */
static void merge_store(const struct kernel_best *best, int place, float value, int32_t id)
{
    const int nowhere = (best->room + V16_LANES - 1) / V16_LANES * V16_LANES;
    const int at = place < best->room ? place : nowhere;
    best->value[at] = value;
    best->id[at] = id;
}

/* Moves the best of one vector after the others that are above them. */
static void merge_move(const struct kernel_best *best, int begin, const float *value, int n)
{
    float place[V16_LANES];
    const v16 old = v16_load(best->value + begin);
    v16 moved = v16_zero();
    for (int i = 0; i < n; i++)
        moved =
            v16_add(moved, v16_select_above(v16_set1(value[i]), old, v16_set1(1.0f), v16_zero()));
    v16_store(place, moved);
    for (int lane = V16_LANES - 1; lane >= 0; lane--) {
        const int i = begin + lane;
        merge_store(best, i + (int)place[lane], best->value[i], best->id[i]);
    }
}

#ifdef V16_EXPANDS

static inline float bits_as_float(int32_t bits)
{
    float same;
    memcpy(&same, &bits, sizeof same);
    return same;
}

/* The same for a list of one vector: a single instruction moves the best apart. */
static void merge_vector(const struct kernel_best *best, v16 all, const float *value,
                         const int32_t *id, int n)
{
    float *ids = (float *)(void *)best->id; // their bits are only moved
    v16 values = v16_zero(), numbers = values;
    unsigned taken = 0;
    for (int i = 0; i < n; i++) {
        const int place = merged_place(best, all, value[i], i);
        const unsigned lane = place < best->room ? 1u << place : 0;
        taken |= lane;
        values = v16_put(values, lane, value[i]);
        numbers = v16_put(numbers, lane, bits_as_float(id[i]));
    }
    const size_t room = (size_t)best->room;
    v16_store_part(best->value, room, v16_expand(values, ~taken & 0xFFFF, v16_load(best->value)));
    v16_store_part(ids, room, v16_expand(numbers, ~taken & 0xFFFF, v16_load(ids)));
}

#endif

static void merge(const struct kernel_best *best, const float *value, const int32_t *id, int n)
{
    const int last = (best->room - 1) / V16_LANES * V16_LANES;
    const v16 all = n == V16_LANES ? v16_load(value) : load_rest(value, (size_t)n);
#ifdef V16_EXPANDS
    if (best->room <= V16_LANES) {
        merge_vector(best, all, value, id, n);
        return;
    }
#endif
    int place[V16_LANES];
    for (int i = 0; i < n; i++)
        place[i] = merged_place(best, all, value[i], i);
    for (int begin = last; begin >= 0; begin -= V16_LANES)
        merge_move(best, begin, value, n);
    for (int i = 0; i < n; i++)
        merge_store(best, place[i], value[i], id[i]);
}

const struct kernels KERNELS = {
    .scores = scores,
    .softmax = softmax,
    .entmax = entmax,
    .weighted_sum = weighted_sum,
    .shared_sum = shared_sum,
    .dot = dot,
    .sum = sum,
    .norm = norm,
    .rms_norm = rms_norm,
    .max = max,
    .look = look,
    .exp_sum = exp_sum,
    .group_mark = group_mark,
    .merge = merge,
    .multiply = multiply,
    .blend = blend,
    .sigmoid = sigmoid,
    .gelu = gelu,
    .gelu_tanh = gelu_tanh,
    .swish = swish,
    .gelu_sigmoid = gelu_sigmoid,
    .tanh = tanh_all,
    .cap = cap,
    .exp = exp_all,
    .norm_backward = norm_backward,
    .softmax_backward = softmax_backward,
    .entmax_backward = entmax_backward,
    .add_scaled = add_scaled,
    .add_outer = add_outer,
    .cap_slope = cap_slope,
    .slope = {[ACTIVATION_RELU] = relu_slope,
              [ACTIVATION_GELU] = gelu_slope,
              [ACTIVATION_SWISH] = swish_slope,
              [ACTIVATION_GELU_TANH] = gelu_tanh_slope,
              [ACTIVATION_GELU_SIGMOID] = gelu_sigmoid_slope,
              [ACTIVATION_TANH] = tanh_slope,
              [ACTIVATION_SIGMOID] = sigmoid_slope},
};
