#include "tape.h"

#include <stdlib.h>
#include <string.h>

namespace cudaemu
{

static_assert(sizeof(void *) == 8, "a header keeps what follows aligned to 16 bytes");

tape::~tape()
{
    free(memory);
}

void tape::reserve(size_t bytes)
{
    if (bytes <= room)
        return;
    size_t grown = bytes > 2 * room ? bytes : 2 * room;
    char *moved = (char *)realloc(memory, grown);
    if (!moved)
        abort();
    memory = moved;
    room = grown;
}

void *tape::add_bytes(size_t bytes, void (*run)(void *work))
{
    bytes = (bytes + 15) / 16 * 16;
    reserve(used + sizeof(header) + bytes);
    header *begin = (header *)(memory + used);
    begin->run = run;
    begin->bytes = bytes;
    used += sizeof(header) + bytes;
    count++;
    return begin + 1;
}

void tape::add(const tape &other)
{
    if (other.used == 0)
        return;
    reserve(used + other.used);
    memcpy(memory + used, other.memory, other.used);
    used += other.used;
    count += other.count;
}

bool tape::step()
{
    if (next == used)
        return false;
    header *work = (header *)(memory + next);
    next += sizeof(header) + work->bytes;
    work->run(work + 1);
    return true;
}

void tape::rewind()
{
    next = 0;
}

void tape::clear()
{
    used = next = count = 0;
}

} // namespace cudaemu
