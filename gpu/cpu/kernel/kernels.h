/* The vector kernels of the operations: inner loops over one row, for every instruction set.
 *
 * They are written once (kernels_impl.h on top of simd.h), and the three tables give the same bits:
 * an element-wise kernel's result depends only on the element; a sum over a row consists of sixteen
 * partial sums (lane l takes the elements l, l+16, …; exp_sum has four of each) joined by one fixed
 * tree.
 *
 * Pure functions: they allocate nothing, cannot fail, and any number of threads may call them.
 * Pointers need no alignment; inputs and outputs are distinct unless marked "in place".
 */
#ifndef ATTNSCOPE_CPU_KERNELS_H
#define ATTNSCOPE_CPU_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpu/operations.h"

/* An ordered selection of a matrix's rows: the j-th begins at base + rows[j] * ld. Keys or values
 * of one head, or of several adjacent heads; head h has the elements h * size … */
struct row_set {
    const float *base;
    size_t ld;
    const int32_t *rows; // (count)
    int count;
    int size;  // elements of a row that belong to one head
    int heads; // >= 1
};

enum {
    KERNEL_PADDING = 16, // elements that some kernels write past the end
    KERNEL_GROUPS = 64,  // groups of a row's elements, see `look`
    KERNEL_SHARING = 8,  // most rows for `shared_sum`
};

/* Elements sorted in descending order; -inf, with any id, stands for none. */
struct kernel_best {
    float *value; // (room), padded with -inf to a multiple of 16, then KERNEL_PADDING of anything
    int32_t *id;  // the same
    int room;
};

/* The most elements that `merge` takes at once; they must be above -inf and not NaN. */
enum { KERNEL_MERGED = 16 };

struct norm_row {
    const float *x, *residual; // (n), or residual NULL
    const float *gamma, *beta; // (n); beta is not read by `rms_norm`
    float eps;
};

/* Rows to add to: the j-th begins at base + rows[j] * ld. */
struct row_sums {
    float *base;
    size_t ld;
    const int32_t *rows; // (count)
    int count, size;
};

struct norm_backward_row {
    const float *dy, *z, *gamma; // (n)
    const float *residual;       // (n), or NULL
    float eps;
    bool rms, relevance; // relevance: the root is a constant
};

struct kernels {
    /* For every head scores[j] = scale * (query · row j); query: (heads, size), scores of head h
     * from h * stride on. Needs room for count + KERNEL_PADDING, where anything may be written, so
     * `stride` is at least that. Each head gets the same bits as when computed alone. */
    void (*scores)(float *scores, size_t stride, const float *query, const struct row_set *keys,
                   float scale);
    /* For every head x = exp(x - max) * (1 / Σ), in place, n >= 1 of them. Room and stride as
     * above. */
    void (*softmax)(float *x, size_t stride, int heads, int n);
    /* For every head entmax of α = 1 + a, 0 < a <= 1, in place, n >= 1 of them; weights that are 0
     * are exactly 0. Room and stride as above. */
    void (*entmax)(float *x, size_t stride, int heads, float a, int n);
    /* For every head out = Σ_j weights[j] * row j, one chain of fused multiply-adds in the order of
     * j, starting from 0; out: (heads, size), weights of head h from h * stride on. */
    void (*weighted_sum)(float *out, const float *weights, size_t stride,
                         const struct row_set *values);

    /* The same for 1 … KERNEL_SHARING rows that share the values: row r of `out` begins at r * ldo,
     * weights of its head h at (r * heads + h) * stride. Each row gets the same bits as when
     * computed alone. */
    void (*shared_sum)(float *out, size_t ldo, const float *weights, size_t stride, int rows,
                       const struct row_set *values);

    float (*dot)(const float *a, const float *b, size_t n);
    float (*sum)(const float *x, size_t n);
    /* z = x + residual; y = (z - mean) * (1 / sqrt(variance + eps)) * gamma + beta, with the mean
     * and the variance of z. Without residual z is x. z may be x or residual, and y may be z or
     * residual. */
    void (*norm)(float *y, float *z, const struct norm_row *row, size_t n);
    /* The same with y = z * (1 / sqrt(mean of squares of z + eps)) * gamma. */
    void (*rms_norm)(float *y, float *z, const struct norm_row *row, size_t n);

    /* The greatest element that is not NaN; -inf if none. */
    float (*max)(const float *x, size_t n);
    /* The same. groups[g] (KERNEL_GROUPS) receives that of the elements g, g + KERNEL_GROUPS, …;
     * bit g of bits[i] is set if element i * KERNEL_GROUPS + g is above `mark`. */
    float (*look)(const float *x, size_t n, float mark, float *groups, uint64_t *bits);
    /* Σ exp(x - max), in float32 over blocks of 4096 elements, and in double over blocks; max is at
     * least every x. NaN if an x is NaN, or if both an x and max are infinite. */
    double (*exp_sum)(const float *x, float max, size_t n);
    /* An x that at least `count` groups reach, and few more if they are evenly spread; -inf if
     * there are fewer groups. */
    float (*group_mark)(const float *groups, int count);
    /* Inserts the others in order among the best, after their equals; those without room are
     * dropped. */
    void (*merge)(const struct kernel_best *best, const float *value, const int32_t *id, int n);

    /* y = y * x, in place. */
    void (*multiply)(float *y, const float *x, size_t n);
    /* y = (1 - share) * y + share * x, in place. */
    void (*blend)(float *y, const float *x, float share, size_t n);
    /* 1 / (1 + exp(-x)), in place. */
    void (*sigmoid)(float *x, size_t n);
    /* x * Φ(x) with the normal distribution's Φ (that is, with erf), in place; within 1e-6. */
    void (*gelu)(float *x, size_t n);
    /* x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 x³))) / 2, in place. */
    void (*gelu_tanh)(float *x, size_t n);
    /* x * sigmoid(x) and x * sigmoid(1.702 x), in place. */
    void (*swish)(float *x, size_t n);
    void (*gelu_sigmoid)(float *x, size_t n);
    void (*tanh)(float *x, size_t n); // in place
    /* most * tanh(x / most), in place. */
    void (*cap)(float *x, float most, size_t n);
    /* e^x within 2 ulp, in place. Results below the smallest normal number are 0. */
    void (*exp)(float *x, size_t n);

    /* Derivatives (gpu/derivatives.h). */
    void (*norm_backward)(float *dx, const struct norm_backward_row *row, size_t n);
    /* da = scale * a * (da - Σ a da), in place. */
    void (*softmax_backward)(float *da, const float *a, float scale, size_t n);
    /* da = scale * g * (da - Σ g da / Σ g) with g = p^(1-a), for weights p from `entmax`, in
     * place. */
    void (*entmax_backward)(float *da, const float *p, float a, float scale, size_t n);
    /* y = y + a * x, fused, in place. */
    void (*add_scaled)(float *y, const float *x, float a, size_t n);
    /* Row j of `rows`, of one head, += factor * a[j] * x, fused. */
    void (*add_outer)(const struct row_sums *rows, const float *a, float factor, const float *x);
    /* The derivative of each activation at x, in place; NULL: ACTIVATION_NONE. */
    void (*slope[ACTIVATION_COUNT])(float *x, size_t n);
    /* The derivative of `cap` at x, or with `relevance` its value over x (0 at 0), in place. */
    void (*cap_slope)(float *x, float most, bool relevance, size_t n);
};

#if defined(__x86_64__)
extern const struct kernels kernels_avx512, kernels_avx2;
#endif
extern const struct kernels kernels_c;

#endif
