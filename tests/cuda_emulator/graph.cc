/* Graphs: the work that a stream was given while it captured, for replaying. */
#include "fault.h"
#include "stream.h"

struct CUgraph_st {
    cudaemu::tape work;
};

struct CUgraphExec_st {
    cudaemu::tape work;
};

using namespace cudaemu;

static size_t ready; // number of instantiated graphs
static enum cudaemu_graphs refused = CUDAEMU_GRAPHS_WORK;

namespace
{

struct replay_work {
    cudaGraphExec_t exec;

    void operator()() const
    {
        exec->work.rewind();
        while (!faulted() && exec->work.step())
            ;
    }
};

} // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode)
{
    device_lock lock(device_mutex);
    if (!stream)
        return result(cudaErrorStreamCaptureUnsupported);
    if (!is_stream(stream))
        return result(cudaErrorInvalidResourceHandle);
    if (stream->capturing)
        return result(cudaErrorIllegalState);
    if (refused == CUDAEMU_GRAPHS_NO_CAPTURE)
        return result(cudaErrorStreamCaptureUnsupported);
    stream->captured.clear();
    stream->capturing = true;
    stream->spoilt = false;
    return result(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
    device_lock lock(device_mutex);
    *graph = nullptr;
    if (!stream || !is_stream(stream) || !stream->capturing)
        return result(cudaErrorIllegalState);
    stream->capturing = false;
    if (stream->spoilt || refused == CUDAEMU_GRAPHS_SPOILT)
        return result(cudaErrorStreamCaptureInvalidated);
    const cudaError_t error = result(cudaSuccess); // a lost GPU has no graphs
    if (error != cudaSuccess)
        return error;
    *graph = new CUgraph_st();
    (*graph)->work.add(stream->captured);
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus *status)
{
    device_lock lock(device_mutex);
    if (!is_stream(stream))
        return result(cudaErrorInvalidResourceHandle);
    *status = !is_capturing(stream) ? cudaStreamCaptureStatusNone
              : stream->spoilt      ? cudaStreamCaptureStatusInvalidated
                                    : cudaStreamCaptureStatusActive;
    return result(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long)
{
    device_lock lock(device_mutex);
    *exec = nullptr;
    if (!graph)
        return result(cudaErrorInvalidValue);
    if (spoils_capture())
        return cudaErrorStreamCaptureUnsupported;
    if (refused == CUDAEMU_GRAPHS_NO_INSTANTIATION)
        return result(cudaErrorMemoryAllocation);
    *exec = new CUgraphExec_st();
    (*exec)->work.add(graph->work);
    counts.recordings++;
    ready++;
    return result(cudaSuccess);
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
    device_lock lock(device_mutex);
    return result(exec && is_stream(stream) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
    device_lock lock(device_mutex);
    if (!exec)
        return result(cudaErrorInvalidValue);
    return give(stream, work_kind::graph, replay_work{exec});
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
    device_lock lock(device_mutex);
    if (!exec)
        return result(cudaErrorInvalidValue);
    drain_all(); // a stream may still have to replay it
    delete exec;
    ready--;
    return result(cudaSuccess);
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
    device_lock lock(device_mutex);
    if (!graph)
        return result(cudaErrorInvalidValue);
    delete graph;
    return result(cudaSuccess);
}

void cudaemu_refuse_graphs(enum cudaemu_graphs which)
{
    refused = which;
}

size_t cudaemu_ready_graphs(void)
{
    return ready;
}
