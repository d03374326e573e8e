#include "gpu/cpu/gemm_chunk.h"

#include <math.h>
#include <string.h>

#include "base/minmax.h"
#include "gpu/cpu/kernel/integer.h"

enum { PIECE_ROWS = 16 };

static size_t to_line(size_t bytes)
{
    return (bytes + GEMM_LINE - 1) / GEMM_LINE * GEMM_LINE;
}

/* Returns the values of a padded row, a multiple of the step. */
static int padded(const struct integer_kernels *kernels, const struct weight *weight)
{
    return (weight->k + kernels->step - 1) / kernels->step * kernels->step;
}

static size_t row_bytes(const struct integer_kernels *kernels, const struct weight *weight)
{
    return to_line((size_t)padded(kernels, weight) * (size_t)kernels->bytes);
}

size_t integer_bytes(const struct device *device, const struct weight *weight, int rows)
{
    size_t bytes, row = row_bytes(device->integer, weight);
    size_t scales = to_line((size_t)rows * sizeof(struct integer_row));
    return size_multiply((size_t)rows, row, &bytes) && bytes < SIZE_MAX - scales ? bytes + scales
                                                                                 : SIZE_MAX;
}

size_t integer_peak_bytes(int rows)
{
    return to_line((size_t)rows * sizeof(float));
}

/* NaN does not count. */
static float row_peak(const float *x, size_t k)
{
    enum { LANES = 16 };
    float lane[LANES] = {0}, peak = 0;
    size_t i = 0;
    for (; i + LANES <= k; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] = fabsf(x[i + j]) > lane[j] ? fabsf(x[i + j]) : lane[j];
    for (; i < k; i++)
        lane[0] = fabsf(x[i]) > lane[0] ? fabsf(x[i]) : lane[0];
    for (size_t j = 0; j < LANES; j++)
        peak = lane[j] > peak ? lane[j] : peak;
    return peak;
}

/* Returns NaN if a value is not finite, which integers could not show; else 0. */
static float trouble_of(const float *x, size_t k)
{
    enum { LANES = 16 };
    float lane[LANES] = {0}, sum = 0;
    size_t i = 0;
    for (; i + LANES <= k; i += LANES)
        for (size_t j = 0; j < LANES; j++)
            lane[j] += x[i + j] * 0;
    for (; i < k; i++)
        lane[0] += x[i] * 0;
    for (size_t j = 0; j < LANES; j++)
        sum += lane[j];
    return isnan(sum) ? NAN : 0;
}

void integer_peaks(const struct linear_args *args, float *peak)
{
    const float *x = tensor_floats(args->x);
    const int32_t *group = tensor_ints(args->group);
    for (int row = 0, end; row < args->rows; row = end) {
        float most = 0;
        for (end = row; end < args->rows && (end == row || (group && group[end] == group[row]));
             end++)
            most =
                fmaxf(most, row_peak(x + (size_t)end * (size_t)args->ldx, (size_t)args->weight->k));
        for (int r = row; r < end; r++)
            peak[r] = most;
    }
}

void integer_place(struct chunk *chunk, void *area, int rows, int row, const float *peak)
{
    const size_t scales = to_line((size_t)rows * sizeof *chunk->scales);
    chunk->scales = (struct integer_row *)area + row;
    chunk->quantised = (unsigned char *)area + scales +
                       (size_t)row * row_bytes(chunk->device->integer, chunk->weight);
    chunk->peak = peak;
}

int integer_pieces(const struct chunk *chunk)
{
    return (chunk->rows - 1) / PIECE_ROWS + 1;
}

void integer_pack(const struct chunk *chunk, int piece)
{
    const struct integer_kernels *kernels = chunk->device->integer;
    const struct integer_spec *spec = &chunk->weight->integers;
    const size_t bytes = row_bytes(kernels, chunk->weight);
    const int end = int_min(chunk->rows, (piece + 1) * PIECE_ROWS);
    for (int r = piece * PIECE_ROWS; r < end; r++) {
        const float by = spec->activation > 0 ? spec->activation : INTEGER_MOST / chunk->peak[r];
        const float shift = -((INTEGER_MOST / by) * (INTEGER_MOST / spec->scale)) / INTEGER_MOST;
        const float *x = chunk->x + (size_t)r * (size_t)chunk->args->ldx;
        const float trouble = trouble_of(x, (size_t)chunk->weight->k);
        kernels->quantise(chunk->quantised + (size_t)r * bytes, x, by, chunk->weight->k);
        chunk->scales[r] = (struct integer_row){.unquantise = 1 / (by * spec->scale) + trouble,
                                                .unshift = spec->shifted ? shift : 0};
    }
}

/* The last panel's missing columns have no place in y, so it goes through a buffer. */
static void tile_partial(integer_tile_run *run, const struct integer_tile *tile, int rows,
                         int columns)
{
    float y[INTEGER_ROWS_MAX][GEMM_PART] = {{0}}, bias[GEMM_PART] = {0};
    const size_t bytes = (size_t)columns * sizeof(float);
    struct integer_tile whole = *tile;
    for (int r = 0; r < rows && tile->accumulate; r++)
        memcpy(y[r], tile->y + (size_t)r * tile->ldy, bytes);
    whole.y = y[0];
    whole.ldy = GEMM_PART;
    if (tile->bias)
        whole.bias = memcpy(bias, tile->bias, bytes);
    run(&whole);
    for (int r = 0; r < rows; r++)
        memcpy(tile->y + (size_t)r * tile->ldy, y[r], bytes);
}

/* Multiplies all rows by the tile's panel, whose first column is `column`. */
static void panel_run(const struct chunk *chunk, struct integer_tile tile, int column)
{
    const struct integer_kernels *kernels = chunk->device->integer;
    const int columns = int_min(GEMM_PART, chunk->weight->n - column);
    for (int row = 0, rows; row < chunk->rows; row += rows) {
        rows = int_min(kernels->rows, chunk->rows - row);
        tile.row = chunk->scales + row;
        if (columns < GEMM_PART)
            tile_partial(kernels->tile[rows - 1], &tile, rows, columns);
        else
            kernels->tile[rows - 1](&tile);
        for (int r = 0; r < rows; r++)
            chunk_finish(chunk, tile.y + (size_t)r * tile.ldy, row + r, column, columns);
        tile.y += (size_t)rows * tile.ldy;
        tile.a += (size_t)rows * tile.lda;
    }
}

void integer_run(const struct chunk *chunk, int begin, int end)
{
    const struct weight *weight = chunk->weight;
    const int k = padded(chunk->device->integer, weight);
    struct integer_tile tile = {.a = chunk->quantised,
                                .lda = row_bytes(chunk->device->integer, weight),
                                .ldy = chunk->ldy,
                                .k = k,
                                .shift = weight->integers.shifted,
                                .accumulate = chunk->args->accumulate,
                                .relu = chunk->args->activation == ACTIVATION_RELU};
    for (int strip = begin; strip < end && !cancelled(chunk->device); strip++) {
        const int panel = chunk->part + strip, column = panel * GEMM_PART;
        tile.y = chunk->y + strip * GEMM_PART;
        tile.b = (const int8_t *)weight->data + (size_t)column * (size_t)k;
        tile.column_sum = weight->column_sum + column;
        tile.bias = chunk->bias ? chunk->bias + column : NULL;
        panel_run(chunk, tile, column);
    }
}
