/* `linear`: few rows by a kernel of our own, which is done in one launch; many by cuBLAS, and one
 * launch for what comes after the products. */
#include "gpu/cuda/cap.cuh"
#include "gpu/cuda/gemm.cuh"
#include "gpu/cuda/linear.cuh"
#include "gpu/cuda/ops.cuh"

enum { BLOCK_MANY = block_size(256) };

/* Many rows -------------------------------------------------------------------------------------*/

/* sums: (rows, columns) of all outputs side by side, of rows first and after; NULL: each output has
 * its own in its place. twin: of the only output, or NULL. */
template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK)
    finish_kernel(struct linear_params p, const float *sums, int first, __nv_bfloat16 *twin)
{
    grid_wait();
    const int blocks = quotient_up(p.columns, BLOCK), row = (int)blockIdx.x / blocks;
    int column = (int)blockIdx.x % blocks * BLOCK + (int)threadIdx.x;
    if (column >= p.columns)
        return;
    const float sum = sums ? sums[(size_t)row * p.columns + column] : 0;
    const struct output &output = p.outputs[output_of(p, &column)];
    const int m = first + row;
    const float y =
        finish(output, m, column, sums ? sum : output.y[(size_t)m * output.ldy + column]);
    if (twin)
        twin[(size_t)m * output.n + column] = __float2bfloat16_rn(y);
}

static void finish_start(struct device *device, const struct linear_params &params,
                         const float *sums, int first, int rows, __nv_bfloat16 *twin)
{
    START(device, finish_kernel<BLOCK_MANY>, rows * quotient_up(params.columns, BLOCK_MANY),
          BLOCK_MANY, params, sums, first, twin);
}

void bias_start(struct device *device, float *y, int ldy, int rows, int columns, const float *bias)
{
    struct linear_params params = {};
    params.outputs[0] = {y,       nullptr,         bias,  nullptr, nullptr, nullptr, ldy,
                         columns, ACTIVATION_NONE, false, false,   false,   false};
    params.count = 1;
    params.columns = columns;
    finish_start(device, params, nullptr, 0, rows, nullptr);
}

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK)
    narrow_kernel(__nv_bfloat16 *y, const float *x, int ldx, int columns, int rows)
{
    grid_wait();
    const size_t at = (size_t)blockIdx.x * BLOCK + threadIdx.x;
    if (at < (size_t)rows * columns)
        y[at] = __float2bfloat16_rn(x[at / columns * ldx + at % columns]);
}

/* Rows first … first+rows-1 of x as the weights are stored, and what the products of them have in
 * common. twin: all of x in bfloat16, or NULL. */
static struct product begin_products(struct device *device, const struct linear_params &params,
                                     bool narrow, const __nv_bfloat16 *twin, int first, int rows)
{
    const float *x = params.x + (size_t)first * params.ldx;
    struct product product = {nullptr, x,     0,       params.ldx,      rows,  nullptr,
                              0,       false, nullptr, ACTIVATION_NONE, false, false};
    if (!narrow)
        return product;
    product.ldx = params.k;
    product.x = twin ? (const void *)(twin + (size_t)first * params.k) : device->scratch;
    if (twin)
        return product;
    const int blocks = (int)(((size_t)rows * params.k + BLOCK_MANY - 1) / BLOCK_MANY);
    START(device, narrow_kernel<BLOCK_MANY>, blocks, BLOCK_MANY, (__nv_bfloat16 *)device->scratch,
          x, params.ldx, params.k, rows);
    return product;
}

/* True if the weights are one behind the other, as if they were one of all columns. */
static bool are_side_by_side(const struct linear_args *args, int count)
{
    for (int i = 0; i < count; i++) {
        const struct weight *weight = args[i].weight;
        const size_t size = weight->narrow ? sizeof(__nv_bfloat16) : sizeof(float);
        const size_t bytes = (size_t)weight->n * (size_t)weight->k * size;
        if (args[i].accumulate ||
            (i + 1 < count && (unsigned char *)weight->memory.bytes + bytes !=
                                  (unsigned char *)args[i + 1].weight->memory.bytes))
            return false;
    }
    return count > 1;
}

/* Computes one product for all outputs in the scratch memory, after x, and moves the results to
 * their places. */
