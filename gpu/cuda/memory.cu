/* Pieces of the device's memory, and the buffers in them. */
#include "gpu/cuda/memory.cuh"

#include <new>

#include "gpu/cuda/late.cuh"
#include "gpu/cuda/ops.cuh"
#include "gpu/cuda/scope.cuh"

enum : size_t { ALIGNMENT = 256 }; // that of cudaMalloc

struct piece {
    unsigned char *bytes;
    size_t size, used;
    int buffers;
};

size_t memory_rounded(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static bool fail_memory(struct device *device, cudaError_t error, size_t bytes,
                        struct status *status)
{
    size_t available = 0, total = 0;
    cudaGetLastError(); // reported here, not by the next launch
    if (error != cudaErrorMemoryAllocation)
        return status_fail(status, STATUS_DEVICE, "cuda:%d: %s", device->ordinal,
                           cudaGetErrorString(error));
    cudaMemGetInfo(&available, &total);
    return status_fail(status, STATUS_MEMORY,
                       "cuda:%d: no memory for %zu bytes, %zu of %zu MiB are free", device->ordinal,
                       bytes, available >> 20, total >> 20);
}

static struct piece *piece_open(struct device *device, size_t bytes, struct status *status)
{
    struct piece *piece = new (std::nothrow) struct piece();
    if (!piece) {
        status_fail(status, STATUS_MEMORY, "cuda: no memory");
        return nullptr;
    }
    piece->size = bytes ? bytes : 1;
    const cudaError_t error = cudaMalloc((void **)&piece->bytes, piece->size);
    if (error == cudaSuccess) {
        device->memory_used += piece->size;
        return piece;
    }
    fail_memory(device, error, bytes, status);
    delete piece;
    return nullptr;
}

/* Recorded scopes may contain the memory's address, and running work may use it. */
static void piece_close(struct device *device, struct piece *piece)
{
    device_expect(device, cudaStreamSynchronize(device->stream), "the device failed");
    scopes_forget(device->scopes);
    device->told = nullptr;
    cudaFree(piece->bytes);
    device->memory_used -= piece->size;
    if (device->reserved == piece)
        device->reserved = nullptr;
    delete piece;
}

bool memory_reserve(struct device *device, size_t bytes, struct status *status)
{
    if (device->reserved && device->reserved->buffers == 0)
        piece_close(device, device->reserved);
    device->reserved = bytes ? piece_open(device, bytes, status) : nullptr;
    return !bytes || device->reserved;
}

bool memory_take(struct device *device, struct buffer *buffer, size_t bytes, struct status *status)
{
    struct piece *piece = device->reserved;
    const size_t room = piece ? piece->size - piece->used : 0;
    if (bytes > room || memory_rounded(bytes) > room)
        piece = piece_open(device, bytes, status);
    *buffer = {};
    if (!piece)
        return false;
    *buffer = {piece->bytes + piece->used, bytes, piece};
    piece->used += piece == device->reserved ? memory_rounded(bytes) : bytes;
    piece->buffers++;
    return true;
}

void memory_give(struct device *device, struct buffer *buffer)
{
    struct piece *piece = buffer->piece;
    *buffer = {};
    if (piece && --piece->buffers == 0)
        piece_close(device, piece);
}

bool cuda_reserve(struct device *device, const struct reservation *reservation,
                  struct status *status)
{
    const size_t element = device->precision == PRECISION_BF16 ? sizeof(uint16_t) : sizeof(float);
    size_t bytes, rest, padding;
    device_choose(device);
    if (!reservation)
        return memory_reserve(device, 0, status);
    if (!size_multiply(reservation->elements, element, &bytes) ||
        !size_multiply(reservation->count, ALIGNMENT, &padding) ||
        !size_add(reservation->bytes, padding, &rest) || !size_add(bytes, rest, &bytes))
        return status_fail(status, STATUS_MEMORY, "cuda: no memory for weights of this size");
    return memory_reserve(device, bytes, status);
}

bool cuda_allocate(struct device *device, size_t bytes, struct tensor *tensor,
                   struct status *status)
{
    struct buffer *buffer = new (std::nothrow) struct buffer();
    if (!buffer)
        return status_fail(status, STATUS_MEMORY, "cuda: no memory");
    device_choose(device);
    if (!memory_take(device, buffer, bytes, status)) {
        delete buffer;
        return false;
    }
    late_run(device);
    if (bytes)
        device_expect(device, cudaMemsetAsync(buffer->bytes, 0, bytes, device->stream),
                      "clearing memory");
    *tensor = {buffer, 0};
    return true;
}

void cuda_release(struct device *device, struct tensor tensor)
{
    if (!tensor.buffer)
        return;
    device_choose(device);
    late_run(device);
    memory_give(device, tensor.buffer);
    delete tensor.buffer;
}
