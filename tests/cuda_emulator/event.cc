#include <time.h>

#include "fault.h"
#include "stream.h"

struct CUevent_st {
    CUstream_st *stream; // where it was last recorded
    bool recorded, done; // if not recorded, it counts as done
    bool timed;
    double milliseconds; // when it was done
    unsigned pending;    // records that were given to streams and are not done
};

using namespace cudaemu;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

namespace
{

struct record_work {
    cudaEvent_t event;

    void operator()() const
    {
        event->milliseconds = now();
        event->done = --event->pending == 0;
    }
};

struct wait_work {
    cudaEvent_t event;

    void operator()() const
    {
        if (event->recorded && !event->done)
            drain_until(event->stream, event->done);
    }
};

} // namespace

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    device_lock lock(device_mutex);
    *event = new CUevent_st();
    (*event)->timed = !(flags & cudaEventDisableTiming);
    return result(cudaSuccess);
}

cudaError_t cudaEventCreate(cudaEvent_t *event)
{
    return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    device_lock lock(device_mutex);
    if (!event)
        return result(cudaErrorInvalidResourceHandle);
    drain_all(); // pending work may still refer to it
    delete event;
    return result(cudaSuccess);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    device_lock lock(device_mutex);
    if (!event)
        return result(cudaErrorInvalidResourceHandle);
    tape *tape = accept(stream, work_kind::mark);
    if (!tape)
        return cudaPeekAtLastError();
    event->stream = stream_of(stream);
    event->recorded = true;
    event->done = false;
    event->pending++;
    tape->add(record_work{event});
    return given(stream);
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned)
{
    device_lock lock(device_mutex);
    if (!event)
        return result(cudaErrorInvalidResourceHandle);
    return give(stream, work_kind::mark, wait_work{event});
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    device_lock lock(device_mutex);
    if (!event)
        return result(cudaErrorInvalidResourceHandle);
    if (spoils_capture())
        return cudaErrorStreamCaptureUnsupported;
    counts.waits++;
    wait_work{event}();
    return result(cudaSuccess);
}

/* Not ready on the first query, as on a GPU, which takes time. */
cudaError_t cudaEventQuery(cudaEvent_t event)
{
    device_lock lock(device_mutex);
    if (!event)
        return result(cudaErrorInvalidResourceHandle);
    if (spoils_capture())
        return cudaErrorStreamCaptureUnsupported;
    bool ready = !event->recorded || event->done;
    wait_work{event}();
    return result(ready ? cudaSuccess : cudaErrorNotReady);
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t begin, cudaEvent_t end)
{
    device_lock lock(device_mutex);
    if (!begin || !end || !begin->recorded || !end->recorded || !begin->timed || !end->timed)
        return result(cudaErrorInvalidResourceHandle);
    if (!begin->done || !end->done)
        return result(cudaErrorNotReady);
    *milliseconds = (float)(end->milliseconds - begin->milliseconds);
    return result(cudaSuccess);
}
