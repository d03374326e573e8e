#ifndef ATTNSCOPE_CPU_UNROLL_H
#define ATTNSCOPE_CPU_UNROLL_H

/* Before a loop over accumulators, which are registers only when the loop is gone. At most 12
 * rounds, and their number known at compile time. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 12")
#endif

#endif
