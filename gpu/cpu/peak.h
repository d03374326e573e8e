/* What this machine can do at most, measured: the yardsticks of the benchmarks.
 *
 * Multiply-adds between registers only, and reading memory that no cache holds, with the best
 * instruction set, each on one thread and on all threads of a pool. The best of several short runs
 * counts, because other processes can only slow them down. */
#ifndef ATTNSCOPE_CPU_PEAK_H
#define ATTNSCOPE_CPU_PEAK_H

#include "gpu/cpu/pool.h"

struct peak {
    int threads;           // of the pool
    double flops_core;     // floating-point operations a second (a multiply-add is two), one thread
    double flops;          // all threads
    double bandwidth_core; // bytes read a second, one thread
    double bandwidth;      // all threads
};

/* Takes about half a second and 256 MB; false and a status when there is no memory. */
bool peak_measure(struct pool *pool, struct peak *peak, struct status *status);

#endif
