/* The CUDA device: opening it, and what went wrong. */
#include "gpu/cuda/device.cuh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "gpu/cuda/copy.cuh"
#include "gpu/cuda/gemm.cuh"
#include "gpu/cuda/late.cuh"
#include "gpu/cuda/memory.cuh"
#include "gpu/cuda/ops.cuh"
#include "gpu/cuda/scope.cuh"

enum { LEAST_MAJOR = 8 }; // compute capability that the kernels are compiled for
enum { EARLY_MAJOR = 9 }; // that which can launch them early

__attribute__((format(printf, 3, 0))) static void
fail_v(struct device *device, enum status_code code, const char *format, va_list list)
{
    char message[400];
    if (device->failed)
        return;
    vsnprintf(message, sizeof message, format, list);
    status_fail(&device->failure, code, "cuda:%d: %s", device->ordinal, message);
    device->failed = true;
}

void device_fail(struct device *device, enum status_code code, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    fail_v(device, code, format, list);
    va_end(list);
}

bool device_expect(struct device *device, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return true;
    device_fail(device, error == cudaErrorMemoryAllocation ? STATUS_MEMORY : STATUS_DEVICE,
                "%s: %s", what, cudaGetErrorString(error));
    return false;
}

void device_launched(struct device *device, const char *kernel)
{
    device->launches += !device->recording;
    device_expect(device, cudaGetLastError(), kernel);
}

/* The current device of this thread; -1: not known. */
static thread_local int chosen = -1;

cudaError_t device_choose(const struct device *device)
{
    if (chosen == device->ordinal)
        return cudaSuccess;
    const cudaError_t error = cudaSetDevice(device->ordinal);
    chosen = error == cudaSuccess ? device->ordinal : -1;
    return error;
}

bool device_ready(struct device *device)
{
    if (device->cancel.load(std::memory_order_relaxed)) {
        device->skipped = true;
        late_run(device);
        return false;
    }
    device_choose(device);
    late_run(device);
    return !device->failed;
}

/* Opening --------------------------------------------------------------------------------------*/

/* "13.0" of CUDA's 13000. */
static const char *version_text(int version, char *text, size_t size)
{
    snprintf(text, size, "%d.%d", version / 1000, version % 1000 / 10);
    return text;
}

static bool fail_driver(cudaError_t error, struct status *status)
{
    char has[32], needs[32];
    int driver = 0, runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    version_text(driver, has, sizeof has);
    version_text(runtime, needs, sizeof needs);
    if (driver == 0)
        return status_fail(status, STATUS_DEVICE, "cuda: this machine has no NVIDIA driver");
    if (error == cudaErrorInsufficientDriver)
        return status_fail(status, STATUS_DEVICE,
                           "cuda: the driver supports CUDA %s, expected %s or later", has, needs);
    if (error == cudaErrorNoDevice)
        return status_fail(status, STATUS_DEVICE, "cuda: this machine has no NVIDIA GPU");
    return status_fail(status, STATUS_DEVICE, "cuda: %s", cudaGetErrorString(error));
}

/* Reports an error that keeps the device from being opened at all. */
static bool fail_open(const struct device *device, cudaError_t error, struct status *status)
{
    if (error == cudaErrorDevicesUnavailable)
        return status_fail(status, STATUS_DEVICE,
                           "cuda:%d: %s is busy: another program has it for itself, or its compute "
                           "mode admits none",
                           device->ordinal, device->name);
    return status_fail(status, error == cudaErrorMemoryAllocation ? STATUS_MEMORY : STATUS_DEVICE,
                       "cuda:%d: %s", device->ordinal, cudaGetErrorString(error));
}

static bool find_device(struct device *device, struct status *status)
{
    int count = 0;
    cudaDeviceProp properties;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess)
        return fail_driver(error, status);
    if (count == 0)
        return fail_driver(cudaErrorNoDevice, status);
    if (device->ordinal < 0 || device->ordinal >= count)
        return status_fail(status, STATUS_INVALID,
                           "cuda:%d: there is no such GPU, expected cuda:0 to cuda:%d",
                           device->ordinal, count - 1);
    error = cudaGetDeviceProperties(&properties, device->ordinal);
    if (error != cudaSuccess)
        return fail_open(device, error, status);
    snprintf(device->name, sizeof device->name, "%.159s", properties.name);
    chosen = -1; // the GPU may be taken since this thread has used it
    error = device_choose(device);
    if (error != cudaSuccess)
        return fail_open(device, error, status);
    if (properties.major < LEAST_MAJOR)
        return status_fail(status, STATUS_DEVICE,
                           "cuda:%d: %s has compute capability %d.%d, expected %d.0 or more",
                           device->ordinal, device->name, properties.major, properties.minor,
                           LEAST_MAJOR);
    device->early = device->shortcuts[SHORTCUT_EARLY_LAUNCH] && properties.major >= EARLY_MAJOR;
    return true;
}

