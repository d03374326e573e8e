/* A chunk of rows of x by some columns of a weight, on one thread: gemm.c cuts products into chunks
 * and shares out their columns.
 *
 * A chunk is cut into blocks of rows one tile high, and the columns into strips one tile wide. A
 * chunk of one block takes every panel as it is: the weight passes by once. For more blocks narrow
 * weights are widened, in strips that may be wider than panels, and K is cut into slices: a strip's
 * part of a slice stays in the caches nearest to the core while all blocks pass, and the chunk's
 * part in the second-level cache while a group of strips passes.
 *
 * Call order: chunk_of; chunk_pack of every piece; then chunk_run for all strips, also of copies
 * that chunk_columns narrowed and whose y is elsewhere.
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
    float *cache;        // where rows go instead of y, or NULL
    const int32_t *slot; // (rows), their places there
    const float *packed; // (slices, blocks, k of the slice, rows of the block)
    float *packing;      // the same memory, while it is written
    int rows;
    int blocks;
    int block_rows; // the last block may have fewer
    int slice;      // k of a slice; the last may have fewer
    bool widened;   // strips are
    bool direct;    // rows are not packed
    int part;       // the columns, in parts: the first,
    int parts;      // and how many
    int strips;
    int strip_parts; // the most that a strip has
    /* Of weights of 8 bits (gpu/cpu/gemm_integer.h): */
    unsigned char *quantised;   // (rows, k), each row on lines of its own
    struct integer_row *scales; // (rows)
    const float *peak;          // (rows)
};

/* The most that tiles and strips have. */
struct cut {
    int rows, parts;
    bool direct; // rows of widened strips are not packed
};

/* Rows row … row+rows-1 by all columns, but for y and ldy, which the caller sets. `packing` has
 * room for rows x K. */
struct chunk chunk_of(const struct device *device, const struct linear_args *args, float *packing,
                      int row, int rows, struct cut cut);

/* Leaves parts part … part+parts-1, as many as there are, of the weight. The caller sets y again.
 * part and parts are even. */
void chunk_columns(struct chunk *chunk, int part, int parts);

/* x as tiles read it, which is the same for all weights of one K. No pieces: it is that already. */
int chunk_pieces(const struct chunk *chunk);
void chunk_pack(const struct chunk *chunk, int piece);

/* Transposes a block: out[i * rows + r] = x[r * ldx + i] for r < rows, i < width. out (width, rows)
 * becomes `a` of a tile. Never fails. */
void gemm_pack_block(const struct gemm_kernels *kernels, float *out, const float *x, size_t ldx,
                     size_t rows, size_t width);

/* Strips begin … end-1; they are left out when the device is cancelled. */
void chunk_run(const struct chunk *chunk, int begin, int end);

/* What follows a finished product, but for relu: `columns` elements of a row, from `column` on. */
void chunk_finish(const struct chunk *chunk, float *y, int row, int column, int columns);

#endif
