#include "gpu/cuda/late.cuh"

#include <new>

#include "gpu/cuda/linear.cuh"
#include "gpu/cuda/memory.cuh"

/* Enough for the widest results of a batch of 8,192 rows: the hidden units of a base model. */
enum : size_t { TWIN_BYTES = (size_t)32 << 20 };

struct late *late_open(struct device *device, struct status *status)
{
    struct late *late = new (std::nothrow) struct late();
    if (!late) {
        status_fail(status, STATUS_MEMORY, "cuda: no memory");
        return nullptr;
    }
    if (device->precision == PRECISION_BF16 && device->shortcuts[SHORTCUT_NARROW_ONCE] &&
        !memory_take(device, &late->twins, TWIN_BYTES, status)) {
        delete late;
        return nullptr;
    }
    return late;
}

void late_close(struct device *device, struct late *late)
{
    if (late)
        memory_give(device, &late->twins);
    delete late;
}

void late_run(struct device *device)
{
    struct late *late = device->late;
    if (!late)
        return;
    const struct late waits = *late;
    late->norm_rows = 0;
    late->y = nullptr;
    late->twin_of = nullptr;
    if (!waits.norm_rows && !waits.y)
        return;
    if (device->failed || device->cancel.load(std::memory_order_relaxed)) {
        device->skipped = true;
        return;
    }
    if (waits.y)
        bias_start(device, waits.y, waits.ldy, waits.rows, waits.columns, waits.bias);
    if (waits.norm_rows)
        norm_start(device, waits.norm, waits.norm_rows);
}

/* A range of float32 rows. */
struct rows {
    const float *memory; // NULL: none
    int ld, columns;
};

/* True if the two ranges overlap; gaps between rows count as part of them. */
static bool overlap(const struct rows &a, const struct rows &b, int rows)
{
    const size_t before = (size_t)rows - 1;
    return a.memory && b.memory && a.memory < b.memory + before * b.ld + b.columns &&
           b.memory < a.memory + before * a.ld + a.columns;
}

/* All blocks of a product compute the norm, and one of them stores it: no block may read what that
 * one writes. */
static bool is_apart(const struct norm_params &p, int rows)
{
    const struct rows reads[] = {{p.x, p.ldx, p.columns}, {p.residual, p.ldresidual, p.columns}};
    const struct rows writes[] = {{p.y, p.ldy, p.columns}, {p.sum, p.columns, p.columns}};
    for (const auto &read : reads)
        for (const auto &write : writes)
            if (overlap(read, write, rows))
                return false;
    return true;
}

/* Nor may a block write an output that another one still reads or stores for the norm. */
static bool outputs_apart(const struct norm_params &p, const struct linear_params &params)
{
    const struct rows used[] = {{p.x, p.ldx, p.columns},
                                {p.residual, p.ldresidual, p.columns},
                                {p.y, p.ldy, p.columns},
                                {p.sum, p.columns, p.columns}};
    for (int i = 0; i < params.count; i++) {
        const struct output &output = params.outputs[i];
        const struct rows y = {output.y, output.ldy, output.n};
        const struct rows factor = {output.factor, output.n, output.n};
        for (const auto &other : used)
            if (overlap(y, other, params.rows) || overlap(factor, other, params.rows))
                return false;
    }
    return true;
}

bool late_norm_put(struct device *device, const struct norm_params &norm, int rows)
{
    struct late *late = device->late;
    if (!device->shortcuts[SHORTCUT_NORM_IN_PRODUCT] || rows > FEW_ROWS ||
        norm.columns > NORM_COLUMNS || norm.columns % 4 != 0 || norm.bias || !is_apart(norm, rows))
        return false;
    late->norm = norm;
    late->norm_rows = rows;
    return true;
}

const struct norm_params *late_norm_take(struct device *device, const struct linear_params &params)
{
    struct late *late = device->late;
    const struct norm_params &norm = late->norm;
    if (late->norm_rows != params.rows || norm.y != params.x || norm.ldy != params.ldx ||
        norm.columns != params.k || !outputs_apart(norm, params))
        return nullptr;
    late->norm_rows = 0;
    return &late->norm;
}

bool late_bias_put(struct device *device, float *y, int ldy, int rows, int columns,
                   const float *bias)
{
    struct late *late = device->late;
    if (!device->shortcuts[SHORTCUT_LATE_BIAS] || ldy != columns)
        return false;
    late->y = y;
    late->bias = bias;
    late->ldy = ldy;
    late->rows = rows;
    late->columns = columns;
    return true;
}

const float *late_bias_take(struct device *device, const float *x, int ldx, int rows)
{
    struct late *late = device->late;
    if (!late->y || late->y != x || late->ldy != ldx || late->rows != rows || late->columns != ldx)
        return nullptr;
    late->y = nullptr;
    return late->bias;
}

__nv_bfloat16 *late_twin_make(struct device *device, const float *y, int ldy, int rows, int columns)
{
    struct late *late = device->late;
    if (rows <= FEW_ROWS ||
        (size_t)rows * (size_t)columns * sizeof(__nv_bfloat16) > late->twins.size)
        return nullptr;
    late->twin_of = y;
    late->twin = (__nv_bfloat16 *)late->twins.bytes;
    late->twin_ld = ldy;
    late->twin_rows = rows;
    late->twin_columns = columns;
    return late->twin;
}

__nv_bfloat16 *late_twin_replace(struct device *device, float *y, int ldy, int rows, int columns)
{
    struct late *late = device->late;
    late->twin_of = y;
    late->twin = (__nv_bfloat16 *)y;
    late->twin_ld = ldy;
    late->twin_rows = rows;
    late->twin_columns = columns;
    return late->twin;
}

const __nv_bfloat16 *late_twin_find(const struct device *device, const struct linear_params &params)
{
    const struct late *late = device->late;
    return late->twin_of && late->twin_of == params.x && late->twin_ld == params.ldx &&
                   late->twin_rows == params.rows && late->twin_columns == params.k
               ? late->twin
               : nullptr;
}

void late_twin_keep(struct device *device, const struct linear_params &params)
{
    struct late *late = device->late;
    const struct rows of = {params.x, params.ldx, params.k};
    bool apart = !late->twin_of;
    for (int i = 0; i < params.count; i++) {
        const struct output &output = params.outputs[i];
        const struct rows y = {output.y, output.ldy, output.n};
        apart &= !overlap(of, y, params.rows);
    }
    if (!apart)
        return;
    late->twin_of = params.x;
    late->twin_ld = params.ldx;
    late->twin_rows = params.rows;
    late->twin_columns = params.k;
}
