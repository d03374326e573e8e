/* Memory of the device; copies through pinned memory, part by part. */
#include "gpu/cuda/memory.cuh"

#include <string.h>

#include <new>

#include "gpu/cuda/ops.cuh"
#include "gpu/cuda/scope.cuh"

/* Copies go on while operations are cancelled. Two parts: one is filled while the other is on its way. */
enum : size_t { PART_BYTES = (size_t)1 << 20 };
enum { PARTS = 2 };

struct staging {
    unsigned char *bytes[PARTS];
    cudaEvent_t sent[PARTS]; // the last copy from this part
    int next;
};

struct staging *staging_open(struct status *status)
{
    struct staging *staging = new (std::nothrow) struct staging();
    cudaError_t error = staging ? cudaSuccess : cudaErrorMemoryAllocation;
    for (int p = 0; p < PARTS && error == cudaSuccess; p++) {
        error = cudaMallocHost((void **)&staging->bytes[p], PART_BYTES);
        if (error == cudaSuccess)
            error = cudaEventCreateWithFlags(&staging->sent[p], cudaEventDisableTiming);
    }
    if (error == cudaSuccess)
        return staging;
    status_fail(status, STATUS_MEMORY, "cuda: memory for copies: %s", cudaGetErrorString(error));
    staging_close(staging);
    return nullptr;
}

void staging_close(struct staging *staging)
{
    if (!staging)
        return;
    for (int p = 0; p < PARTS; p++) {
        if (staging->sent[p])
            cudaEventDestroy(staging->sent[p]);
        cudaFreeHost(staging->bytes[p]);
    }
    delete staging;
}

/* The next part, when nothing is copied from it any more; its number in *part. */
static unsigned char *staging_next(struct device *device, int *part)
{
    struct staging *staging = device->staging;
    *part = staging->next;
    staging->next = (staging->next + 1) % PARTS;
    return device_expect(device, cudaEventSynchronize(staging->sent[*part]), "copy")
               ? staging->bytes[*part]
               : nullptr;
}

static bool copies_allowed(struct device *device)
{
    if (device->recording)
        device_fail(device, STATUS_DEVICE, "a copy to or from the host in a recorded scope");
    return !device->failed;
}

void staging_write(struct device *device, void *to, size_t count, size_t size, staging_fill *fill,
                   void *context)
{
    const size_t most = PART_BYTES / size;
    if (!copies_allowed(device))
        return;
    for (size_t begin = 0, end; begin < count; begin = end) {
        int part;
        unsigned char *out = staging_next(device, &part);
        end = count - begin < most ? count : begin + most;
        if (!out)
            return;
        fill(context, out, begin, end);
        cudaError_t error =
            cudaMemcpyAsync((unsigned char *)to + begin * size, out, (end - begin) * size,
                            cudaMemcpyHostToDevice, device->stream);
        if (error == cudaSuccess)
            error = cudaEventRecord(device->staging->sent[part], device->stream);
        if (!device_expect(device, error, "copy to the device"))
            return;
    }
}

static void fill_bytes(void *context, void *out, size_t begin, size_t end)
{
    memcpy(out, (const unsigned char *)context + begin, end - begin);
}

void cuda_put(struct device *device, struct tensor tensor, const void *host, size_t bytes)
{
    device_choose(device);
    staging_write(device, tensor_bytes(tensor), bytes, 1, fill_bytes, (void *)host);
}

void cuda_get(struct device *device, void *host, struct tensor tensor, size_t bytes)
{
    device_choose(device);
    if (!copies_allowed(device))
        return;
    const unsigned char *from = (const unsigned char *)tensor_bytes(tensor);
    for (size_t begin = 0, end; begin < bytes; begin = end) {
        int part;
        unsigned char *in = staging_next(device, &part);
        end = bytes - begin < PART_BYTES ? bytes : begin + PART_BYTES;
        if (!in)
            return;
        cudaError_t error =
            cudaMemcpyAsync(in, from + begin, end - begin, cudaMemcpyDeviceToHost, device->stream);
        if (error == cudaSuccess)
            error = cudaStreamSynchronize(device->stream);
        if (!device_expect(device, error, "copy from the device"))
            return;
        memcpy((unsigned char *)host + begin, in, end - begin);
    }
}

bool memory_take(struct device *device, struct buffer *buffer, size_t bytes, struct status *status)
{
    size_t available = 0, total = 0;
    *buffer = {nullptr, bytes ? bytes : 1};
    cudaError_t error = cudaMalloc(&buffer->bytes, buffer->size);
    if (error == cudaSuccess) {
        device->memory_used += buffer->size;
        return true;
    }
    cudaGetLastError(); // told here, and not by the next launch
    if (error != cudaErrorMemoryAllocation)
        return status_fail(status, STATUS_DEVICE, "cuda:%d: %s", device->ordinal,
                           cudaGetErrorString(error));
    cudaMemGetInfo(&available, &total);
    return status_fail(status, STATUS_MEMORY,
                       "cuda:%d: no memory for %zu bytes, %zu of %zu MiB are free", device->ordinal,
                       bytes, available >> 20, total >> 20);
}

/* Recorded scopes may name the memory, and work under way may use it. */
void memory_give(struct device *device, struct buffer *buffer)
{
    if (!buffer->bytes)
        return;
    device_expect(device, cudaStreamSynchronize(device->stream), "the device failed");
    scopes_forget(device->scopes);
    cudaFree(buffer->bytes);
    device->memory_used -= buffer->size;
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
    device_expect(device, cudaMemsetAsync(buffer->bytes, 0, buffer->size, device->stream),
                  "clearing memory");
    *tensor = {buffer, 0};
    return true;
}

void cuda_release(struct device *device, struct tensor tensor)
{
    if (!tensor.buffer)
        return;
    device_choose(device);
    memory_give(device, tensor.buffer);
    delete tensor.buffer;
}
