/* What bench_gpu times of whole models: one sentence, all sentences at once, capture, gains. */
#ifndef ATTNSCOPE_GPU_RUNS_H
#define ATTNSCOPE_GPU_RUNS_H

#include <stdio.h>

#include "tests/bench/gpu_bench.h"

/* Prints each with the share that it reaches of the floor. `table`: a line for other programs, NULL for
 * none. */
void gpu_runs(const struct gpu_bench *bench, const struct gpu_ceilings *ceilings, FILE *table);

#endif
