#include "shared.h"

#include <string.h>

#include "fault.h"
#include "memory.h"
#include "races.h"
#include "sanitizer.h"
#include "scheduler.h"

namespace cudaemu
{

enum { ARRAYS_MOST = SHARED_ARRAYS, RED_ZONE = SHARED_RED_ZONE };
constexpr unsigned char CANARY = 0xa5;

uint64_t shared_block;

static struct {
    alignas(256) unsigned char memory[SHARED_ARENA];
    struct {
        const shared_site *site;
        size_t begin, end;
    } arrays[ARRAYS_MOST];
    int count;
    size_t used, statics, dynamics; // bytes: with red zones; of arrays without
    size_t dynamic, limit;          // of the launch
} arena;

static size_t rounded(size_t bytes)
{
    return (bytes + 15) / 16 * 16;
}

void begin_shared(size_t dynamic, size_t limit)
{
    static bool fenced;
    if (!fenced) {
        poison(arena.memory, sizeof arena.memory);
        fenced = true;
    }
    shared_block = running.serial + 1; // run_block checks the number
    arena.count = 0;
    arena.used = arena.statics = arena.dynamics = 0;
    arena.dynamic = dynamic;
    arena.limit = limit;
}

static void check_room(const shared_site &site, size_t bytes, bool dynamic)
{
    if (site.block == shared_block)
        kernel_fault("shared array %s has %zu bytes here and %zu in another thread", site.name,
                     bytes, site.bytes);
    if (arena.count == ARRAYS_MOST)
        kernel_fault("shared array %s: the emulator has room for %d arrays a block", site.name,
                     ARRAYS_MOST);
    size_t &sum = dynamic ? arena.dynamics : arena.statics;
    size_t most = dynamic ? arena.dynamic : SHARED_STATIC;
    if (bytes > SHARED_MOST || rounded(bytes) > most - sum)
        kernel_fault("shared array %s has %zu bytes, but %zu of %zu bytes %s are left", site.name,
                     bytes, most - sum, most, dynamic ? "that the launch gave" : "for such arrays");
    sum += rounded(bytes);
    if (arena.statics + arena.dynamic > arena.limit)
        kernel_fault(
            "%zu bytes of shared arrays and %zu that the launch gave: expected %zu at most",
            arena.statics, arena.dynamic, arena.limit);
}

/* Without AddressSanitizer, writes outside arrays are detected at the end of the block. */
static void fence(size_t begin, size_t end)
{
    if (!asan)
        memset(arena.memory + begin, CANARY, end - begin);
}

void *make_shared(shared_site &site, size_t bytes, bool dynamic)
{
    check_room(site, bytes, dynamic);
    size_t begin = arena.used + RED_ZONE, end = begin + bytes;
    fence(arena.used, begin);
    unpoison(arena.memory + begin, bytes);
    memset(arena.memory + begin, poison_byte(), bytes);
    mark_shared_new(begin, bytes);
    arena.used = rounded(end);
    fence(end, arena.used + RED_ZONE);
    arena.arrays[arena.count].site = &site;
    arena.arrays[arena.count].begin = begin;
    arena.arrays[arena.count++].end = end;
    site.block = shared_block;
    site.array = arena.memory + begin;
    site.bytes = bytes;
    return site.array;
}

bool shared_offset(const void *address, size_t *offset)
{
    *offset = (size_t)((uintptr_t)address - (uintptr_t)arena.memory);
    return *offset < sizeof arena.memory;
}

const char *shared_name(const void *address)
{
    size_t offset;
    shared_offset(address, &offset);
    for (int i = 0; i < arena.count; i++)
        if (offset >= arena.arrays[i].begin && offset < arena.arrays[i].end)
            return arena.arrays[i].site->name;
    return "(none)";
}

static bool intact(size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        if (arena.memory[i] != CANARY)
            return false;
    return true;
}

void end_shared(void)
{
    for (int i = 0; i < arena.count && !asan; i++) {
        size_t begin = arena.arrays[i].begin, end = arena.arrays[i].end;
        size_t next = i + 1 < arena.count ? arena.arrays[i + 1].begin : arena.used + RED_ZONE;
        if (!intact(begin - RED_ZONE, begin) || !intact(end, next))
            note_fault("some thread of the block wrote outside of shared array %s (or one beside)",
                       arena.arrays[i].site->name);
    }
    poison(arena.memory, arena.used);
}

} // namespace cudaemu
