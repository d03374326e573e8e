#include "gpu/cpu/weight.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/minmax.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/kernel/integer.h"

/* Rounding to 16 bits ------------------------------------------------------------------------- */

/* Drops the last `count` bits, rounding to nearest, ties to even. A carry into the exponent
 * correctly gives the next power of two and, after the last one, infinity. */
static uint32_t bits_round(uint32_t bits, int count)
{
    uint32_t half = (uint32_t)1 << (count - 1);
    return (bits + half - 1 + (bits >> count & 1)) >> count;
}

static uint16_t narrow_bf16(uint32_t magnitude)
{
    return (uint16_t)bits_round(magnitude, 16);
}

static uint16_t narrow_f16(uint32_t magnitude)
{
    enum { LEAST_NORMAL = 113, LEAST = 102, INFINITE = 143 }; // exponents of float32
    int exponent = (int)(magnitude >> 23);
    if (exponent >= INFINITE)
        return 0x7C00;
    if (exponent >= LEAST_NORMAL)
        return (uint16_t)bits_round(magnitude - ((uint32_t)(LEAST_NORMAL - 1) << 23), 13);
    if (exponent < LEAST)
        return 0;
    // Subnormal: multiples of 2^-24.
    uint32_t mantissa = (magnitude & 0x7FFFFF) | 0x800000;
    return (uint16_t)bits_round(mantissa, 126 - exponent);
}

uint16_t narrow(float value, enum dtype dtype)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t magnitude = bits & 0x7FFFFFFF;
    if (isnan(value))
        return sign | (dtype == DTYPE_F16 ? 0x7E00 : 0x7FC0);
    return sign | (dtype == DTYPE_F16 ? narrow_f16(magnitude) : narrow_bf16(magnitude));
}

bool narrow_overflows(float value, uint16_t narrowed, enum dtype dtype)
{
    return isfinite(value) && (narrowed & 0x7FFF) == (dtype == DTYPE_F16 ? 0x7C00 : 0x7F80);
}

/* Packing -------------------------------------------------------------------------------------- */

struct packing {
    const unsigned char *source; // (N, K), unaligned
    struct weight *weight;
    size_t step;           // only for integers
    bool narrows;          // from float32 to a weight of 16 bits
    atomic_bool overflows; // an element is not finite in 16 bits
};

/* Copies `columns` rows of the source, one below the other, to the columns of a panel `width` wide.
 * Callers pass a constant size, so that copies become single moves. */
static inline __attribute__((always_inline)) void panel_fill(unsigned char *panel, size_t width,
                                                             const unsigned char *source,
                                                             int columns, int k, const size_t size)
{
    size_t row = (size_t)k * size;
    for (size_t i = 0; i < (size_t)k; i++)
        for (size_t c = 0; c < (size_t)columns; c++)
            memcpy(panel + (i * width + c) * size, source + c * row + i * size, size);
}

/* Does the same for float32 elements, rounded to 16 bits. Returns false if one overflows. */
static bool panel_narrow(uint16_t *panel, size_t width, const unsigned char *source, int columns,
                         int k, enum dtype dtype)
{
    bool fits = true;
    float value;
    for (size_t i = 0; i < (size_t)k; i++)
        for (size_t c = 0; c < (size_t)columns; c++) {
            memcpy(&value, source + (c * (size_t)k + i) * sizeof value, sizeof value);
            uint16_t narrowed = narrow(value, dtype);
            fits = fits && !narrow_overflows(value, narrowed, dtype);
            panel[i * width + c] = narrowed;
        }
    return fits;
}

/* Packs integers, `step` of a column side by side; places beyond K and N stay 0. */
static void panel_interleave(const struct packing *packing, int index)
{
    struct weight *weight = packing->weight;
    const size_t k = (size_t)weight->k, width = (size_t)weight->width, step = packing->step;
    const size_t first = (size_t)index * width, padded = (k + step - 1) / step * step;
    const size_t columns = size_min((size_t)weight->n - first, width);
    int8_t *panel = (int8_t *)weight->data + first * padded;
    for (size_t c = 0; c < columns; c++) {
        const int8_t *row = (const int8_t *)packing->source + (first + c) * k;
        for (size_t i = 0; i < k; i++) {
            panel[(i / step * width + c) * step + i % step] = row[i];
            weight->column_sum[first + c] += row[i];
        }
    }
}

static void panel_pack(void *context, int index)
{
    struct packing *packing = context;
    struct weight *weight = packing->weight;
    if (weight_is_integer(weight)) {
        panel_interleave(packing, index);
        return;
    }
    int first = index * weight->width;
    int columns = int_min(weight->n - first, weight->width);
    size_t size = weight_element(weight->dtype), k = (size_t)weight->k;
    size_t width = (size_t)weight->width;
    size_t source_size = packing->narrows ? sizeof(float) : size;
    const unsigned char *source = packing->source + (size_t)first * k * source_size;
    unsigned char *panel = (unsigned char *)weight->data + (size_t)first * k * size;
    if (packing->narrows) {
        if (!panel_narrow((uint16_t *)panel, width, source, columns, weight->k, weight->dtype))
            atomic_store(&packing->overflows, true);
    } else if (size == sizeof(uint32_t))
        panel_fill(panel, width, source, columns, weight->k, sizeof(uint32_t));
    else
        panel_fill(panel, width, source, columns, weight->k, sizeof(uint16_t));
}

/* Counts the bytes of all panels. Returns false if they do not fit a size. */
static bool packed_size(const struct device *device, const struct weight *weight, size_t *bytes)
{
    const int step = weight_is_integer(weight) ? device->integer->step : 1;
    const size_t k = (size_t)(weight->k - 1) / (size_t)step + 1;
    return size_multiply((size_t)weight->panels,
                         (size_t)(weight->width * step) * weight_element(weight->dtype), bytes) &&
           size_multiply(*bytes, k, bytes);
}

