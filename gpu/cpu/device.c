#include "gpu/cpu/device.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const size_t line = 64, mapped_size = (size_t)2 << 20;

/* Mapped pages are zero without being touched, so unused memory costs nothing: caches have room for
 * the longest hypothesis that the settings allow. */
static void *memory_mapped(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    /* Matrices are read from end to end: small pages would cost a TLB miss every 4 KB. */
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

void *memory_aligned(size_t bytes)
{
    if (bytes >= mapped_size)
        return memory_mapped(bytes);
    size_t size = bytes ? (bytes + line - 1) / line * line : line;
    void *memory = aligned_alloc(line, size);
    return memory ? memset(memory, 0, size) : NULL;
}

void memory_aligned_free(void *memory, size_t bytes)
{
    if (memory && bytes >= mapped_size)
        munmap(memory, bytes);
    else
        free(memory);
}

void device_fail(struct device *device, enum status_code code, const char *message)
{
    if (!device->failed)
        status_fail(&device->failure, code, "cpu: %s", message);
    device->failed = true;
}

void *device_scratch(struct device *device, size_t bytes)
{
    if (bytes <= device->scratch_size)
        return device->scratch;
    /* Hypotheses lengthen step by step: growing by little would mean allocating every time. */
    if (bytes < 2 * device->scratch_size)
        bytes = 2 * device->scratch_size;
    memory_aligned_free(device->scratch, device->scratch_size);
    device->scratch_size = 0;
    device->scratch = memory_aligned(bytes);
    if (!device->scratch) {
        device_fail(device, STATUS_MEMORY, "no memory for temporary results");
        return NULL;
    }
    device->scratch_size = bytes;
    return device->scratch;
}
