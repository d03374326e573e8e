#ifndef ATTNSCOPE_CPU_UNROLL_H
#define ATTNSCOPE_CPU_UNROLL_H

/* Goes before a loop over accumulators, which stay in registers only if it is fully unrolled. At
 * most 12 iterations, known at compile time. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 12")
#endif

#endif
