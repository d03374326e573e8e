/* Measures the machine's arithmetic throughput and memory bandwidth, which the benchmarks compare
 * with.
 *
 * Short bursts of multiply-adds between registers, and of reading memory that no cache holds, with
 * the best instruction set. The fastest burst gives the machine's limit, because other processes
 * can only slow bursts down; the mean gives what was available at that time.
 *
 * Call order: peak_open; peak_burn and peak_read; peak_close. Or peak_measure alone. */
#ifndef ATTNSCOPE_CPU_PEAK_H
#define ATTNSCOPE_CPU_PEAK_H

#include "gpu/cpu/device.h"

struct peak {
    int threads;           // of the pool
    double flops_core;     // floating-point operations a second (a multiply-add is two), one thread
    double flops;          // all threads
    double bandwidth_core; // bytes read a second, one thread
    double bandwidth;      // all threads
};

/* Totals over bursts; zero-initialise before the first. */
struct bursts {
    double amount, seconds; // of all: floating-point operations, or bytes
    double highest;         // per second, of the fastest burst
};

/* Amount per second. */
double bursts_mean(const struct bursts *bursts);

struct peak_meter;

/* Borrows the pool. Takes at least 256 MB; returns NULL and sets `status` if there is no memory. */
struct peak_meter *peak_open(struct pool *pool, struct status *status);
void peak_close(struct peak_meter *meter);

/* Add about 40 bursts of a millisecond each on all threads: of multiply-adds, of reading. */
void peak_burn(struct peak_meter *meter, struct bursts *bursts);
void peak_read(struct peak_meter *meter, struct bursts *bursts);

/* Measures the best bursts, of all threads and of a single one. Takes about half a second, and as
 * much memory as peak_open. */
bool peak_measure(struct pool *pool, struct peak *peak, struct status *status);

#endif
