#include "tui/terminal/typed_ahead.h"

#include <string.h>

enum { QUEUE_BYTES = 4096 };

static struct {
    unsigned char bytes[QUEUE_BYTES];
    size_t count;
} queue;

void typed_ahead_add(const unsigned char *bytes, size_t count)
{
    size_t room = QUEUE_BYTES - queue.count;
    count = count < room ? count : room;
    memcpy(queue.bytes + queue.count, bytes, count);
    queue.count += count;
}

size_t typed_ahead_take(unsigned char *bytes, size_t count)
{
    count = count < queue.count ? count : queue.count;
    memcpy(bytes, queue.bytes, count);
    queue.count -= count;
    memmove(queue.bytes, queue.bytes + count, queue.count);
    return count;
}

bool typed_ahead_any(void)
{
    return queue.count > 0;
}
