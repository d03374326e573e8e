/* Timing of whole models for bench_gpu: one sentence, all sentences at once, capture, gains. */
#ifndef ATTNSCOPE_GPU_RUNS_H
#define ATTNSCOPE_GPU_RUNS_H

#include <stdio.h>

#include "tests/bench/gpu_bench.h"

/* Times the search of the first `count` sentences, side by side. */
struct timing gpu_time_search(const struct gpu_bench *bench, struct search_job *jobs, int count);
/* Returns the number of tokens of the best hypotheses; all reach the maximum length. */
int gpu_steps_of(const struct search_job *jobs);

/* Prints each time with the share of the floor that it reaches. `table` gets a line for other
 * programs; may be NULL. */
void gpu_runs(const struct gpu_bench *bench, const struct gpu_ceilings *ceilings, FILE *table);

#endif
