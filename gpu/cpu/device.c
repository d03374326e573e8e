#include "gpu/cpu/device.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpu/cpu/gemm.h"
#include "gpu/cpu/kernels.h"
#include "gpu/cpu/ops.h"
#include "gpu/cpu/weight.h"
#include "gpu/cpu/window.h"

enum { THREADS_MAX = 1024 };

static const size_t line = 64, mapped_size = (size_t)2 << 20;

/* Straight from the system, so that pages are zero without being touched: what lies far beyond what is
 * used, as the room for the longest hypothesis that the settings allow, costs nothing. */
static void *memory_mapped(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
#ifdef MADV_HUGEPAGE
    /* Matrices are read from end to end: small pages would cost a miss of the TLB every 4 KB. */
    madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    return memory;
}

void *memory_aligned(size_t bytes)
{
    if (bytes >= mapped_size)
        return memory_mapped(bytes);
    size_t size = bytes ? (bytes + line - 1) / line * line : line;
    void *memory = aligned_alloc(line, size);
    return memory ? memset(memory, 0, size) : NULL;
}

void memory_aligned_free(void *memory, size_t bytes)
{
    if (memory && bytes >= mapped_size)
        munmap(memory, bytes);
    else
        free(memory);
}

/* Those that this process may use. */
static int processors(void)
{
    cpu_set_t allowed;
    long count = sched_getaffinity(0, sizeof allowed, &allowed) == 0
                     ? CPU_COUNT(&allowed)
                     : sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (int)count;
}

static void kernels_choose(struct device *device)
{
    switch (device->isa) {
#if defined(__x86_64__)
    case ISA_AVX512:
        device->kernels = &kernels_avx512;
        device->gemm = &gemm_avx512;
        break;
    case ISA_AVX2:
        device->kernels = &kernels_avx2;
        device->gemm = &gemm_avx2;
        break;
#endif
    default:
        device->kernels = &kernels_c;
        device->gemm = &gemm_c;
    }
}

static void cpu_close(struct device *device)
{
    if (!device)
        return;
    windows_close(device->windows);
    pool_close(device->pool);
    memory_aligned_free(device->scratch, device->scratch_size);
    free(device->cancel);
    free(device);
}

static struct device *cpu_open(const struct device_spec *spec, struct status *status)
{
    if (spec->threads < 0 || spec->threads > THREADS_MAX) {
        status_fail(status, STATUS_INVALID, "cpu: %d threads, expected 0 to %d", spec->threads,
                    THREADS_MAX);
        return NULL;
    }
    if (spec->precision != PRECISION_FP32) {
        status_fail(status, STATUS_INVALID, "cpu: precision %s, expected fp32",
                    spec->precision == PRECISION_TF32 ? "tf32" : "bf16");
        return NULL;
    }
    struct device *device = memory_new(1, sizeof *device, status);
    if (!device)
        return NULL;
    device->cancel = memory_new(1, sizeof *device->cancel, status);
    if (device->cancel && isa_choose(&device->isa, status)) {
        kernels_choose(device);
        device->pool = pool_open(spec->threads ? spec->threads : processors(), status);
        device->windows = device->pool ? windows_open(device, status) : NULL;
    }
    if (device->windows)
        return device;
    cpu_close(device);
    return NULL;
}

static void cpu_info(struct device *device, struct device_info *info)
{
    *info = (struct device_info){
        .name = "cpu", .threads = pool_threads(device->pool), .memory_used = device->memory_used};
    snprintf(info->instruction_set, sizeof info->instruction_set, "%s", isa_name(device->isa));
}

void device_fail(struct device *device, enum status_code code, const char *message)
{
    if (!device->failed)
        status_fail(&device->failure, code, "cpu: %s", message);
    device->failed = true;
}

static bool cpu_check(struct device *device, struct status *status)
{
    if (!device->failed)
        return !cancelled(device) || status_fail(status, STATUS_CANCELLED, "interrupted");
    /* What failed was one operation's memory; the next pass may have it. */
    device->failed = false;
    if (status)
        *status = device->failure;
    return false;
}

