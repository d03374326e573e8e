/* The CPU backend: opens a device, manages its memory, and lists its operations. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/system.h"
#include "gpu/backend.h"
#include "gpu/cpu/backward.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/kernel/gemm.h"
#include "gpu/cpu/kernel/integer.h"
#include "gpu/cpu/kernel/kernels.h"
#include "gpu/cpu/ops.h"
#include "gpu/cpu/partition.h"
#include "gpu/cpu/weight.h"

/* The backend's operations (gpu/backend.h), restricted to the calling thread's rows in the present
 * scope. Outside partitioned scopes they compute all rows. */

/* Returns the part of a tensor that belongs to the range; its rows have `elements` of 4 bytes
 * each. */
static struct tensor part_of(const struct range *range, struct tensor tensor, int elements)
{
    return tensor_present(tensor)
               ? tensor_at(tensor, (size_t)range->begin * (size_t)elements * sizeof(float))
               : tensor;
}

static struct row_args rows_of(const struct range *range, struct row_args rows)
{
    rows.rows = range->rows;
    rows.lane = part_of(range, rows.lane, 1);
    rows.pos = part_of(range, rows.pos, 1);
    rows.slot = part_of(range, rows.slot, 1);
    return rows;
}

static void partition_embed(struct device *device, const struct embed_args *args)
{
    const struct range *range = partition_range(device);
    struct embed_args part = *args;
    if (!range) {
        cpu_embed(device, args);
        return;
    }
    part.rows = range->rows;
    part.y = part_of(range, args->y, args->table->k);
    part.ids = part_of(range, args->ids, 1);
    part.pos = part_of(range, args->pos, 1);
    cpu_embed(range->worker, &part);
}

static struct linear_args product_of(const struct range *range, const struct linear_args *args)
{
    struct linear_args part = *args;
    part.rows = range->rows;
    part.y = part_of(range, args->y, args->ldy);
    part.x = part_of(range, args->x, args->ldx);
    part.slot = part_of(range, args->slot, 1);
    part.factor = part_of(range, args->factor, args->weight->n);
    part.group = part_of(range, args->group, 1);
    return part;
}

static void partition_linear(struct device *device, const struct linear_args *args, int count)
{
    const struct range *range = partition_range(device);
    struct linear_args parts[LINEAR_MOST];
    if (!range) {
        cpu_linear(device, args, count);
        return;
    }
    for (int i = 0; i < count; i++)
        parts[i] = product_of(range, &args[i]);
    cpu_linear(range->worker, parts, count);
}

static void partition_gather(struct device *device, const struct move_args *args)
{
    const struct range *range = partition_range(device);
    struct move_args part = *args;
    if (!range) {
        cpu_gather(device, args);
        return;
    }
    part.rows = range->rows;
    part.y = part_of(range, args->y, args->ldy);
    part.x = tensor_present(args->index) ? args->x : part_of(range, args->x, args->ldx);
    part.index = part_of(range, args->index, 1);
    cpu_gather(range->worker, &part);
}

static void partition_scatter(struct device *device, const struct move_args *args)
{
    const struct range *range = partition_range(device);
    struct move_args part = *args;
    if (!range) {
        cpu_scatter(device, args);
        return;
    }
    part.rows = range->rows;
    part.y = tensor_present(args->index) ? args->y : part_of(range, args->y, args->ldy);
    part.x = part_of(range, args->x, args->ldx);
    part.index = part_of(range, args->index, 1);
    cpu_scatter(range->worker, &part);
}

static void partition_norm(struct device *device, const struct norm_args *args)
{
    const struct range *range = partition_range(device);
    struct norm_args part = *args;
    if (!range) {
        cpu_norm(device, args);
        return;
    }
    part.rows = range->rows;
    part.y = part_of(range, args->y, args->ldy);
    part.sum = part_of(range, args->sum, args->columns);
    part.x = part_of(range, args->x, args->columns);
    part.residual = part_of(range, args->residual, args->ldresidual);
    cpu_norm(range->worker, &part);
}

static void partition_prefix_mean(struct device *device, const struct prefix_mean_args *args)
{
    const struct range *range = partition_range(device);
    struct prefix_mean_args part = *args;
    if (!range) {
        cpu_prefix_mean(device, args);
        return;
    }
    part.rows = rows_of(range, args->rows);
    part.y = part_of(range, args->y, args->ldy);
    part.x = part_of(range, args->x, args->ldx);
    cpu_prefix_mean(range->worker, &part);
}

