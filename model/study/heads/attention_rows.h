/* Arithmetic on one row of attention, for all heads of a module at once.
 *
 * Pure functions that never fail. `weights` is (columns, heads), where `heads` is a multiple of
 * ROW_LANES; padding heads have no weight. Every instruction set gives the same bits.
 */
#ifndef ATTNSCOPE_ATTENTION_ROWS_H
#define ATTNSCOPE_ATTENTION_ROWS_H

#include <stddef.h>
#include <stdint.h>

enum { ROW_LANES = 8, ROW_FACTORS = 13 };

struct row_arithmetic {
    /* Adds to sums (ROW_FACTORS, heads) the sum over the columns of each factor times the weight.
     * factors: (columns, ROW_FACTORS). */
    void (*weigh)(const float *weights, int columns, int heads, const float *factors, float *sums);
    /* sums: (heads): Σ w log2 w, the negative entropy in bits; 0 log2 0 is 0. Accurate to 1e-7. */
    void (*negate_entropy)(const float *weights, int columns, int heads, float *sums);
    /* most: (heads): the greatest weight; place: (heads): its column, the first of equal ones. */
    void (*find_most)(const float *weights, int columns, int heads, float *most, int32_t *place);
    /* Adds to sums (heads, heads), at distance_place, the Jensen-Shannon distance of two heads'
     * rows: the square root of the divergence in bits, H((p + q) / 2) - (H(p) + H(q)) / 2. Accurate
     * to 1e-5, exactly 0 for equal rows. negative: results of negate_entropy; present: (heads): 1,
     * or 0 for heads without weight in this row, whose distances are omitted. */
    void (*add_distances)(const float *weights, int columns, int heads, const float *negative,
                          const float *present, float *sums);
    /* Adds to sums (heads) how near each head's row is to a pattern: 2 Σ min(w, p) / (Σ w + Σ p),
     * or 0 for heads without weight. pattern: (columns), those where it may have weight; totals:
     * (heads): Σ w of the whole row. */
    void (*add_nearness)(const float *weights, int columns, int heads, const float *pattern,
                         const float *totals, float *sums);
};

/* Returns where add_distances puts the sum of heads a < b. Heads of one vector are paired by
 * rotating it: the heads in lanes l and l + turn are in row turn - 1 of its part of the sums. */
static inline size_t distance_place(int heads, int a, int b)
{
    const int first = a / ROW_LANES * ROW_LANES, apart = b - a;
    if (b >= first + ROW_LANES)
        return (size_t)a * (size_t)heads + (size_t)b;
    return apart <= ROW_LANES / 2
               ? (size_t)(first + apart - 1) * (size_t)heads + (size_t)a
               : (size_t)(first + ROW_LANES - apart - 1) * (size_t)heads + (size_t)b;
}

/* The arithmetic for the best instruction set of this machine, for plain C, and for AVX2 (NULL if
 * the machine lacks it). */
const struct row_arithmetic *row_arithmetic(void);
extern const struct row_arithmetic row_arithmetic_c;
const struct row_arithmetic *row_arithmetic_avx2(void);

#endif
