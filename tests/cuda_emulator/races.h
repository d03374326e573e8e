/* Detects races and reads of unwritten memory in kernels that are compiled with -fsanitize=thread:
 * each of their memory accesses then calls a hook of the sanitizer's runtime. The hooks are ours
 * (tsan_hooks.cc) and call this.
 *
 * Two accesses to a byte, one of them a write, race if nothing orders them. That is the case if
 * they are in one launch, by different threads, not both atomic, and either in different blocks, or
 * in one block with no barrier in between nor, within a warp, a __syncwarp. Shuffles do not order
 * accesses. A race is found in any order of threads. In a kernel launched early, a thread that has
 * not called grid_wait may not read what the previous launch has written, and may not write device
 * memory.
 *
 * For each word of memory the last write and the last reads are kept. A write of other bytes of the
 * word is forgotten, so that a race with it may be missed. */
#ifndef CUDA_EMULATOR_RACES_H
#define CUDA_EMULATOR_RACES_H

#include <stddef.h>
#include <stdint.h>

namespace cudaemu
{

enum class access { read, write, atomic };

extern bool watching; // some code is compiled that way

void watch_code(void); // called when such a file is loaded
/* Records an access by the code at pc. A race, or a read of unwritten memory, is a fault of the
 * kernel. */
void watch_access(const void *address, size_t bytes, access kind, const void *pc);
/* Begins a launch, which is ordered after everything before. Exception: threads of an early launch
 * that have not called grid_wait overlap the previous kernel or product, unless a copy or a fill
 * came in between. */
void watch_launch(void);
void watch_product(void); // the same for a product, which then says what it has written
void mark_computed(const void *memory, size_t bytes);

/* Device memory that copies and fills have written; memory that is new; memory that was copied. */
void mark_written(const void *memory, size_t bytes);
void mark_new(const void *memory, size_t bytes);
void mark_shared_new(size_t offset, size_t bytes); // an array of the block
void mark_copied(const void *to, const void *from, size_t bytes);
/* True if all of it has been written; always true unless watching. */
bool is_written(const void *memory, size_t bytes);

} // namespace cudaemu

#endif
