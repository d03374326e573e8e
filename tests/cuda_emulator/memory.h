/* Device memory: allocations in one reserved range, with red zones between them, filled with NaN.
 *
 * The range is inaccessible (PROT_NONE) except between memory_open and memory_close, which the
 * device calls around kernels and copies. Red zones are poisoned for AddressSanitizer. Without it
 * they hold canaries, which are checked after every kernel.
 */
#ifndef CUDA_EMULATOR_MEMORY_H
#define CUDA_EMULATOR_MEMORY_H

#include <stddef.h>

namespace cudaemu
{

constexpr size_t DEVICE_RANGE = (size_t)64 << 30;

struct allocation {
    char *begin;
    size_t bytes;
};

void *memory_allocate(size_t bytes); // aligned to 256 bytes; null if there is not enough
bool memory_release(void *memory);   // false if it was not allocated
size_t memory_left(void);
size_t memory_total(void);
void set_memory_total(size_t bytes);

bool on_device(const void *address);                     // allocated or not
size_t device_offset(const void *address);               // from the beginning of the range
const allocation *find_allocation(const void *address);  // the one that contains it, or null
bool is_allocated(const void *address, size_t bytes);    // true if all of it is in one allocation
void check_fences(const char *what, const char *kernel); // a broken one is a fault

void memory_open(void);
void memory_close(void);
bool memory_is_open(void);

struct memory_reach { // keeps it open as long as it lives
    memory_reach()
    {
        memory_open();
    }
    ~memory_reach()
    {
        memory_close();
    }
};

/* Returns the byte that fills unwritten memory. */
int poison_byte(void);
void set_poison_byte(int byte);

/* Pinned host memory, which kernels can access too. */
bool pin(void *memory, size_t bytes); // false: some of it is already pinned
bool unpin(void *memory);             // false: it is not the beginning of a pinned range
bool is_pinned(const void *address, size_t bytes);

/* Makes SIGSEGV report invalid accesses to device memory; then it is handled as before. */
void watch_reach(void);

} // namespace cudaemu

#endif
