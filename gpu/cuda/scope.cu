/* Scopes: a step is recorded as a CUDA graph and replayed in one launch.
 *
 * Within a scope the host's arguments are constant, and so are the addresses that it uses. Freeing
 * memory therefore drops everything that was recorded with it.
 *
 * If a device cannot record or instantiate a scope, it runs this and all later ones operation by
 * operation, with the same results, and says why (device_info). */
#include "gpu/cuda/scope.cuh"

#include <stdio.h>
#include <string.h>

#include <new>

#include "gpu/cuda/late.cuh"
#include "gpu/cuda/ops.cuh"

/* A batch of 1,024 sentences has 20 buckets of rows, and two or three models may take turns. A
 * scope that is recorded again is instantiated again. That happens when a run has new sizes, not
 * from step to step, so that updating an older graph would save nothing noticeable. */
enum { SCOPES_MOST = 64 };

struct recorded {
    uint64_t key;
    cudaGraphExec_t graph;
    const void *told; // the value of device->told after a replay; NULL: unchanged
};

struct scopes {
    struct recorded recorded[SCOPES_MOST]; // most recently used first
    int count;
};

struct scopes *scopes_open(struct status *status)
{
    struct scopes *scopes = new (std::nothrow) struct scopes();
    if (!scopes)
        status_fail(status, STATUS_MEMORY, "cuda: no memory");
    return scopes;
}

/* Stops recording for good. Errors of operations during the recording are consequences and are
 * dropped. */
static void scopes_give_up(struct device *device, const char *what, cudaError_t error)
{
    snprintf(device->unrecorded, sizeof device->unrecorded, "%s: %s", what,
             cudaGetErrorString(error));
    device->failed = false;
    cudaGetLastError();
}

void scopes_forget(struct scopes *scopes)
{
    for (int i = 0; scopes && i < scopes->count; i++)
        cudaGraphExecDestroy(scopes->recorded[i].graph);
    if (scopes)
        scopes->count = 0;
}

void scopes_close(struct scopes *scopes)
{
    scopes_forget(scopes);
    delete scopes;
}

/* Moves a scope to the first place; the scopes before `place` move down. */
static void scope_place(struct scopes *scopes, int place, struct recorded first)
{
    for (; place > 0; place--)
        scopes->recorded[place] = scopes->recorded[place - 1];
    scopes->recorded[0] = first;
}

static const struct recorded *scope_find(struct scopes *scopes, uint64_t key)
{
    int i = 0;
    while (i < scopes->count && scopes->recorded[i].key != key)
        i++;
    if (i == scopes->count)
        return nullptr;
    scope_place(scopes, i, scopes->recorded[i]);
    return &scopes->recorded[0];
}

static void run_body(struct device *device, const struct scope_args *args)
{
    device->group = args->groups ? 0 : args->width;
    args->body(args->context);
    device->group = 0;
}

/* Records the body without running it. Returns NULL if an operation failed, if it was cancelled
 * halfway, or if the device has given up recording. */
static cudaGraph_t record_body(struct device *device, const struct scope_args *args)
{
    cudaGraph_t graph = nullptr;
    /* Relaxed, because kernels that run for the first time are loaded now, which allocates
     * memory. */
    cudaError_t error = cudaStreamBeginCapture(device->stream, cudaStreamCaptureModeRelaxed);
    if (error != cudaSuccess) {
        scopes_give_up(device, "the beginning of a recording", error);
        return nullptr;
    }
    device->recording = true;
    device->skipped = false;
    run_body(device, args);
    late_run(device);
    device->recording = false;
    error = cudaStreamEndCapture(device->stream, &graph);
    if (error != cudaSuccess) {
        scopes_give_up(device, "the end of a recording", error);
        return nullptr;
    }
    if (graph && (device->skipped || device->failed)) {
        cudaGraphDestroy(graph);
        graph = nullptr;
    }
    return graph;
}

static const struct recorded *scope_record(struct device *device, const struct scope_args *args)
{
    struct scopes *scopes = device->scopes;
    const void *before = device->told;
    device->told = nullptr;
    cudaGraphExec_t ready = nullptr;
    cudaGraph_t graph = record_body(device, args);
    const void *told = device->told;
    device->told = before;
    if (!graph)
        return nullptr;
    const cudaError_t error = cudaGraphInstantiate(&ready, graph, 0);
    cudaGraphDestroy(graph);
    if (error != cudaSuccess) {
        scopes_give_up(device, "instantiating a graph", error);
        return nullptr;
    }
    if (scopes->count == SCOPES_MOST) {
        device_expect(device, cudaStreamSynchronize(device->stream), "the device failed");
        cudaGraphExecDestroy(scopes->recorded[--scopes->count].graph);
    }
    scope_place(scopes, scopes->count++, {args->key, ready, told});
    return &scopes->recorded[0];
}

void cuda_scope(struct device *device, const struct scope_args *args)
{
    if (args->key == 0 || device->recording || *device->unrecorded) {
        run_body(device, args);
        return;
    }
    if (!device_ready(device))
        return;
    const struct recorded *recorded = scope_find(device->scopes, args->key);
    if (!recorded)
        recorded = scope_record(device, args);
    if (recorded) {
        device->replays++;
        device->told = recorded->told ? recorded->told : device->told;
        device_expect(device, cudaGraphLaunch(recorded->graph, device->stream),
                      "replaying a scope");
    } else if (*device->unrecorded) {
        run_body(device, args);
    }
}
