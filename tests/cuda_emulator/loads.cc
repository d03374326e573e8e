/* The lanes of a warp load together when they execute the same instruction the same number of
 * times. The instruction is known from its address. A load of 16 bytes reaches the hooks in pieces,
 * mixed with pieces of other loads: pieces of the same aligned 16 bytes are one load, unless one of
 * them has been loaded before. */
#include "loads.h"

#include <string.h>

#include <unordered_map>
#include <unordered_set>

#include "emulator.h"
#include "races.h"
#include "scheduler.h"
#include "stream.h"

namespace cudaemu
{

namespace
{

enum { SECTOR = 32, WIDEST = 16, KEPT = 8 };

struct load {
    const void *pc;
    unsigned turn;
    uint32_t loaded; // bytes of the chunk
    size_t chunk;
};

/* The last loads of a thread. */
struct recent {
    load loads[KEPT];
    unsigned next;
};

struct request {
    const void *pc;
    size_t sector;
    unsigned turn, warp;
    bool operator==(const request &other) const
    {
        return pc == other.pc && sector == other.sector && turn == other.turn && warp == other.warp;
    }
};

struct mix {
    size_t operator()(const request &request) const
    {
        const size_t odd = 0x9e3779b97f4a7c15;
        size_t hash = (size_t)request.pc;
        for (size_t part : {request.sector, (size_t)request.turn, (size_t)request.warp})
            hash = (hash ^ hash >> 29 ^ part) * odd;
        return hash;
    }
};

char part_of_name[80];  // "": no kernel
bool counting;          // count the loads of the running kernel
uint64_t counted_block; // the block that the following belong to
recent last[THREADS_MOST];
std::unordered_map<const void *, unsigned> turns[THREADS_MOST]; // by address
std::unordered_set<request, mix> requests;
std::unordered_set<size_t> sectors;

void begin_block(void)
{
    counted_block = running.serial;
    requests.clear();
    sectors.clear();
    for (unsigned i = 0; i < running.size; i++) {
        last[i] = {};
        turns[i].clear();
    }
}

/* Returns the load that this piece belongs to: one of the last, or a new one. */
const load &load_of(size_t offset, size_t bytes, const void *pc)
{
    const unsigned thread = running.current->number;
    const size_t chunk = offset / WIDEST;
    const uint32_t piece = ((1u << bytes) - 1) << offset % WIDEST;
    recent &recent = last[thread];
    for (load &load : recent.loads)
        if (load.pc && load.chunk == chunk && !(load.loaded & piece)) {
            load.loaded |= piece;
            return load;
        }
    load &fresh = recent.loads[recent.next++ % KEPT];
    fresh = {pc, turns[thread][pc]++, piece, chunk};
    return fresh;
}

} // namespace

void begin_loads(const char *kernel)
{
    counting = *part_of_name && strstr(kernel, part_of_name);
}

void count_load(size_t offset, size_t bytes, const void *pc)
{
    if (!counting)
        return;
    if (counted_block != running.serial)
        begin_block();
    const load &own = load_of(offset, bytes, pc);
    const unsigned warp = running.current->number / LANES;
    for (size_t sector = offset / SECTOR; sector * SECTOR < offset + bytes; sector++) {
        counts.block_loads += sectors.insert(sector).second ? SECTOR : 0;
        counts.warp_loads += requests.insert({own.pc, sector, own.turn, warp}).second ? SECTOR : 0;
    }
}

} // namespace cudaemu

using namespace cudaemu;

int cudaemu_count_loads(const char *kernels)
{
    device_lock lock(device_mutex);
    strncpy(part_of_name, kernels ? kernels : "", sizeof part_of_name - 1);
    return watching;
}
