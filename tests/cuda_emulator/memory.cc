#include "memory.h"

#include <algorithm>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <vector>

#include "fault.h"
#include "races.h"
#include "sanitizer.h"

namespace cudaemu
{

enum { ALIGNMENT = 256, RED_ZONE = 256, FENCE = 64 };
constexpr size_t RESERVED = DEVICE_RANGE, CHUNK = (size_t)2 << 20;

static char *range;   // RESERVED bytes
static size_t in_use; // of the range, in chunks (huge pages): the part that open and close act on
static int opened;
static size_t total = (size_t)2 << 30, allocated;
static std::vector<allocation> allocations; // by address

static size_t rounded(size_t bytes, size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

static bool reserve(void)
{
    if (range)
        return true;
    void *memory = mmap(nullptr, RESERVED + CHUNK, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    range = (char *)rounded((size_t)memory, CHUNK);
    madvise(range, RESERVED, MADV_HUGEPAGE); // protecting small pages takes long
    return true;
}

static void protect(int protection)
{
    if (in_use > 0 && mprotect(range, in_use, protection) != 0) {
        perror("CUDA emulator: mprotect");
        abort();
    }
}

void memory_open(void)
{
    if (opened++ > 0)
        return;
    watch_reach();
    protect(PROT_READ | PROT_WRITE);
}

void memory_close(void)
{
    if (--opened > 0)
        return;
    protect(PROT_NONE);
    watch_reach();
}

bool memory_is_open(void)
{
    return opened > 0;
}

static int poison_with = 0xff;

int poison_byte(void)
{
    return poison_with;
}

void set_poison_byte(int byte)
{
    poison_with = byte;
}

static unsigned char fence[FENCE];

static void raise_fences(const allocation &made)
{
    memset(fence, 0xa5, FENCE);
    memcpy(made.begin - FENCE, fence, FENCE);
    memcpy(made.begin + made.bytes, fence, FENCE);
}

static bool fences_hold(const allocation &held)
{
    return memcmp(held.begin - FENCE, fence, FENCE) == 0 &&
           memcmp(held.begin + held.bytes, fence, FENCE) == 0;
}

void check_fences(const char *what, const char *kernel)
{
    if (asan)
        return; // AddressSanitizer reported the write before
    for (const allocation &held : allocations) {
        if (fences_hold(held))
            continue;
        raise_fences(held);
        fault("%s %s wrote outside of an allocation of %zu bytes of device memory", what, kernel,
              held.bytes);
    }
}

/* Finds the first place where `bytes` and the red zone behind them fit, so that a program that
 * repeats itself gets the same addresses. */
static std::vector<allocation>::iterator find_place(size_t bytes, char **place)
{
    *place = range + RED_ZONE;
    auto next = allocations.begin();
    for (; next != allocations.end(); ++next) {
        if ((size_t)(next->begin - *place) >= rounded(bytes, ALIGNMENT) + RED_ZONE)
            break;
        *place = next->begin + rounded(next->bytes, ALIGNMENT) + RED_ZONE;
    }
    return next;
}

static void grow_to(size_t end)
{
    size_t grown = rounded(end, CHUNK);
    if (grown <= in_use)
        return;
    poison(range + in_use, grown - in_use);
    in_use = grown;
    protect(PROT_READ | PROT_WRITE); // already open
}

void *memory_allocate(size_t bytes)
{
    size_t size = rounded(bytes, ALIGNMENT);
    if (bytes > total || size > total - std::min(allocated, total) || !reserve())
        return nullptr;
    char *place;
    auto next = find_place(bytes, &place);
    size_t end = (size_t)(place - range) + size + RED_ZONE;
    if (end > RESERVED)
        return nullptr;
    memory_reach reach;
    grow_to(end);
    unpoison(place, bytes);
    memset(place, poison_byte(), bytes);
    allocation made = {place, bytes};
    mark_new(place, bytes);
    if (!asan)
        raise_fences(made);
    allocations.insert(next, made);
    allocated += size;
    return place;
}

bool memory_release(void *memory)
{
    const allocation *held = find_allocation(memory);
    if (!held || held->begin != memory)
        return false;
    poison(held->begin, held->bytes);
    // Only whole huge pages, as protecting the small ones of one that was split takes long.
    size_t begin = rounded((size_t)(held->begin - range), CHUNK);
    size_t end = (size_t)(held->begin - range + held->bytes) / CHUNK * CHUNK;
    if (end > begin)
        madvise(range + begin, end - begin, MADV_DONTNEED);
    allocated -= rounded(held->bytes, ALIGNMENT);
    allocations.erase(allocations.begin() + (held - allocations.data()));
    return true;
}

size_t memory_left(void)
{
    return total - std::min(allocated, total);
}

size_t memory_total(void)
{
    return total;
}

void set_memory_total(size_t bytes)
{
    total = bytes;
}

bool on_device(const void *address)
{
    return range && (uintptr_t)address - (uintptr_t)range < RESERVED;
}

size_t device_offset(const void *address)
{
    return (size_t)((const char *)address - range);
}

const allocation *find_allocation(const void *address)
{
    auto after = std::upper_bound(
        allocations.begin(), allocations.end(), address,
        [](const void *wanted, const allocation &held) { return wanted < (void *)held.begin; });
    if (after == allocations.begin())
        return nullptr;
    const allocation &held = after[-1];
    size_t offset = (size_t)((const char *)address - held.begin);
    return offset < held.bytes || offset == 0 ? &held : nullptr;
}

bool is_allocated(const void *address, size_t bytes)
{
    const allocation *held = find_allocation(address);
    return held && bytes <= held->bytes - (size_t)((const char *)address - held->begin);
}

static std::vector<allocation> pinned;

bool pin(void *memory, size_t bytes)
{
    char *begin = (char *)memory;
    for (const allocation &held : pinned)
        if (begin < held.begin + held.bytes && held.begin < begin + bytes)
            return false;
    pinned.push_back({begin, bytes});
    return true;
}

bool unpin(void *memory)
{
    for (size_t i = 0; i < pinned.size(); i++) {
        if (pinned[i].begin != memory)
            continue;
        pinned.erase(pinned.begin() + (ptrdiff_t)i);
        return true;
    }
    return false;
}

bool is_pinned(const void *address, size_t bytes)
{
    const char *begin = (const char *)address;
    for (const allocation &held : pinned)
        if (begin >= held.begin && begin < held.begin + held.bytes)
            return bytes <= (size_t)(held.begin + held.bytes - begin);
    return false;
}

} // namespace cudaemu
