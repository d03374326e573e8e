#include "stream.h"

#include <algorithm>
#include <vector>

#include "fault.h"
#include "memory.h"

namespace cudaemu
{

std::recursive_mutex device_mutex;
cudaemu_counts counts;
bool eager;

static CUstream_st default_stream;
static std::vector<CUstream_st *> streams = {&default_stream};
static cudaError_t last_error;

static cudaemu_listener *listener;
static void *listener_context;
static size_t work_left; // until the GPU is lost; 0: it stays
static bool lost;

cudaError_t result(cudaError_t error)
{
    if (error == cudaSuccess && (fault_taken() || lost))
        error = cudaErrorLaunchFailure;
    if (error != cudaSuccess && error != cudaErrorNotReady)
        last_error = error;
    return error;
}

CUstream_st *stream_of(cudaStream_t stream)
{
    return stream ? stream : &default_stream;
}

bool is_stream(cudaStream_t stream)
{
    return !stream || std::find(streams.begin(), streams.end(), stream) != streams.end();
}

bool is_capturing(cudaStream_t stream)
{
    return stream && stream->capturing;
}

bool spoils_capture(void)
{
    bool any = false;
    for (CUstream_st *stream : streams) {
        any |= stream->capturing;
        stream->spoilt |= stream->capturing;
    }
    if (any)
        result(cudaErrorStreamCaptureUnsupported);
    return any;
}

void drain_until(CUstream_st *stream, const bool &done)
{
    memory_reach reach;
    while (!done && !faulted() && stream->work.step())
        ;
    if (faulted() || stream->work.finished())
        stream->work.clear();
}

void drain(CUstream_st *stream)
{
    static const bool never = false;
    if (!stream->work.finished())
        drain_until(stream, never);
}

void drain_blocking(void)
{
    for (CUstream_st *stream : streams)
        if (stream->blocking)
            drain(stream);
    drain(&default_stream);
}

void drain_all(void)
{
    for (CUstream_st *stream : streams)
        drain(stream);
}

/* Returns false if the GPU is lost. */
static bool gpu_stays(void)
{
    if (work_left == 0 || --work_left > 0)
        return !lost;
    lost = true;
    for (CUstream_st *stream : streams)
        stream->work.clear();
    return false;
}

static void tell_launch(work_kind kind)
{
    if (listener && (kind == work_kind::kernel || kind == work_kind::graph))
        listener(listener_context);
}

static void count(work_kind kind)
{
    if (kind == work_kind::kernel)
        counts.launches++;
    else if (kind == work_kind::copy)
        counts.copies++;
    else if (kind == work_kind::graph)
        counts.graph_launches++;
}

tape *accept(cudaStream_t stream, work_kind kind)
{
    if (!is_stream(stream)) {
        result(cudaErrorInvalidResourceHandle);
        return nullptr;
    }
    if (stream && stream->device != current_device() &&
        (kind == work_kind::kernel || kind == work_kind::graph)) {
        result(cudaErrorInvalidResourceHandle);
        return nullptr;
    }
    if (!gpu_stays()) {
        result(cudaErrorLaunchFailure);
        return nullptr;
    }
    tell_launch(kind);
    if (is_capturing(stream)) {
        if (kind != work_kind::graph && kind != work_kind::mark)
            return &stream->captured;
        spoils_capture();
        return nullptr;
    }
    if (!stream && spoils_capture())
        return nullptr;
    if (!stream)
        drain_blocking();
    count(kind);
    return &stream_of(stream)->work;
}

cudaError_t given(cudaStream_t stream)
{
    if (!is_capturing(stream) && (!stream || eager))
        drain(stream_of(stream));
    return result(cudaSuccess);
}

/* Waits for the work that `drains` does. */
static cudaError_t wait_for(void (*drains)(void))
{
    if (spoils_capture())
        return cudaErrorStreamCaptureUnsupported;
    counts.waits++;
    drains();
    return result(cudaSuccess);
}

} // namespace cudaemu

using namespace cudaemu;

cudaError_t cudaGetLastError(void)
{
    device_lock lock(device_mutex);
    result(cudaSuccess);
    cudaError_t error = last_error;
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void)
{
    device_lock lock(device_mutex);
    result(cudaSuccess);
    return last_error;
}

cudaError_t cudaDeviceSynchronize(void)
{
    device_lock lock(device_mutex);
    return wait_for(drain_all);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    device_lock lock(device_mutex);
    *stream = new CUstream_st();
    (*stream)->blocking = !(flags & cudaStreamNonBlocking);
    (*stream)->device = current_device();
    streams.push_back(*stream);
    return result(cudaSuccess);
}

cudaError_t cudaStreamCreate(cudaStream_t *stream)
{
    return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    device_lock lock(device_mutex);
    auto place = std::find(streams.begin(), streams.end(), stream);
    if (!stream || place == streams.end())
        return result(cudaErrorInvalidResourceHandle);
    drain(stream);
    streams.erase(place);
    delete stream;
    return result(cudaSuccess);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream)
{
    device_lock lock(device_mutex);
    if (!is_stream(stream))
        return result(cudaErrorInvalidResourceHandle);
    if (!stream)
        return wait_for(drain_blocking);
    if (spoils_capture())
        return cudaErrorStreamCaptureUnsupported;
    counts.waits++;
    drain(stream);
    return result(cudaSuccess);
}

/* Not ready on the first query, as on a GPU, which takes time. */
cudaError_t cudaStreamQuery(cudaStream_t stream)
{
    device_lock lock(device_mutex);
    if (!is_stream(stream))
        return result(cudaErrorInvalidResourceHandle);
    if (spoils_capture())
        return cudaErrorStreamCaptureUnsupported;
    bool ready = stream_of(stream)->work.finished();
    drain(stream_of(stream));
    return result(ready ? cudaSuccess : cudaErrorNotReady);
}

void cudaemu_get_counts(cudaemu_counts *out)
{
    *out = counts;
}

void cudaemu_reset_counts(void)
{
    counts = {};
}

void cudaemu_on_launch(cudaemu_listener *told, void *context)
{
    listener = told;
    listener_context = context;
}

size_t cudaemu_lose_after(size_t count)
{
    const size_t left = work_left;
    work_left = count;
    lost = false;
    return left;
}

void cudaemu_set_eager(int on)
{
    eager = on != 0;
}