static void partition_recurrence(struct device *device, const struct recurrence_args *args)
{
    const struct range *range = partition_range(device);
    struct recurrence_args part = *args;
    if (!range) {
        cpu_recurrence(device, args);
        return;
    }
    part.rows = rows_of(range, args->rows);
    part.y = part_of(range, args->y, args->columns);
    part.x = part_of(range, args->x, args->columns);
    part.f = part_of(range, args->f, args->columns);
    cpu_recurrence(range->worker, &part);
}

static void partition_rotate(struct device *device, const struct rotate_args *args)
{
    const struct range *range = partition_range(device);
    struct rotate_args part = *args;
    if (!range) {
        cpu_rotate(device, args);
        return;
    }
    part.rows = range->rows;
    part.x = part_of(range, args->x, args->ldx);
    part.pos = part_of(range, args->pos, 1);
    cpu_rotate(range->worker, &part);
}

static void partition_gate(struct device *device, const struct gate_args *args)
{
    const struct range *range = partition_range(device);
    struct gate_args part = *args;
    if (!range) {
        cpu_gate(device, args);
        return;
    }
    part.rows = range->rows;
    part.q = part_of(range, args->q, args->ldq);
    part.cu = part_of(range, args->cu, args->ldcu);
    part.lambda = part_of(range, args->lambda, args->scope == GATE_HEAD ? args->heads : 1);
    cpu_gate(range->worker, &part);
}

static void partition_words(struct device *device, const struct word_args *args)
{
    const struct range *range = partition_range(device);
    struct word_args part = *args;
    if (!range) {
        cpu_words(device, args);
        return;
    }
    part.rows = rows_of(range, args->rows);
    part.ids = part_of(range, args->ids, 1);
    part.row_word = part_of(range, args->row_word, 1);
    cpu_words(range->worker, &part);
}

static void partition_attention(struct device *device, const struct attention_args *args)
{
    const struct range *range = partition_range(device);
    struct attention_args part = *args;
    if (!range) {
        cpu_attention(device, args);
        return;
    }
    part.rows = rows_of(range, args->rows);
    part.o = part_of(range, args->o, args->heads * args->head_dim);
    part.q = part_of(range, args->q, args->ldq);
    part.begin = part_of(range, args->begin, 1);
    part.end = part_of(range, args->end, 1);
    part.position = part_of(range, args->position, 1);
    part.variant = part_of(range, args->variant, 1);
    part.row_word = part_of(range, args->row_word, 1);
    cpu_attention(range->worker, &part);
}

static void partition_mix_heads(struct device *device, const struct mix_args *args)
{
    const struct range *range = partition_range(device);
    struct mix_args part = *args;
    if (!range) {
        cpu_mix_heads(device, args);
        return;
    }
    part.rows = range->rows;
    part.y = part_of(range, args->y, args->head_dim);
    part.o = part_of(range, args->o, args->heads * args->head_dim);
    part.s = part_of(range, args->s, args->head_dim);
    part.importance = part_of(range, args->importance, args->heads);
    part.variant = part_of(range, args->variant, 1);
    cpu_mix_heads(range->worker, &part);
}

static void partition_logprob(struct device *device, const struct logprob_args *args)
{
    const struct range *range = partition_range(device);
    if (!range) {
        cpu_logprob(device, args);
        return;
    }
    const struct logprob_args part = logprob_rows(args, range->begin, range->rows);
    cpu_logprob(range->worker, &part);
}

static void partition_select(struct device *device, const struct select_args *args)
{
    const struct range *range = partition_range(device);
    if (range)
        cpu_select_rows(range->worker, args, range->begin, range->begin + range->rows);
    else
        cpu_select_rows(device, args, 0, args->rows);
}

static void partition_advance(struct device *device, const struct advance_args *args)
{
    const struct range *range = partition_range(device);
    struct advance_args part = *args;
    if (!range) {
        cpu_advance(device, args);
        return;
    }
    part.rows = range->rows;
    part.row_lane = part_of(range, args->row_lane, 1);
    part.top_id = part_of(range, args->top_id, args->tops);
    part.top_lp = part_of(range, args->top_lp, args->tops);
    part.eos_lp = part_of(range, args->eos_lp, 1);
    cpu_advance(range->worker, &part);
}