/* Weights already in 16 bits stay as they are. */
static enum dtype stored_dtype(const struct device *device, enum dtype dtype)
{
    const enum precision precision = device->precision;
    if (dtype != DTYPE_F32 || precision == PRECISION_FP32 || precision == PRECISION_INT8)
        return dtype;
    return precision == PRECISION_FP16 ? DTYPE_F16 : DTYPE_BF16;
}

/* Rejects rows so long that sums of products might not fit an int32. */
static bool check_integers(const struct weight_spec *spec, struct status *status)
{
    if (spec->use != WEIGHT_LINEAR)
        return status_fail(status, STATUS_INVALID,
                           "weight: integers read by rows, expected floats");
    return spec->k <= INTEGER_K_MOST ||
           status_fail(status, STATUS_INVALID,
                       "weight: integers in %d columns, expected at most %d", spec->k,
                       INTEGER_K_MOST);
}

/* Allocates the panels and, behind them, the sums for integers. */
static bool allocate_panels(const struct device *device, struct weight *weight)
{
    size_t sums =
               weight_is_integer(weight) ? (size_t)weight->panels * GEMM_PART * sizeof(int32_t) : 0,
           data;
    if (!packed_size(device, weight, &data) || data > SIZE_MAX - sums)
        return false;
    weight->bytes = data + sums;
    weight->data = memory_aligned(weight->bytes);
    if (weight->data && sums)
        weight->column_sum = (int32_t *)((unsigned char *)weight->data + data);
    return weight->data != NULL;
}

static struct weight *weight_new(const struct device *device, const struct weight_spec *spec,
                                 struct status *status)
{
    if (spec->n < 1 || spec->k < 1) {
        status_fail(status, STATUS_INVALID, "weight: %d x %d, expected at least 1 x 1", spec->n,
                    spec->k);
        return NULL;
    }
    const bool integers = spec->dtype == DTYPE_I8;
    if (integers && !check_integers(spec, status))
        return NULL;
    struct weight *weight = memory_new(1, sizeof *weight, status);
    if (!weight)
        return NULL;
    weight->n = spec->n;
    weight->k = spec->k;
    weight->width = (integers ? 1 : device->gemm->panel_parts) * GEMM_PART;
    weight->panels = (spec->n - 1) / weight->width + 1;
    weight->dtype = stored_dtype(device, spec->dtype);
    weight->widen = integers ? NULL : device->gemm->widen[weight->dtype];
    weight->integers = spec->integers;
    if (!allocate_panels(device, weight)) {
        status_fail(status, STATUS_MEMORY, "weight: no memory for %d x %d", spec->n, spec->k);
        free(weight);
        return NULL;
    }
    return weight;
}

static void weight_free(struct weight *weight)
{
    memory_aligned_free(weight->data, weight->bytes);
    free(weight);
}

struct weight *cpu_weight(struct device *device, const struct weight_spec *spec,
                          struct status *status)
{
    struct weight *weight = weight_new(device, spec, status);
    if (!weight)
        return NULL;
    struct packing packing = {.source = spec->data,
                              .weight = weight,
                              .step = (size_t)device->integer->step,
                              .narrows = weight->dtype != spec->dtype};
    pool_run(device->pool, weight->panels, POOL_HEAVY, panel_pack, &packing);
    if (atomic_load(&packing.overflows)) {
        weight_free(weight);
        status_fail(status, STATUS_INVALID,
                    "weight: a value is too large for %s, expected precision fp32%s",
                    device->precision == PRECISION_FP16 ? "fp16" : "bf16",
                    device->precision == PRECISION_FP16 ? " or bf16" : "");
        return NULL;
    }
    device->memory_used += weight->bytes;
    device->weight_bytes += weight->bytes;
    return weight;
}

void cpu_forget(struct device *device, struct weight *weight)
{
    if (!weight)
        return;
    device->memory_used -= weight->bytes;
    device->weight_bytes -= weight->bytes;
    weight_free(weight);
}

/* Copies `count` elements of a panel's column; the size is a constant, as above. Each element is in
 * another cache line; unrolling requests more of these at once. */
static inline __attribute__((always_inline)) void column_copy(unsigned char *to,
                                                              const unsigned char *panel,
                                                              size_t width, size_t count,
                                                              const size_t size)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < count; i++)
        memcpy(to + i * size, panel + i * width * size, size);
}

/* Narrow elements are collected first, then widened many at once. */
void weight_row(const struct weight *weight, int row, float *out)
{
    enum { PART = 8 * GEMM_PANEL };
    const size_t size = weight_element(weight->dtype), k = (size_t)weight->k;
    const size_t width = (size_t)weight->width, column = (size_t)row % width;
    const unsigned char *panel =
        (const unsigned char *)weight->data + (((size_t)row - column) * k + column) * size;
    if (!weight->widen) {
        column_copy((unsigned char *)out, panel, width, k, sizeof(float));
        return;
    }
    _Alignas(GEMM_LINE) uint16_t narrow[PART];
    _Alignas(GEMM_LINE) float wide[PART];
    for (size_t begin = 0; begin < k; begin += PART) {
        const size_t count = size_min(k - begin, PART);
        const size_t parts = (count - 1) / GEMM_PART + 1;
        column_copy((unsigned char *)narrow, panel + begin * width * size, width, count,
                    sizeof *narrow);
        memset(narrow + count, 0, (parts * GEMM_PART - count) * sizeof *narrow);
        weight->widen(narrow, GEMM_PART, wide, GEMM_PART, parts);
        memcpy(out + begin, wide, count * sizeof *out);
    }
}
