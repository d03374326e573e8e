/* What bench_gpu times of whole models: one sentence, all sentences at once, capture, gains. */
#ifndef ATTNSCOPE_GPU_RUNS_H
#define ATTNSCOPE_GPU_RUNS_H

#include <stdio.h>

#include "tests/bench/gpu_bench.h"

/* Of the first `count` sentences, side by side. */
struct timing gpu_time_search(const struct gpu_bench *bench, struct search_job *jobs, int count);
/* Tokens of the best hypotheses, which all are as long as they may be. */
int gpu_steps_of(const struct search_job *jobs);

/* Prints each with the share that it reaches of the floor. `table`: a line for other programs, NULL
 * for none. */
void gpu_runs(const struct gpu_bench *bench, const struct gpu_ceilings *ceilings, FILE *table);

#endif