static void cpu_cancel(struct device *device, bool on)
{
    atomic_store(device->cancel, on);
}

void *device_scratch(struct device *device, size_t bytes)
{
    if (bytes <= device->scratch_size)
        return device->scratch;
    /* Hypotheses lengthen step by step: growing a little every time would allocate every time. */
    if (bytes < 2 * device->scratch_size)
        bytes = 2 * device->scratch_size;
    memory_aligned_free(device->scratch, device->scratch_size);
    device->scratch_size = 0;
    device->scratch = memory_aligned(bytes);
    if (!device->scratch) {
        device_fail(device, STATUS_MEMORY, "no memory for temporary results");
        return NULL;
    }
    device->scratch_size = bytes;
    return device->scratch;
}

/* One piece would gain nothing here: every weight and tensor has pages, or cache lines, of its own. */
static bool cpu_reserve(struct device *device, const struct reservation *reservation,
                        struct status *status)
{
    (void)device;
    (void)reservation;
    (void)status;
    return true;
}

static bool cpu_allocate(struct device *device, size_t bytes, struct tensor *tensor,
                         struct status *status)
{
    struct buffer *buffer = memory_new(1, sizeof *buffer, status);
    if (!buffer)
        return false;
    buffer->bytes = memory_aligned(bytes);
    if (!buffer->bytes) {
        free(buffer);
        return status_fail(status, STATUS_MEMORY, "cpu: no memory for %zu bytes", bytes);
    }
    buffer->size = bytes;
    device->memory_used += bytes;
    *tensor = (struct tensor){.buffer = buffer};
    return true;
}

static void cpu_release(struct device *device, struct tensor tensor)
{
    if (!tensor.buffer)
        return;
    device->memory_used -= tensor.buffer->size;
    memory_aligned_free(tensor.buffer->bytes, tensor.buffer->size);
    free(tensor.buffer);
}

static void cpu_put(struct device *device, struct tensor tensor, const void *host, size_t bytes)
{
    (void)device;
    if (bytes)
        memcpy(tensor_bytes(tensor), host, bytes);
}

static void cpu_get(struct device *device, void *host, struct tensor tensor, size_t bytes)
{
    (void)device;
    if (bytes)
        memcpy(host, tensor_bytes(tensor), bytes);
}

/* All work has been done when it is asked. */
static void cpu_ask(struct device *device, struct tensor tensor, size_t bytes)
{
    if (device->asked.count == ASKED_MOST || bytes > ASKED_BYTES) {
        device_fail(device, STATUS_MEMORY, "a read that was asked for is too much");
        return;
    }
    int place = (device->asked.first + device->asked.count++) % ASKED_MOST;
    cpu_get(device, device->asked.bytes[place], tensor, bytes);
}

static bool cpu_answer(struct device *device, void *host, size_t bytes)
{
    if (device->asked.count > 0) {
        if (bytes)
            memcpy(host, device->asked.bytes[device->asked.first], bytes);
        device->asked.first = (device->asked.first + 1) % ASKED_MOST;
        device->asked.count--;
    }
    return !device->failed && !cancelled(device);
}

const struct backend cpu_backend = {
    .version = BACKEND_VERSION,
    .name = "cpu",
    .streams = true,
    .logit_rows = 128,
    .batch = 64,
    .open = cpu_open,
    .close = cpu_close,
    .info = cpu_info,
    .check = cpu_check,
    .cancel = cpu_cancel,
    .reserve = cpu_reserve,
    .allocate = cpu_allocate,
    .release = cpu_release,
    .put = cpu_put,
    .get = cpu_get,
    .ask = cpu_ask,
    .answer = cpu_answer,
    .weight = cpu_weight,
    .forget = cpu_forget,
    .scope = cpu_scope,
    .embed = window_embed,
    .linear = window_linear,
    .gather = window_gather,
    .scatter = window_scatter,
    .norm = window_norm,
    .mean = cpu_mean,
    .prefix_mean = window_prefix_mean,
    .gate = window_gate,
    .words = window_words,
    .attention = window_attention,
    .mix_heads = window_mix_heads,
    .logprob = window_logprob,
    .select = window_select,
    .advance = window_advance,
};
