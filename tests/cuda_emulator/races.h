/* Races, and reads of what was never written, in kernels that are compiled with -fsanitize=thread:
 * then each of their accesses to memory calls a hook of the sanitizer's runtime, which is ours
 * (tsan_hooks.cc), and comes here.
 *
 * Two accesses to a byte, one of them a write, race if nothing orders them: they are of one launch,
 * of different threads, and not both atomic; and of different blocks, or of one block with no
 * barrier in between nor, in one warp, a __syncwarp. Shuffles order nothing. What orders is known
 * from the order that the threads happen to run in, but not what races: that shows in any order. A
 * thread that has not called grid_wait in a kernel launched early may not read what the launch
 * before has written, and writes nothing to device memory.
 *
 * For each word of memory the last write and the last reads are kept. Forgotten, and so a race that
 * may be missed, is a write of other bytes of the word. */
#ifndef CUDA_EMULATOR_RACES_H
#define CUDA_EMULATOR_RACES_H

#include <stddef.h>
#include <stdint.h>

namespace cudaemu
{

enum class access { read, write, atomic };

extern bool watching; // some code is compiled so

void watch_code(void); // a file of it has been loaded
/* An access by the code at pc. A race, or a read of what was not written, is a fault of the
 * kernel. */
void watch_access(const void *address, size_t bytes, access kind, const void *pc);
/* What comes now is after all that was. But a thread that was launched early and has not called
 * grid_wait runs beside the kernel or product before, unless a copy or a fill came in between. */
void watch_launch(void);
void watch_product(void); // the same of a product, which then says what it has written
void mark_computed(const void *memory, size_t bytes);

/* Device memory that copies and fills have written; that is new; of which a copy has been made. */
void mark_written(const void *memory, size_t bytes);
void mark_new(const void *memory, size_t bytes);
void mark_shared_new(size_t offset, size_t bytes); // an array of the block
void mark_copied(const void *to, const void *from, size_t bytes);
/* True if all of it has been written; true unless watching. */
bool is_written(const void *memory, size_t bytes);

} // namespace cudaemu

#endif