static bool take_parts(struct device *device, struct status *status)
{
    cudaError_t error = cudaStreamCreateWithFlags(&device->stream, cudaStreamNonBlocking);
    if (error != cudaSuccess)
        return fail_open(device, error, status);
    device->staging = staging_open(status);
    device->scopes = device->staging ? scopes_open(status) : nullptr;
    device->late = device->scopes ? late_open(device, status) : nullptr;
    if (!device->late || !memory_take(device, &device->scratch_memory, SCRATCH_BYTES, status))
        return false;
    device->scratch = device->scratch_memory.bytes;
    device->products = products_open(device, status);
    return device->products != nullptr;
}

static void cuda_close(struct device *device)
{
    if (!device)
        return;
    device_choose(device);
    if (device->stream)
        cudaStreamSynchronize(device->stream);
    products_close(device, device->products);
    late_close(device, device->late);
    device->late = nullptr;
    memory_give(device, &device->scratch_memory);
    scopes_close(device->scopes);
    staging_close(device->staging);
    if (device->stream)
        cudaStreamDestroy(device->stream);
    delete device;
}

static struct device *cuda_open(const struct device_spec *spec, struct status *status)
{
    if (spec->precision > PRECISION_BF16) {
        status_fail(status, STATUS_INVALID, "cuda: precision %s, expected fp32, tf32 or bf16",
                    spec->precision == PRECISION_FP16 ? "fp16" : "int8");
        return nullptr;
    }
    struct device *device = new (std::nothrow) struct device();
    if (!device) {
        status_fail(status, STATUS_MEMORY, "cuda: no memory");
        return nullptr;
    }
    device->ordinal = spec->ordinal;
    device->precision = spec->precision;
    if (shortcuts_read(getenv("ATTNSCOPE_CUDA"), device->shortcuts, status) &&
        find_device(device, status) && take_parts(device, status)) {
        if (!device->shortcuts[SWITCH_GRAPHS])
            snprintf(device->unrecorded, sizeof device->unrecorded, "ATTNSCOPE_CUDA has -graphs");
        return device;
    }
    cuda_close(device);
    cudaGetLastError(); // reported here, not by the next device's first launch
    return nullptr;
}

static void cuda_info(struct device *device, struct device_info *info)
{
    int driver = 0;
    device_choose(device);
    memset(info, 0, sizeof *info);
    snprintf(info->name, sizeof info->name, "%s", device->name);
    cudaDriverGetVersion(&driver);
    version_text(driver, info->driver, sizeof info->driver);
    snprintf(info->rounding, sizeof info->rounding, "cuBLAS %zu %x", products_version(),
             shortcuts_mask(device->shortcuts));
    info->precision = device->precision;
    info->memory_used = device->memory_used;
    info->cache_bytes = device_narrows_caches(device) ? sizeof(__nv_bfloat16) : sizeof(float);
    cudaMemGetInfo(&info->memory_free, &info->memory_total);
    info->launches = device->launches;
    info->replays = device->replays;
    snprintf(info->unrecorded, sizeof info->unrecorded, "%s", device->unrecorded);
    snprintf(info->unfinished, sizeof info->unfinished, "%s", device->unfinished);
}

static bool cuda_check(struct device *device, struct status *status)
{
    device_choose(device);
    late_run(device);
    device_expect(device, cudaStreamSynchronize(device->stream), "the device failed");
    if (!device->failed)
        return !device->cancel.load() || status_fail(status, STATUS_CANCELLED, "interrupted");
    device->failed = false;
    cudaGetLastError(); // reported here, not by the next pass's first launch
    if (status)
        *status = device->failure;
    return false;
}

static void cuda_cancel(struct device *device, bool on)
{
    device->cancel.store(on);
}

/* Enough rows of logits to keep the GPU busy: 0.5 GiB with 32,000 tokens. */
enum { LOGIT_ROWS = 4096, BATCH = 1024 };

extern "C" __attribute__((visibility("default"))) const struct backend attnscope_backend = {
    BACKEND_VERSION,
    "cuda",
    true,
    false,
    false,
    false,
    LOGIT_ROWS,
    BATCH,
    cuda_open,
    cuda_close,
    cuda_info,
    cuda_check,
    cuda_cancel,
    cuda_reserve,
    cuda_allocate,
    cuda_release,
    cuda_put,
    cuda_get,
    cuda_ask,
    cuda_answer,
    cuda_weight,
    cuda_forget,
    cuda_scope,
    cuda_embed,
    cuda_linear,
    cuda_gather,
    cuda_scatter,
    cuda_norm,
    cuda_mean,
    cuda_prefix_mean,
    cuda_recurrence,
    cuda_rotate,
    cuda_gate,
    cuda_words,
    cuda_attention,
    cuda_mix_heads,
    cuda_logprob,
    cuda_select,
    cuda_advance,
    cuda_linear_backward,
    cuda_norm_backward,
    cuda_activation_backward,
    cuda_attention_backward,
    cuda_mix_backward,
    cuda_gate_backward,
    cuda_add,
    cuda_prefix_mean_backward,
    cuda_recurrence_backward,
    cuda_logprob_backward,
};
