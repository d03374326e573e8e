/* The GPU itself: how many there are, their names, and the names of errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <initializer_list>

#include "memory.h"
#include "scheduler.h"
#include "shared.h"
#include "stream.h"

using namespace cudaemu;

namespace
{

enum { RUNTIME_VERSION = 13000 };

int devices = 1, driver = RUNTIME_VERSION, major = 9;
thread_local int chosen;
bool busy;

const struct {
    cudaError_t error;
    const char *name, *meaning;
} ERRORS[] = {
    {cudaSuccess, "cudaSuccess", "no error"},
    {cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    {cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    {cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
     "invalid configuration argument"},
    {cudaErrorInvalidMemcpyDirection, "cudaErrorInvalidMemcpyDirection",
     "invalid copy direction for memcpy"},
    {cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
     "CUDA driver version is insufficient for CUDA runtime version"},
    {cudaErrorDevicesUnavailable, "cudaErrorDevicesUnavailable",
     "CUDA-capable device(s) is/are busy or unavailable"},
    {cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {cudaErrorIllegalState, "cudaErrorIllegalState",
     "the operation cannot be performed in the present state"},
    {cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    {cudaErrorHostMemoryAlreadyRegistered, "cudaErrorHostMemoryAlreadyRegistered",
     "part or all of the requested memory range is already mapped"},
    {cudaErrorHostMemoryNotRegistered, "cudaErrorHostMemoryNotRegistered",
     "pointer does not correspond to a registered memory region"},
    {cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    {cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {cudaErrorStreamCaptureInvalidated, "cudaErrorStreamCaptureInvalidated",
     "operation failed due to a previous error during capture"},
};

/* Returns the error that CUDA's calls give before they do anything if there is no GPU to use. */
cudaError_t absence(void)
{
    if (driver < RUNTIME_VERSION / 1000 * 1000)
        return cudaErrorInsufficientDriver;
    return devices > 0 ? cudaSuccess : cudaErrorNoDevice;
}

void read_order(const char *text)
{
    const char *colon = strchr(text, ':');
    size_t length = colon ? (size_t)(colon - text) : strlen(text);
    if (length == 7 && strncmp(text, "forward", length) == 0)
        set_order(CUDAEMU_FORWARD, 0);
    else if (length == 7 && strncmp(text, "reverse", length) == 0)
        set_order(CUDAEMU_REVERSE, 0);
    else if (length == 6 && strncmp(text, "random", length) == 0)
        set_order(CUDAEMU_RANDOM, colon ? strtoull(colon + 1, nullptr, 10) : 1);
    else {
        fprintf(stderr, "CUDAEMU_ORDER=%s: expected forward, reverse, random or random:SEED\n",
                text);
        abort();
    }
}

/* Returns the index of the variable's value in `values`, 0 if it is not set. */
int one_of(const char *variable, std::initializer_list<const char *> values)
{
    const char *text = getenv(variable);
    int number = 0;
    for (const char *value : values) {
        if (!text || strcmp(text, value) == 0)
            return number;
        number++;
    }
    fprintf(stderr, "%s=%s: no such value\n", variable, text);
    abort();
}

__attribute__((constructor)) void read_environment(void)
{
    if (const char *text = getenv("CUDAEMU_ORDER"))
        read_order(text);
    if (const char *text = getenv("CUDAEMU_MEMORY"))
        set_memory_total(strtoull(text, nullptr, 10));
    if (const char *text = getenv("CUDAEMU_DEVICES"))
        devices = atoi(text);
    if (const char *text = getenv("CUDAEMU_MAJOR"))
        major = atoi(text);
    if (const char *text = getenv("CUDAEMU_BUSY"))
        busy = atoi(text) != 0;
    if (const char *text = getenv("CUDAEMU_DRIVER"))
        driver = atoi(text);
    if (const char *text = getenv("CUDAEMU_EAGER"))
        eager = atoi(text) != 0;
    if (const char *text = getenv("CUDAEMU_POISON"))
        set_poison_byte(atoi(text) & 0xff);
    cudaemu_set_sums((cudaemu_sums)one_of("CUDAEMU_SUMS", {"double", "chain", "split", "wrong"}));
    cudaemu_set_tf32_cut(one_of("CUDAEMU_TF32", {"round", "cut"}));
}

} // namespace