static void partition_add(struct device *device, const struct add_args *args)
{
    const struct range *range = partition_range(device);
    struct add_args part = *args;
    if (!range) {
        cpu_add(device, args);
        return;
    }
    part.rows = range->rows;
    part.y = part_of(range, args->y, args->ldy);
    part.x = tensor_present(args->index) ? args->x : part_of(range, args->x, args->ldx);
    part.index = part_of(range, args->index, 1);
    cpu_add(range->worker, &part);
}

enum { THREADS_MAX = 1024 };

/* The first number of OMP_NUM_THREADS, as in OpenMP, or else the processors of this process. */
static int default_threads(void)
{
    const char *given = getenv("OMP_NUM_THREADS");
    const long wanted = given ? strtol(given, NULL, 10) : 0;
    const long count = wanted > 0 ? wanted : processors_allowed();
    return count < 1 ? 1 : count > THREADS_MAX ? THREADS_MAX : (int)count;
}

static void kernels_choose(struct device *device)
{
    device->kernels = &kernels_c;
    device->gemm = &gemm_c;
    device->integer = &integer_c;
#if defined(__x86_64__)
    if (device->isa == ISA_C)
        return;
    const bool wide = device->isa == ISA_AVX512_VNNI || device->isa == ISA_AVX512;
    device->kernels = wide ? &kernels_avx512 : &kernels_avx2;
    device->gemm = wide ? &gemm_avx512 : &gemm_avx2;
    device->integer = device->isa == ISA_AVX512_VNNI ? &integer_avx512vnni
                      : device->isa == ISA_AVX_VNNI  ? &integer_avxvnni
                                                     : &integer_avx2;
#endif
}

static void cpu_close(struct device *device)
{
    if (!device)
        return;
    partition_close(device->partition);
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
    if (spec->precision == PRECISION_TF32) {
        status_fail(status, STATUS_INVALID,
                    "cpu: precision tf32, expected fp32, bf16, fp16 or int8");
        return NULL;
    }
    struct device *device = memory_new(1, sizeof *device, status);
    if (!device)
        return NULL;
    device->precision = spec->precision;
    device->cancel = memory_new(1, sizeof *device->cancel, status);
    if (device->cancel && isa_choose(&device->isa, status)) {
        kernels_choose(device);
        device->pool = pool_open(spec->threads ? spec->threads : default_threads(), status);
        device->partition = device->pool ? partition_open(device, status) : NULL;
    }
    if (device->partition)
        return device;
    cpu_close(device);
    return NULL;
}

static void cpu_info(struct device *device, struct device_info *info)
{
    *info = (struct device_info){.name = "cpu",
                                 .cache_bytes = sizeof(float),
                                 .threads = pool_threads(device->pool),
                                 .memory_used = device->memory_used,
                                 .precision = device->precision};
    snprintf(info->instruction_set, sizeof info->instruction_set, "%s", isa_name(device->isa));
}

static bool cpu_check(struct device *device, struct status *status)
{
    if (!device->failed)
        return !cancelled(device) || status_fail(status, STATUS_CANCELLED, "interrupted");
    /* Only one operation ran out of memory: the next pass may succeed. */
    device->failed = false;
    if (status)
        *status = device->failure;
    return false;
}

static void cpu_cancel(struct device *device, bool on)
{
    atomic_store(device->cancel, on);
}

/* There is nothing to reserve: weights and tensors are allocated one by one, each on its own pages
 * or cache lines. */
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

/* Operations have finished when they return, so the answer can be read at once. */
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
    .exact = true,
    .streams = true,
    .integers = true,
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
    .scope = partition_scope,
    .embed = partition_embed,
    .linear = partition_linear,
    .gather = partition_gather,
    .scatter = partition_scatter,
    .norm = partition_norm,
    .mean = cpu_mean,
    .prefix_mean = partition_prefix_mean,
    .recurrence = partition_recurrence,
    .rotate = partition_rotate,
    .gate = partition_gate,
    .words = partition_words,
    .attention = partition_attention,
    .mix_heads = partition_mix_heads,
    .logprob = partition_logprob,
    .select = partition_select,
    .advance = partition_advance,
    .linear_backward = cpu_linear_backward,
    .norm_backward = cpu_norm_backward,
    .activation_backward = cpu_activation_backward,
    .attention_backward = cpu_attention_backward,
    .mix_backward = cpu_mix_backward,
    .gate_backward = cpu_gate_backward,
    .add = partition_add,
    .prefix_mean_backward = cpu_prefix_mean_backward,
    .recurrence_backward = cpu_recurrence_backward,
    .logprob_backward = cpu_logprob_backward,
};
