/* Counts the loads of device memory by kernels whose accesses are watched (races.h), in sectors of
 * 32 bytes, the unit of a GPU's caches. */
#ifndef CUDA_EMULATOR_LOADS_H
#define CUDA_EMULATOR_LOADS_H

#include <stddef.h>

namespace cudaemu
{

void begin_loads(const char *kernel); // call before a kernel runs
/* Counts a load by the code at pc, of `offset` in device memory. */
void count_load(size_t offset, size_t bytes, const void *pc);

} // namespace cudaemu

#endif
