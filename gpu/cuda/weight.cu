/* Weights: uploaded once, in the type that the device's precision multiplies.
 *
 * Weights stored in a narrow type are widened exactly. If products are in bfloat16, wide weights
 * are rounded to it, to the nearest, ties to even. */
#include <string.h>

#include <new>

#include "gpu/cuda/copy.cuh"
#include "gpu/cuda/late.cuh"
#include "gpu/cuda/memory.cuh"
#include "gpu/cuda/ops.cuh"
#include "gpu/cuda/scope.cuh"

struct conversion {
    const unsigned char *from; // unaligned
    enum dtype dtype;
    bool narrow;
};

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float float_of_half(uint16_t half)
{
    const uint32_t sign = (uint32_t)(half & 0x8000) << 16, fraction = half & 0x3FF;
    const uint32_t exponent = half >> 10 & 0x1F;
    if (exponent == 0x1F)
        return float_of_bits(sign | 0x7F800000 | fraction << 13);
    if (exponent)
        return float_of_bits(sign | (exponent + 112) << 23 | fraction << 13);
    const float value = (float)fraction * 0x1p-24f; // zero or subnormal
    return sign ? -value : value;
}

static uint16_t bf16_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value != value)
        return 0x7FC0;
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static float element(const struct conversion *conversion, size_t at)
{
    float wide;
    uint16_t narrow;
    if (conversion->dtype == DTYPE_F32) {
        memcpy(&wide, conversion->from + at * sizeof wide, sizeof wide);
        return wide;
    }
    memcpy(&narrow, conversion->from + at * sizeof narrow, sizeof narrow);
    return conversion->dtype == DTYPE_F16 ? float_of_half(narrow)
                                          : float_of_bits((uint32_t)narrow << 16);
}

static void fill_elements(void *context, void *out, size_t begin, size_t end)
{
    const struct conversion *conversion = (const struct conversion *)context;
    if (conversion->narrow)
        for (size_t i = begin; i < end; i++)
            ((uint16_t *)out)[i - begin] = bf16_of_float(element(conversion, i));
    else if (conversion->dtype == DTYPE_F32)
        memcpy(out, conversion->from + begin * sizeof(float), (end - begin) * sizeof(float));
    else
        for (size_t i = begin; i < end; i++)
            ((float *)out)[i - begin] = element(conversion, i);
}

struct weight *cuda_weight(struct device *device, const struct weight_spec *spec,
                           struct status *status)
{
    size_t count, bytes;
    const bool narrow = device->precision == PRECISION_BF16;
    const size_t size = narrow ? sizeof(uint16_t) : sizeof(float);
    if (spec->n < 1 || spec->k < 1) {
        status_fail(status, STATUS_INVALID, "weight: %d x %d, expected at least 1 x 1", spec->n,
                    spec->k);
        return nullptr;
    }
    struct weight *weight = new (std::nothrow) struct weight();
    if (!weight || !size_multiply((size_t)spec->n, (size_t)spec->k, &count) ||
        !size_multiply(count, size, &bytes)) {
        status_fail(status, STATUS_MEMORY, "weight: no memory for %d x %d", spec->n, spec->k);
        delete weight;
        return nullptr;
    }
    device_choose(device);
    if (!memory_take(device, &weight->memory, bytes, status)) {
        delete weight;
        return nullptr;
    }
    weight->n = spec->n;
    weight->k = spec->k;
    weight->narrow = narrow;
    struct conversion conversion = {(const unsigned char *)spec->data, spec->dtype, narrow};
    staging_write(device, weight->memory.bytes, count, size, fill_elements, &conversion);
    return weight;
}

void cuda_forget(struct device *device, struct weight *weight)
{
    if (!weight)
        return;
    device_choose(device);
    late_run(device);
    memory_give(device, &weight->memory);
    delete weight;
}