int cudaemu::current_device(void)
{
    return chosen;
}

int cudaemu::compute_major(void)
{
    return major;
}

const char *cudaGetErrorString(cudaError_t error)
{
    for (auto &known : ERRORS)
        if (known.error == error)
            return known.meaning;
    return "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error)
{
    for (auto &known : ERRORS)
        if (known.error == error)
            return known.name;
    return "unrecognized error code";
}

cudaError_t cudaDriverGetVersion(int *version)
{
    *version = driver; // 0: there is none, which is not an error
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version)
{
    *version = RUNTIME_VERSION;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count)
{
    device_lock lock(device_mutex);
    cudaError_t error = absence();
    *count = error == cudaSuccess ? devices : 0;
    return result(error);
}

static cudaError_t check_device(int device)
{
    cudaError_t error = absence();
    if (error == cudaSuccess && (device < 0 || device >= devices))
        error = cudaErrorInvalidDevice;
    return error;
}

/* Starts using the device; querying its properties does not. */
cudaError_t cudaSetDevice(int device)
{
    device_lock lock(device_mutex);
    cudaError_t error = check_device(device);
    if (error == cudaSuccess && busy)
        error = cudaErrorDevicesUnavailable;
    if (error == cudaSuccess)
        chosen = device;
    return result(error);
}

cudaError_t cudaGetDevice(int *device)
{
    device_lock lock(device_mutex);
    *device = chosen;
    return result(absence());
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device)
{
    device_lock lock(device_mutex);
    cudaError_t error = check_device(device);
    if (error != cudaSuccess)
        return result(error);
    *properties = {};
    snprintf(properties->name, sizeof properties->name, "emulated GPU");
    properties->totalGlobalMem = memory_total();
    properties->sharedMemPerBlock = SHARED_STATIC;
    properties->sharedMemPerBlockOptin = SHARED_MOST;
    properties->sharedMemPerMultiprocessor = 228 << 10;
    properties->totalConstMem = 64 << 10;
    properties->regsPerBlock = 65536;
    properties->warpSize = LANES;
    properties->maxThreadsPerBlock = THREADS_MOST;
    properties->maxThreadsPerMultiProcessor = 2048;
    for (int i = 0; i < 3; i++) {
        properties->maxThreadsDim[i] = i < 2 ? (int)THREADS_MOST : 64;
        properties->maxGridSize[i] = i < 1 ? 0x7fffffff : 65535;
    }
    properties->major = major;
    properties->multiProcessorCount = 4;
    properties->l2CacheSize = 4 << 20;
    properties->canMapHostMemory = properties->unifiedAddressing = 1;
    properties->concurrentKernels = 1;
    return result(cudaSuccess);
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int device)
{
    cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceProperties(&properties, device);
    if (error != cudaSuccess)
        return error;
    switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
        *value = properties.maxThreadsPerBlock;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlock:
        *value = (int)properties.sharedMemPerBlock;
        return cudaSuccess;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
        *value = (int)properties.sharedMemPerBlockOptin;
        return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
        *value = properties.multiProcessorCount;
        return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
        *value = properties.major;
        return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
        *value = properties.minor;
        return cudaSuccess;
    }
    return cudaErrorInvalidValue;
}

void cudaemu_set_memory(size_t bytes)
{
    device_lock lock(device_mutex);
    set_memory_total(bytes);
}

void cudaemu_set_poison(int byte)
{
    set_poison_byte(byte & 0xff);
}

void cudaemu_set_devices(int count)
{
    devices = count;
}

void cudaemu_set_busy(int is_busy)
{
    busy = is_busy != 0;
}

void cudaemu_set_major(int compute_major)
{
    major = compute_major;
}

void cudaemu_set_driver(int version)
{
    driver = version;
}
