/* What kernels load of device memory, counted where their accesses are watched (races.h): in
 * sectors of 32 bytes, which is what a GPU's caches move. */
#ifndef CUDA_EMULATOR_LOADS_H
#define CUDA_EMULATOR_LOADS_H

#include <stddef.h>

namespace cudaemu
{

void begin_loads(const char *kernel); // a kernel is about to run
/* A load by the code at pc, of `offset` in device memory. */
void count_load(size_t offset, size_t bytes, const void *pc);

} // namespace cudaemu

#endif
