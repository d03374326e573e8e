#include "base/system.h"

#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *memory_find(const void *memory, size_t bytes, const void *wanted, size_t count)
{
    return memmem(memory, bytes, wanted, count);
}

void *memory_find_last(const void *memory, int byte, size_t bytes)
{
    return memrchr(memory, byte, bytes);
}

void sort_with(void *items, size_t count, size_t bytes, compare_function *compare, void *context)
{
    qsort_r(items, count, bytes, compare, context);
}

int compare_numbered(const struct dirent **a, const struct dirent **b)
{
    return versionsort(a, b);
}

FILE *stream_open(void *context, stream_read *read, stream_close *close)
{
    return fopencookie(context, "r", (cookie_io_functions_t){.read = read, .close = close});
}

bool pipe_open(int ends[2], bool waits)
{
    return pipe2(ends, O_CLOEXEC | (waits ? 0 : O_NONBLOCK)) == 0;
}

int file_open_nameless(const char *folder, mode_t mode)
{
    return open(folder, O_RDWR | O_TMPFILE | O_CLOEXEC, mode);
}

long processors_allowed(void)
{
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed)
                                                               : sysconf(_SC_NPROCESSORS_ONLN);
}
