#include "races.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "fault.h"
#include "loads.h"
#include "memory.h"
#include "scheduler.h"
#include "shared.h"

namespace cudaemu
{

bool watching;

namespace
{

enum { WORD = 4 };
/* Who made the accesses of a mark: one thread, or several readers among the lanes of the warp, the
 * warps of the block, or the blocks of the grid. */
enum { ONE, LANES_OF_WARP, WARPS_OF_BLOCK, BLOCKS_OF_GRID };

struct mark {
    uint32_t atomic : 1, block : 31; // the block's serial number; 0: none
    uint32_t thread : 10, bytes : 4, barriers : 9, syncs : 7, several : 2;
};

struct cell { // of a word
    mark write, read;
};

/* Cells, and which bytes of each word were written. */
struct space {
    cell *cells;
    unsigned char *written;
    bool of_block; // another block has different memory
};

space device, shared;
uint32_t first_block;    // of the launch
uint32_t overlap_begins; // first block of the launch that an early one overlaps
bool copied;             // since the previous launch

template <class T> T *reserve(size_t bytes)
{
    void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        perror("CUDA emulator: no room to watch accesses");
        abort();
    }
    return (T *)memory;
}

space reserve_space(size_t bytes, bool of_block)
{
    return {reserve<cell>(bytes / WORD * sizeof(cell)), reserve<unsigned char>(bytes / WORD),
            of_block};
}

bool is_since(const mark &old, uint32_t block)
{
    return old.block && old.block - block <= (uint32_t)running.serial - block;
}

bool in_launch(const mark &old)
{
    return is_since(old, first_block);
}

/* True if the current thread may run before the previous launch has ended. */
bool is_early(void)
{
    return running.early && !running.current->waited;
}

bool in_warp(const mark &a, const mark &b)
{
    return a.thread / LANES == b.thread / LANES;
}

/* True if a __syncwarp is between them. */
bool synced(const mark &old, const mark &now)
{
    const uint32_t passed = ((uint32_t)now.syncs - (uint32_t)old.syncs) & 127;
    return passed > 0 && passed < 64;
}

/* True if nothing orders the old access before this one. */
bool unordered(const mark &old, const mark &now)
{
    if (!in_launch(old) || !(old.bytes & now.bytes))
        return false;
    if (old.block != now.block || old.several == BLOCKS_OF_GRID)
        return true;
    if (old.barriers != now.barriers || (old.several == ONE && old.thread == now.thread))
        return false;
    return old.several == WARPS_OF_BLOCK || !in_warp(old, now) || !synced(old, now);
}

/* Returns the mark to keep when another read is added. */
mark joined(const mark &old, mark now)
{
    if (!in_launch(old))
        return now;
    now.bytes |= old.bytes;
    if (old.several == BLOCKS_OF_GRID || old.block != now.block)
        now.several = BLOCKS_OF_GRID;
    else if (old.barriers != now.barriers || (old.several == ONE && old.thread == now.thread))
        return now;
    else if (old.several == WARPS_OF_BLOCK || !in_warp(old, now))
        now.several = WARPS_OF_BLOCK;
    else if (!synced(old, now))
        now.several = LANES_OF_WARP;
    return now;
}

const char *place_of(const void *pc, char (&text)[200])
{
    Dl_info info;
    text[0] = '\0';
    if (dladdr(pc, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        snprintf(text, sizeof text, " (%s+0x%zx)", slash ? slash + 1 : info.dli_fname,
                 (size_t)((const char *)pc - (const char *)info.dli_fbase) - 1);
    }
    return text;
}

const char *memory_name(const void *address, char (&text)[200])
{
    if (const allocation *held = find_allocation(address))
        snprintf(text, sizeof text, "byte %zu of an allocation of %zu",
                 (size_t)((const char *)address - held->begin), held->bytes);
    else
        snprintf(text, sizeof text, "shared array %s", shared_name(address));
    return text;
}

[[gnu::noinline]] void tell_race(const void *address, const mark &old, const char *did,
                                 const char *does, const void *pc)
{
    char memory[200], place[200], who[100];
    if (old.several != ONE)
        snprintf(who, sizeof who, "several threads");
    else if (!in_launch(old))
        snprintf(who, sizeof who, "the kernel or product before it");
    else if (old.block == (running.serial & 0x7fffffff))
        snprintf(who, sizeof who, "thread %u", (unsigned)old.thread);
    else
        snprintf(who, sizeof who, "thread %u of another block", (unsigned)old.thread);
    kernel_fault("a race: it %s %s, which %s %s, and nothing orders the two%s", does,
                 memory_name(address, memory), who, did, place_of(pc, place));
}

[[noreturn, gnu::noinline]] void tell_early_write(const void *address, const void *pc)
{
    char memory[200], place[200];
    kernel_fault("a race: it writes %s before grid_wait, launched early%s",
                 memory_name(address, memory), place_of(pc, place));
}

mark mark_of(access kind, unsigned bytes)
{
    const thread &self = *running.current;
    mark now = {};
    now.atomic = kind == access::atomic;
    now.block = (uint32_t)running.serial & 0x7fffffff;
    now.thread = self.number & 1023;
    now.bytes = bytes & 15;
    now.barriers = running.barriers & 511;
    now.syncs = self.syncs & 127;
    return now;
}

void watch_read(cell &cell, unsigned char written, const mark &now, const void *address,
                const void *pc)
{
    if ((written & now.bytes) != now.bytes) {
        char memory[200], place[200];
        kernel_fault("it reads %s, which nothing has written%s", memory_name(address, memory),
                     place_of(pc, place));
    }
    if (unordered(cell.write, now) || (is_early() && is_since(cell.write, overlap_begins)))
        tell_race(address, cell.write, "has written", "reads", pc);
    cell.read = joined(cell.read, now);
}

void watch_write(cell &cell, unsigned char &written, const mark &now, const void *address,
                 const void *pc)
{
    if (unordered(cell.write, now) && !(cell.write.atomic && now.atomic))
        tell_race(address, cell.write, "has written", "writes", pc);
    if (unordered(cell.read, now))
        tell_race(address, cell.read, "has read", "writes", pc);
    cell.write = now;
    written |= now.bytes;
}

/* Returns the bytes of word `word` that lie in offset … offset+bytes-1. */
unsigned bytes_in_word(size_t word, size_t offset, size_t bytes)
{
    const size_t begin = word * WORD;
    const unsigned from = offset > begin ? (unsigned)(offset - begin) : 0;
    const size_t end = offset + bytes - begin;
    return (end >= WORD ? 15u : (1u << end) - 1) & 15u << from;
}

void watch_words(space &space, size_t offset, const void *address, size_t bytes, access kind,
                 const void *pc)
{
    for (size_t word = offset / WORD; word * WORD < offset + bytes; word++) {
        const mark now = mark_of(kind, bytes_in_word(word, offset, bytes));
        cell &cell = space.cells[word];
        if (space.of_block && cell.write.block != now.block)
            cell.write = {};
        if (space.of_block && cell.read.block != now.block)
            cell.read = {};
        if (kind == access::read)
            watch_read(cell, space.written[word], now, address, pc);
        else
            watch_write(cell, space.written[word], now, address, pc);
    }
}

/* Marks bytes as written or not. */
void set_written(size_t offset, size_t bytes, bool on)
{
    for (size_t word = offset / WORD; word * WORD < offset + bytes;) {
        const size_t whole = (offset + bytes) / WORD;
        if (word * WORD >= offset && whole > word) {
            memset(device.written + word, on ? 15 : 0, whole - word);
            word = whole;
            continue;
        }
        const unsigned part = bytes_in_word(word, offset, bytes);
        device.written[word] =
            (unsigned char)(on ? device.written[word] | part : device.written[word] & ~part);
        word++;
    }
}

} // namespace

void watch_code(void)
{
    if (watching)
        return;
    device = reserve_space(DEVICE_RANGE, false);
    shared = reserve_space((SHARED_ARENA + WORD - 1) / WORD * WORD, true);
    watching = true;
}

void watch_launch(void)
{
    const uint32_t next = ((uint32_t)running.serial + 1) & 0x7fffffff;
    overlap_begins = copied ? next : first_block;
    first_block = next;
    copied = false;
}

void watch_product(void)
{
    watch_launch();
    running.serial++;
}

void mark_computed(const void *memory, size_t bytes)
{
    mark now = {};
    if (!watching || !on_device(memory))
        return;
    const size_t offset = device_offset(memory);
    now.block = first_block;
    set_written(offset, bytes, true);
    for (size_t word = offset / WORD; word * WORD < offset + bytes; word++) {
        now.bytes = bytes_in_word(word, offset, bytes) & 15;
        device.cells[word].write = now;
    }
}

void watch_access(const void *address, size_t bytes, access kind, const void *pc)
{
    size_t offset;
    if (!running.running || !watching)
        return;
    if (on_device(address) && kind != access::read && is_early())
        tell_early_write(address, pc);
    if (on_device(address)) {
        watch_words(device, device_offset(address), address, bytes, kind, pc);
        if (kind == access::read)
            count_load(device_offset(address), bytes, pc);
    } else if (shared_offset(address, &offset))
        watch_words(shared, offset, address, bytes, kind, pc);
}

void mark_shared_new(size_t offset, size_t bytes)
{
    if (watching)
        memset(shared.written + offset / WORD, 0, (bytes + WORD - 1) / WORD);
}

void mark_written(const void *memory, size_t bytes)
{
    copied = true;
    if (watching && on_device(memory))
        set_written(device_offset(memory), bytes, true);
}

void mark_new(const void *memory, size_t bytes)
{
    if (watching)
        set_written(device_offset(memory), bytes, false);
}

void mark_copied(const void *to, const void *from, size_t bytes)
{
    copied = true;
    if (!watching || !on_device(to))
        return;
    mark_written(to, bytes);
    for (size_t i = 0; on_device(from) && i < bytes; i++)
        if (!is_written((const char *)from + i, 1))
            set_written(device_offset(to) + i, 1, false);
}

bool is_written(const void *memory, size_t bytes)
{
    if (!watching || !on_device(memory))
        return true;
    const size_t offset = device_offset(memory);
    for (size_t word = offset / WORD; word * WORD < offset + bytes; word++) {
        const unsigned wanted = bytes_in_word(word, offset, bytes);
        if ((device.written[word] & wanted) != wanted)
            return false;
    }
    return true;
}

} // namespace cudaemu
