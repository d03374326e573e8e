/* The shared memory of a block: one arena, filled with NaN, with red zones around every array. */
#ifndef CUDA_EMULATOR_SHARED_H
#define CUDA_EMULATOR_SHARED_H

#include <stddef.h>
#include <stdint.h>

namespace cudaemu
{

constexpr size_t SHARED_STATIC = 48 << 10, SHARED_MOST = 227 << 10;
constexpr size_t SHARED_ARRAYS = 64, SHARED_RED_ZONE = 256;
constexpr size_t SHARED_ARENA = SHARED_MOST + (SHARED_ARRAYS + 1) * SHARED_RED_ZONE + 256;

/* One declaration. It remembers the place of its array in the running block. */
struct shared_site {
    const char *name;
    uint64_t block = 0;
    void *array = nullptr;
    size_t bytes = 0;
};

extern uint64_t shared_block; // serial number of the block

/* Returns the array of the declaration; the first thread that arrives creates it. */
void *make_shared(shared_site &site, size_t bytes, bool dynamic);

inline void *find_shared(shared_site &site, size_t bytes, bool dynamic)
{
    if (site.block == shared_block && site.bytes == bytes)
        return site.array;
    return make_shared(site, bytes, dynamic);
}

template <class T, size_t n> inline T (&shared_array(shared_site &site))[n]
{
    static_assert(alignof(T) <= 16, "shared memory is aligned to 16 bytes");
    return *(T(*)[n])find_shared(site, sizeof(T) * n, false);
}

struct shared_cursor {
    template <class T> T *take(shared_site &site, size_t n)
    {
        static_assert(alignof(T) <= 16, "shared memory is aligned to 16 bytes");
        return (T *)find_shared(site, sizeof(T) * n, true);
    }
};

/* Call before a block, with the dynamic bytes of its launch and the most that its kernel may
 * have. */
void begin_shared(size_t dynamic, size_t limit);
/* True if the address is in shared memory; sets its offset from the beginning and returns the name
 * of its array. */
bool shared_offset(const void *address, size_t *offset);
const char *shared_name(const void *address);

/* Call after a block: records a fault if something was written outside the arrays. */
void end_shared(void);

} // namespace cudaemu

#endif