static bool run_joined(struct device *device, const struct linear_args *args, int count,
                       const struct linear_params &params, const __nv_bfloat16 *twin)
{
    const bool narrow = args[0].weight->narrow;
    const size_t x_bytes = narrow ? (size_t)params.k * sizeof(__nv_bfloat16) : 0;
    const size_t row = x_bytes + (size_t)params.columns * sizeof(float);
    const size_t most = (SCRATCH_BYTES - 2 * sizeof(float4)) / row;
    if (!device->shortcuts[SHORTCUT_JOINED_PRODUCTS] || !are_side_by_side(args, count) || most < 1)
        return false;
    const size_t behind = (most * x_bytes + sizeof(float4) - 1) / sizeof(float4) * sizeof(float4);
    float *sums = (float *)((unsigned char *)device->scratch + behind);
    for (int first = 0; first < params.rows; first += (int)most) {
        const int left = params.rows - first, rows = left < (int)most ? left : (int)most;
        struct product product = begin_products(device, params, narrow, twin, first, rows);
        product.y = sums;
        product.ldy = product.columns = params.columns;
        product.weight = args[0].weight;
        product_run(device, &product);
        finish_start(device, params, sums, first, rows, nullptr);
    }
    return true;
}

/* finished: the only product adds its bias and applies its activation. False: cuBLAS has no such
 * product. */
static bool run_each(struct device *device, const struct linear_args *args, int count,
                     const struct linear_params &params, const __nv_bfloat16 *twin, bool finished)
{
    const bool narrow = args[0].weight->narrow;
    int most = params.rows;
    if (narrow && !twin) // as many as fit into the scratch memory
        most = (int)(SCRATCH_BYTES / sizeof(__nv_bfloat16) / (size_t)params.k);
    if (most < 1) {
        device_fail(device, STATUS_MEMORY, "a row of %d elements is too long", params.k);
        return true;
    }
    for (int first = 0; first < params.rows; first += most) {
        const int left = params.rows - first, rows = left < most ? left : most;
        struct product product = begin_products(device, params, narrow, twin, first, rows);
        for (int i = 0; i < count; i++) {
            product.y = tensor_floats(args[i].y) + (size_t)first * args[i].ldy;
            product.ldy = args[i].ldy;
            product.columns = args[i].weight->n;
            product.weight = args[i].weight;
            product.accumulate = args[i].accumulate;
            product.bias = finished ? params.outputs[i].bias : nullptr;
            product.activation = finished ? args[i].activation : ACTIVATION_NONE;
            if (!finished)
                product_run(device, &product);
            else if (!product_finish(device, &product))
                return false;
        }
    }
    return true;
}

/* True if cuBLAS is to finish the product. Where products are in bfloat16, a kernel that applies
 * the activation also writes the twin that the next one reads. */
static bool is_finished_by_library(const struct device *device, const struct output &output,
                                   int count, bool narrow)
{
    const bool twin = narrow && device->shortcuts[SHORTCUT_NARROW_ONCE];
    return count == 1 && output.bias && !output.rounded && !output.cache && !output.factor &&
           !output.accumulate &&
           product_finishes(device, (enum activation)output.activation, false) &&
           (output.activation == ACTIVATION_NONE || !twin);
}

/* Hidden units that only the next product reads are written once, in bfloat16, in place of the
 * float32 ones, by the product itself, which requires a bfloat16 bias. Returns false if this does
 * not apply, or if cuBLAS has no such product. */
static bool run_consumed(struct device *device, const struct linear_args *args, int count,
                         const struct linear_params &params, const __nv_bfloat16 *twin)
{
    const struct output &output = params.outputs[0];
    const enum activation activation = (enum activation)output.activation;
    if (!twin || count != 1 || !output.rounded || !product_finishes(device, activation, true) ||
        (size_t)output.n * sizeof(__nv_bfloat16) > SCRATCH_BYTES)
        return false;
    START(device, narrow_kernel<BLOCK_MANY>, quotient_up(output.n, BLOCK_MANY), BLOCK_MANY,
          (__nv_bfloat16 *)device->scratch, output.bias, output.n, output.n, 1);
    const struct product product = {output.y,        twin,           output.n, params.k,
                                    params.rows,     args[0].weight, output.n, false,
                                    device->scratch, activation,     true,     false};
    if (!product_finish(device, &product))
        return false;
    late_twin_replace(device, output.y, output.ldy, params.rows, output.n);
    return true;
}

static void run_many(struct device *device, const struct linear_args *args, int count,
                     const struct linear_params &params, const __nv_bfloat16 *twin)
{
    bool plain = true, biased = false;
    if (run_joined(device, args, count, params, twin) ||
        run_consumed(device, args, count, params, twin))
        return;
    if (is_finished_by_library(device, params.outputs[0], count, args[0].weight->narrow) &&
        run_each(device, args, count, params, twin, true))
        return;
    run_each(device, args, count, params, twin, false);
    for (int i = 0; i < count; i++) {
        const struct output &output = params.outputs[i];
        plain &= !output.cache && !output.factor && output.activation == ACTIVATION_NONE;
        biased |= output.bias != nullptr;
    }
    if (plain && (!biased || (count == 1 &&
                              late_bias_put(device, params.outputs[0].y, params.outputs[0].ldy,
                                            params.rows, params.columns, params.outputs[0].bias))))
        return;
    // Hidden units are what a product reads next.
    const struct output &last = params.outputs[count - 1];
    __nv_bfloat16 *made = plain || count > 1
                              ? nullptr
                              : late_twin_make(device, last.y, last.ldy, params.rows, last.n);
    struct linear_params finished = params;
    finished.outputs[0].cached |= made && args[0].consumed; // the twin is all that is read
    finish_start(device, finished, nullptr, 0, params.rows, made);
}

