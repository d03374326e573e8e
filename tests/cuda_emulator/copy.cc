/* Allocates, copies and fills device memory and pinned host memory. */
#include <stdlib.h>
#include <string.h>

#include "fault.h"
#include "memory.h"
#include "races.h"
#include "stream.h"

using namespace cudaemu;

namespace
{

struct copy_work {
    void *to;
    const void *from;
    size_t bytes;

    void operator()() const
    {
        if (!on_device(to) && !is_written(from, bytes))
            fault("a copy of %zu bytes to the host has some that nothing has written", bytes);
        memmove(to, from, bytes);
        mark_copied(to, from, bytes);
    }
};

struct fill_work {
    void *memory;
    int value;
    size_t bytes;

    void operator()() const
    {
        memset(memory, value, bytes);
        mark_written(memory, bytes);
    }
};

} // namespace

static cudaError_t allocate(void **memory, size_t bytes)
{
    *memory = nullptr;
    if (spoils_capture())
        return cudaErrorStreamCaptureUnsupported;
    if (bytes == 0)
        return result(cudaSuccess);
    counts.allocations++;
    *memory = memory_allocate(bytes);
    return result(*memory ? cudaSuccess : cudaErrorMemoryAllocation);
}

cudaError_t cudaMalloc(void **memory, size_t bytes)
{
    device_lock lock(device_mutex);
    return allocate(memory, bytes);
}

/* Waits, like CUDA's. */
cudaError_t cudaFree(void *memory)
{
    device_lock lock(device_mutex);
    if (spoils_capture())
        return cudaErrorStreamCaptureUnsupported;
    drain_all();
    return result(!memory || memory_release(memory) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream)
{
    device_lock lock(device_mutex);
    if (!is_stream(stream))
        return result(cudaErrorInvalidResourceHandle);
    return allocate(memory, bytes);
}

cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream)
{
    device_lock lock(device_mutex);
    if (!is_stream(stream))
        return result(cudaErrorInvalidResourceHandle);
    return cudaFree(memory);
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *total)
{
    device_lock lock(device_mutex);
    *left = memory_left();
    *total = memory_total();
    return result(cudaSuccess);
}

cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned)
{
    device_lock lock(device_mutex);
    *memory = nullptr;
    if (spoils_capture())
        return cudaErrorStreamCaptureUnsupported;
    if (bytes == 0)
        return result(cudaSuccess);
    counts.allocations++;
    *memory = malloc(bytes);
    if (!*memory)
        return result(cudaErrorMemoryAllocation);
    pin(*memory, bytes);
    return result(cudaSuccess);
}

cudaError_t cudaMallocHost(void **memory, size_t bytes)
{
    return cudaHostAlloc(memory, bytes, cudaHostAllocDefault);
}

cudaError_t cudaFreeHost(void *memory)
{
    device_lock lock(device_mutex);
    if (spoils_capture())
        return cudaErrorStreamCaptureUnsupported;
    drain_all();
    if (memory && !unpin(memory))
        return result(cudaErrorInvalidValue);
    free(memory);
    return result(cudaSuccess);
}

cudaError_t cudaHostRegister(void *memory, size_t bytes, unsigned)
{
    device_lock lock(device_mutex);
    if (spoils_capture())
        return cudaErrorStreamCaptureUnsupported;
    if (!memory || bytes == 0)
        return result(cudaErrorInvalidValue);
    return result(pin(memory, bytes) ? cudaSuccess : cudaErrorHostMemoryAlreadyRegistered);
}

cudaError_t cudaHostUnregister(void *memory)
{
    device_lock lock(device_mutex);
    if (spoils_capture())
        return cudaErrorStreamCaptureUnsupported;
    drain_all();
    return result(unpin(memory) ? cudaSuccess : cudaErrorHostMemoryNotRegistered);
}

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned)
{
    device_lock lock(device_mutex);
    *device = host;
    return result(is_pinned(host, 1) ? cudaSuccess : cudaErrorInvalidValue);
}

/* True if the memory lies entirely on the side that the direction says. */
static bool is_side(const void *memory, size_t bytes, bool device)
{
    return device ? is_allocated(memory, bytes) : memory && !on_device(memory);
}

static cudaError_t check_copy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    bool to_device = on_device(to), from_device = on_device(from);
    if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    if (kind != cudaMemcpyDefault) {
        to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
        from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    }
    bool right = is_side(to, bytes, to_device) && is_side(from, bytes, from_device);
    return right ? cudaSuccess : cudaErrorInvalidValue;
}

static bool is_pageable(const void *memory, size_t bytes)
{
    return !on_device(memory) && !is_pinned(memory, bytes);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream)
{
    device_lock lock(device_mutex);
    cudaError_t error = bytes ? check_copy(to, from, bytes, kind) : cudaSuccess;
    if (error != cudaSuccess || bytes == 0)
        return result(error);
    bool waits = is_pageable(to, bytes) || is_pageable(from, bytes);
    if (waits && is_capturing(stream)) {
        spoils_capture();
        return cudaErrorStreamCaptureUnsupported;
    }
    if (on_device(from) && !on_device(to) && !is_capturing(stream)) {
        counts.reads++;
        counts.read_bytes += bytes;
    }
    error = give(stream, work_kind::copy, copy_work{to, from, bytes});
    if (error != cudaSuccess || !waits)
        return error;
    counts.waits++;
    drain(stream_of(stream));
    return result(cudaSuccess);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind kind)
{
    device_lock lock(device_mutex);
    if (spoils_capture())
        return cudaErrorStreamCaptureUnsupported;
    counts.waits++;
    return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream)
{
    device_lock lock(device_mutex);
    if (bytes == 0)
        return result(cudaSuccess);
    if (!is_allocated(memory, bytes))
        return result(cudaErrorInvalidValue);
    return give(stream, work_kind::copy, fill_work{memory, value, bytes});
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes)
{
    return cudaMemsetAsync(memory, value, bytes, nullptr);
}
