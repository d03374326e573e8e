/* Copies through pinned memory. They are made even while operations are cancelled. */
#include "gpu/cuda/copy.cuh"

#include <string.h>

#include <initializer_list>
#include <new>

#include "gpu/cuda/late.cuh"
#include "gpu/cuda/ops.cuh"

/* Copies to the device fill the halves in turn, so that the host waits only for the copies of a
 * whole half before. */
enum : size_t { HALF_BYTES = (size_t)1 << 20, BACK_BYTES = (size_t)1 << 20, ALIGNMENT = 16 };
enum { HALVES = 2 };

struct staging {
    unsigned char *halves[HALVES];
    cudaEvent_t sent[HALVES]; // all copies from this half
    int half;                 // the half being filled
    size_t used;              // its bytes in use
    unsigned char *back;      // for a read that the host waits for
    unsigned char *asked[ASKED_MOST];
    bool is_told[ASKED_MOST]; // the answer is in `told`, not in `asked`
    unsigned char *told;      // written by kernels
    cudaEvent_t arrived[ASKED_MOST];
    int first, count; // for each of the reads asked for
};

static cudaError_t staging_take(struct staging *staging)
{
    struct {
        unsigned char **bytes;
        size_t size;
    } parts[] = {{&staging->halves[0], HALF_BYTES}, {&staging->halves[1], HALF_BYTES},
                 {&staging->back, BACK_BYTES},      {&staging->asked[0], ASKED_BYTES},
                 {&staging->asked[1], ASKED_BYTES}, {&staging->told, ASKED_BYTES}};
    cudaEvent_t *events[] = {&staging->sent[0], &staging->sent[1], &staging->arrived[0],
                             &staging->arrived[1]};
    static_assert(HALVES == 2 && ASKED_MOST == 2, "as many as above");
    cudaError_t error = cudaSuccess;
    for (auto &part : parts)
        if (error == cudaSuccess)
            error = cudaMallocHost((void **)part.bytes, part.size);
    for (auto *event : events)
        if (error == cudaSuccess)
            error = cudaEventCreateWithFlags(event, cudaEventDisableTiming);
    return error;
}

struct staging *staging_open(struct status *status)
{
    struct staging *staging = new (std::nothrow) struct staging();
    const cudaError_t error = staging ? staging_take(staging) : cudaErrorMemoryAllocation;
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
    for (auto *event :
         {staging->sent[0], staging->sent[1], staging->arrived[0], staging->arrived[1]})
        if (event)
            cudaEventDestroy(event);
    for (auto *bytes : {staging->halves[0], staging->halves[1], staging->back, staging->asked[0],
                        staging->asked[1], staging->told})
        cudaFreeHost(bytes);
    delete staging;
}

static bool copies_allowed(struct device *device)
{
    if (device->recording)
        device_fail(device, STATUS_DEVICE, "a copy to or from the host in a recorded scope");
    late_run(device);
    return !device->failed;
}

/* To the device ---------------------------------------------------------------------------------*/

/* Switches to the other half once no more copies read it. */
static bool staging_turn(struct device *device)
{
    struct staging *staging = device->staging;
    if (!device_expect(device, cudaEventRecord(staging->sent[staging->half], device->stream),
                       "copy to the device"))
        return false;
    staging->half = (staging->half + 1) % HALVES;
    staging->used = 0;
    return device_expect(device, cudaEventSynchronize(staging->sent[staging->half]), "copy");
}

/* Returns room for 1 to *count elements, and sets *count to their number. */
static unsigned char *staging_room(struct device *device, size_t size, size_t *count)
{
    struct staging *staging = device->staging;
    if (HALF_BYTES - staging->used < size && !staging_turn(device))
        return nullptr;
    const size_t room = (HALF_BYTES - staging->used) / size;
    *count = *count < room ? *count : room;
    unsigned char *out = staging->halves[staging->half] + staging->used;
    staging->used += (*count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return out;
}

void staging_write(struct device *device, void *to, size_t count, size_t size, staging_fill *fill,
                   void *context)
{
    if (!copies_allowed(device))
        return;
    for (size_t begin = 0, part; begin < count; begin += part) {
        part = count - begin;
        unsigned char *out = staging_room(device, size, &part);
        if (!out)
            return;
        fill(context, out, begin, begin + part);
        if (!device_expect(device,
                           cudaMemcpyAsync((unsigned char *)to + begin * size, out, part * size,
                                           cudaMemcpyHostToDevice, device->stream),
                           "copy to the device"))
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

/* From the device -------------------------------------------------------------------------------*/

static bool copy_back(struct device *device, void *to, const void *from, size_t bytes)
{
    return device_expect(device,
                         cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, device->stream),
                         "copy from the device");
}

void cuda_get(struct device *device, void *host, struct tensor tensor, size_t bytes)
{
    device_choose(device);
    if (!copies_allowed(device))
        return;
    const unsigned char *from = (const unsigned char *)tensor_bytes(tensor);
    for (size_t begin = 0, part; begin < bytes; begin += part) {
        part = bytes - begin < BACK_BYTES ? bytes - begin : BACK_BYTES;
        if (!copy_back(device, device->staging->back, from + begin, part) ||
            !device_expect(device, cudaStreamSynchronize(device->stream), "copy from the device"))
            return;
        memcpy((unsigned char *)host + begin, device->staging->back, part);
    }
}

int32_t *staging_told(struct device *device, struct tensor done, int sentences)
{
    const bool fits = (size_t)sentences * sizeof(int32_t) <= ASKED_BYTES;
    if (!device->shortcuts[SHORTCUT_TOLD_ENDS] || !fits)
        return nullptr;
    device->told = tensor_bytes(done);
    return (int32_t *)device->staging->told;
}

/* Kernels may be writing there meanwhile, word by word. */
static void read_told(const unsigned char *told, void *host, size_t bytes)
{
    const volatile int32_t *words = (const volatile int32_t *)told;
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        ((int32_t *)host)[i] = words[i];
}

void cuda_ask(struct device *device, struct tensor tensor, size_t bytes)
{
    struct staging *staging = device->staging;
    device_choose(device);
    if (staging->count == ASKED_MOST || bytes > ASKED_BYTES) {
        device_fail(device, STATUS_MEMORY, "a read that was asked for is too much");
        return;
    }
    const int place = (staging->first + staging->count++) % ASKED_MOST;
    staging->is_told[place] = device->told && device->told == tensor_bytes(tensor);
    if (copies_allowed(device) &&
        (staging->is_told[place] ||
         copy_back(device, staging->asked[place], tensor_bytes(tensor), bytes)))
        device_expect(device, cudaEventRecord(staging->arrived[place], device->stream),
                      "copy from the device");
}

bool cuda_answer(struct device *device, void *host, size_t bytes)
{
    struct staging *staging = device->staging;
    device_choose(device);
    if (staging->count > 0) {
        const int place = staging->first;
        staging->first = (place + 1) % ASKED_MOST;
        staging->count--;
        const bool arrived =
            !device->failed && device_expect(device, cudaEventSynchronize(staging->arrived[place]),
                                             "the device failed");
        if (arrived && staging->is_told[place])
            read_told(staging->told, host, bytes);
        else if (arrived)
            memcpy(host, staging->asked[place], bytes);
    }
    return !device->failed && !device->cancel.load();
}