/* If cuBLAS may write the result in bfloat16, the bias has to be of that type: every other way of
 * computing the same rounds it, too. */
static bool rounds_bias(const struct linear_args &args)
{
    return args.consumed && args.weight->narrow && args.bias.buffer && !args.cache.buffer &&
           !args.factor.buffer && !args.accumulate && args.activation == ACTIVATION_RELU;
}

static struct linear_params linear_params_of(const struct device *device,
                                             const struct linear_args *args, int count)
{
    struct linear_params params = {};
    for (int i = 0; i < count; i++) {
        params.outputs[i] = {tensor_floats(args[i].y),
                             args[i].weight->memory.bytes,
                             tensor_floats(args[i].bias),
                             tensor_bytes(args[i].cache),
                             tensor_ints(args[i].slot),
                             tensor_floats(args[i].factor),
                             args[i].ldy,
                             args[i].weight->n,
                             args[i].activation,
                             args[i].accumulate,
                             args[i].cached && args[i].cache.buffer,
                             device_narrows_caches(device),
                             rounds_bias(args[i])};
        params.columns += args[i].weight->n;
    }
    params.count = count;
    params.x = tensor_floats(args[0].x);
    params.ldx = args[0].ldx;
    params.rows = args[0].rows;
    params.k = args[0].weight->k;
    return params;
}

struct cap_params {
    float *y;
    const float *bias; // of the product, which is still to be added; NULL for absent
    int ldy, columns;
    float cap;
};

template <int BLOCK> static __global__ void __launch_bounds__(BLOCK) cap_kernel(struct cap_params p)
{
    grid_wait();
    const int blocks = quotient_up(p.columns, BLOCK);
    const int column = (int)blockIdx.x % blocks * BLOCK + (int)threadIdx.x;
    if (column >= p.columns)
        return;
    float *const y = p.y + (size_t)((int)blockIdx.x / blocks) * p.ldy + column;
    *y = capped(p.bias ? *y + p.bias[column] : *y, p.cap);
}

/* Caps what a product has written. */
static void cap_start(struct device *device, const struct linear_args *args)
{
    struct cap_params params = {tensor_floats(args->y), nullptr, args->ldy, args->weight->n,
                                args->cap};
    params.bias = late_bias_take(device, params.y, params.ldy, args->rows);
    if (device_ready(device))
        START(device, cap_kernel<BLOCK_MANY>, args->rows * quotient_up(params.columns, BLOCK_MANY),
              BLOCK_MANY, params);
}

void cuda_linear(struct device *device, const struct linear_args *args, int count)
{
    if (count <= 0 || args[0].rows <= 0)
        return;
    const struct linear_params params = linear_params_of(device, args, count);
    const bool few = params.rows <= FEW_ROWS;
    const struct norm_params *norm = few ? late_norm_take(device, params) : nullptr;
    const __nv_bfloat16 *twin = few ? nullptr : late_twin_find(device, params);
    if (!device_ready(device))
        return;
    if (few)
        few_rows_start(device, params, args[0].weight->narrow, norm);
    else
        run_many(device, args, count, params, twin);
    if (twin)
        late_twin_keep(device, params);
    for (int i = 0; i < count; i++)
        if (args[i].cap > 0)
            cap_start(device, &args[i]);
}

void cuda_linear_backward(struct device *device, const struct linear_backward_args *args)
{
    struct linear_params params = {};
    const bool narrow = args->weight->narrow;
    params.x = tensor_floats(args->dy);
    params.ldx = args->lddy;
    params.k = args->weight->n;
    if (!device_ready(device) || args->rows <= 0)
        return;
    const int fit = (int)(SCRATCH_BYTES / sizeof(__nv_bfloat16) / (size_t)params.k);
    const int most = narrow ? fit : args->rows;
    if (most < 1)
        device_fail(device, STATUS_MEMORY, "a row of %d elements is too long", params.k);
    for (int first = 0; most > 0 && first < args->rows; first += most) {
        const int left = args->rows - first, rows = left < most ? left : most;
        struct product product = begin_products(device, params, narrow, nullptr, first, rows);
        product.y = tensor_floats(args->dx) + (size_t)first * args->lddx;
        product.ldy = args->lddx;
        product.columns = args->weight->k;
        product.weight = args->weight;
        product.accumulate = args->accumulate;
        product.back = true;
        product_run(device, &product);
    }
}
