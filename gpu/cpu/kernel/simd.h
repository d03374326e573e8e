/* v16: sixteen floats, the only vector type used by the kernels.
 *
 * Compiler flags choose its implementation: one AVX-512 register, two AVX2 registers, or an array.
 * Every function gives the same bits in each of them: each lane is one IEEE operation (v16_fma
 * rounds once), and operations across lanes follow one fixed tree. This includes NaN, except its
 * payload and sign.
 *
 * Only for kernels_impl.h; all functions are inline.
 */
#ifndef ATTNSCOPE_CPU_SIMD_H
#define ATTNSCOPE_CPU_SIMD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { V16_LANES = 16 };

#if defined(__AVX512F__)
#include "gpu/cpu/kernel/simd_avx512.h"
#elif defined(__AVX2__) && defined(__FMA__)
#include "gpu/cpu/kernel/simd_avx2.h"
#else
#include "gpu/cpu/kernel/simd_c.h"
#endif

/* All three provide, for v16 a, b, c and unaligned pointers:
 *   v16_set1(s)           s in every lane
 *   v16_load(p)           p[0 … 15];  v16_store(p, a)
 *   v16_load_part(p, n)   p[0 … n-1], 0 <= n <= 16, zeros above; reads no further
 *   v16_store_part(p, n, a)
 *   v16_first_of(n, a, b)   lanes 0 … n-1 of a, 0 <= n <= 16, and the others of b
 *   v16_add, v16_sub, v16_mul, v16_div (a, b)
 *   v16_fma(a, b, c)      a * b + c, rounded once
 *   v16_fnma(a, b, c)     -(a * b) + c, rounded once
 *   v16_max(a, b)         a > b ? a : b, hence b if either is NaN
 *   v16_abs(a)
 *   v16_select_above(a, b, x, y)   a > b ? x : y, hence y if either is NaN
 *   v16_above(a, b)       bit l is set when a > b in lane l
 *   v16_raise(a, t)       a * 2^n where t = 1.5 * 2^23 + n; the result must be a normal number
 *   v16_power(t)          2^n where t = 1.5 * 2^23 + 127 + n and -127 < n < 128
 *   v16_exponent(a)       n with 2^n <= a < 2^(n+1), of normal numbers above 0
 *   v16_mantissa(a)       a / 2^n, of the same
 *   v16_sum(a)            the sum of the lanes by the tree 8+8, 4+4, 2+2, 1+1: lane l and l+8 first
 *   v16_highest(a)        the maximum of the lanes, by the same tree of v16_max
 *   v16_sums(a[16])       lane j: v16_sum(a[j])
 * and V16_REGISTERS, how many v16 fit into the registers of such a processor.
 * If V16_EXPANDS is defined, also
 *   v16_put(a, lanes, s)      s in the lanes whose bit is set, and the others of a
 *   v16_expand(a, lanes, b)   the first lanes of b, in order, in the lanes whose bit is set, the
 *                             others of a
 * which move bits regardless of their meaning. */

static inline v16 v16_zero(void)
{
    return v16_set1(0.0f);
}

#endif
