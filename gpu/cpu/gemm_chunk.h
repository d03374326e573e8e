/* Multiplies a chunk of rows of x by some columns of a weight, on one thread: gemm.c divides
 * products into chunks and distributes their columns.
 *
 * A chunk is divided into blocks of rows one tile high, and its columns into strips one tile wide.
 * A chunk of one block reads every panel directly, and the weight only once. With more blocks,
 * narrow weights are widened, in strips that may be wider than panels, and K is divided into
 * slices: a strip's part of a slice stays in the caches nearest to the core for all blocks, and the
 * chunk's part stays in the second-level cache for a group of strips.
 *
 * Call order: chunk_of; chunk_pack of every piece; then chunk_run for all strips, including those
 * of copies that chunk_columns has narrowed and whose y is elsewhere.
 */
#ifndef ATTNSCOPE_CPU_GEMM_CHUNK_H
#define ATTNSCOPE_CPU_GEMM_CHUNK_H

#include "gpu/cpu/device.h"
#include "gpu/cpu/weight.h"

struct integer_row; // gpu/cpu/kernel/integer.h

struct chunk {
    const struct device *device;
    const struct linear_args *args;
    const struct weight *weight;
    const float *x; // (rows, K), ld args->ldx
    float *y;       // (rows, columns), ld ldy
    size_t ldy;
    const float *bias;
    const float *factor; // (rows, N), or NULL
    float *cache;        // stores rows instead of y, or NULL
    const int32_t *slot; // (rows), their places in `cache`
    const float *packed; // (slices, blocks, k of the slice, rows of the block)
    float *packing;      // the same memory, for writing
    int rows;
    int blocks;
    int block_rows; // the last block may have fewer
    int slice;      // k of a slice; the last may have fewer
    bool widened;   // strips are widened
    bool direct;    // rows are not packed
    int part;       // columns, in parts: the first part
    int parts;      // and the number of parts
    int strips;
    int strip_parts; // maximum in a strip
    /* For 8-bit weights: */
    unsigned char *quantised;   // (rows, k), each row on its own cache lines
    struct integer_row *scales; // (rows)
    const float *peak;          // (rows)
};

/* Maximum sizes of tiles and strips. */
struct cut {
    int rows, parts;
    bool direct; // rows for widened strips are not packed
};

/* A chunk of rows row … row+rows-1 and all columns. The caller sets y and ldy. `packing` has room
 * for rows x K. */
struct chunk chunk_of(const struct device *device, const struct linear_args *args, float *packing,
                      int row, int rows, struct cut cut);

/* Narrows the chunk to the existing parts among part … part+parts-1 of the weight. The caller sets
 * y again. part and parts are even. */
void chunk_columns(struct chunk *chunk, int part, int parts);

/* Packs x for tiles, in the same way for all weights with the same K. No pieces: x needs no
 * packing. */
int chunk_pieces(const struct chunk *chunk);
void chunk_pack(const struct chunk *chunk, int piece);

/* Transposes a block: out[i * rows + r] = x[r * ldx + i] for r < rows, i < width. out (width, rows)
 * is `a` of a tile. Never fails. */
void gemm_pack_block(const struct gemm_kernels *kernels, float *out, const float *x, size_t ldx,
                     size_t rows, size_t width);

/* Computes strips begin … end-1; skips them if the device is cancelled. */
void chunk_run(const struct chunk *chunk, int begin, int end);

/* Applies what follows a product, except relu, to `columns` elements of a row from `column` on. */
void chunk_finish(const struct chunk *chunk, float *y, int row, int column, int columns);

/* Chunks for 8-bit weights (gemm_integer.c): rows are quantised instead of packed, separately for
 * each product, as its scale requires. A strip is a panel. A row with a non-finite value gives NaN,
 * which integers cannot represent.
 *
 * Call order: chunk_of; integer_place; integer_pack of every piece; integer_run for all strips,
 * including those of copies narrowed by chunk_columns. */

/* Bytes of `rows` quantised rows with their scales; SIZE_MAX on overflow. */
size_t integer_bytes(const struct device *device, const struct weight *weight, int rows);

/* Bytes of integer_peaks of `rows` rows, a multiple of 64. */
size_t integer_peak_bytes(int rows);
/* Computes the greatest absolute value of each row's group, for weights without their own
 * activation. peak: (args->rows); all products of one x share it. */
void integer_peaks(const struct linear_args *args, float *peak);

/* Places the chunk's quantised rows in `area`, which has integer_bytes for `rows`, from `row` on.
 * peak: that of the chunk's first row. */
void integer_place(struct chunk *chunk, void *area, int rows, int row, const float *peak);

int integer_pieces(const struct chunk *chunk);
void integer_pack(const struct chunk *chunk, int piece);
void integer_run(const struct chunk *chunk, int begin, int end);

#endif
