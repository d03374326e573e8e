#include "gpu/cpu/gemm_chunk.h"

#include <string.h>

#include "base/minmax.h"
#include "gpu/cpu/kernel/gemm.h"
#include "gpu/cpu/kernel/kernels.h"

/* Packs rows of x into the layout that tiles read (gpu/cpu/kernel/gemm.h). */

typedef float quad __attribute__((vector_size(16)));

static inline quad quad_load(const float *from)
{
    quad value;
    memcpy(&value, from, sizeof value);
    return value;
}

/* Transposes four rows by four k: out[i * rows + r] = x[r * ldx + i]. */
static inline void transpose_4x4(float *out, size_t rows, const float *x, size_t ldx)
{
    quad a = quad_load(x), b = quad_load(x + ldx);
    quad c = quad_load(x + 2 * ldx), d = quad_load(x + 3 * ldx);
    quad ab_low = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    quad ab_high = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    quad cd_low = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    quad cd_high = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    quad columns[4] = {__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                       __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7),
                       __builtin_shufflevector(ab_high, cd_high, 0, 1, 4, 5),
                       __builtin_shufflevector(ab_high, cd_high, 2, 3, 6, 7)};
    for (size_t i = 0; i < 4; i++)
        memcpy(out + i * rows, &columns[i], sizeof columns[i]);
}

void gemm_pack_block(const struct gemm_kernels *kernels, float *out, const float *x, size_t ldx,
                     size_t rows, size_t width)
{
    size_t i = 0;
    if (kernels->pack && rows == (size_t)kernels->strip_rows) {
        i = width - width % GEMM_PART;
        kernels->pack(out, x, ldx, i);
    }
    for (; rows >= 4 && i + 4 <= width; i += 4) {
        for (size_t next = 0; next < rows; next += 4) {
            size_t r = next + 4 <= rows ? next : rows - 4; // the last rows; some are written twice
            transpose_4x4(out + i * rows + r, rows, x + r * ldx + i, ldx);
        }
    }
    for (; i < width; i++)
        for (size_t r = 0; r < rows; r++)
            out[i * rows + r] = x[r * ldx + i];
}

enum { AHEAD_BYTES = 2048, TILE_COLUMNS = GEMM_PARTS_MAX * GEMM_PART };

static int ceiling(int a, int b)
{
    return (a - 1) / b + 1;
}

/* Returns the offset of a block's packed rows for the slice from k on. */
static size_t packed_at(const struct chunk *chunk, int block, int k)
{
    size_t width = (size_t)int_min(chunk->slice, chunk->weight->k - k);
    return (size_t)chunk->rows * (size_t)k + (size_t)block * (size_t)chunk->block_rows * width;
}

static int rows_of_block(const struct chunk *chunk, int block)
{
    return int_min(chunk->block_rows, chunk->rows - block * chunk->block_rows);
}

/* Returns the part of the weight that a strip begins with. If the last of several three-part strips
 * would have one part, the last two strips have two each. */
static int strip_at(const struct chunk *chunk, int strip)
{
    const int least = int_min(chunk->strip_parts, 2);
    return chunk->part +
           int_min(chunk->strip_parts * strip, chunk->parts - least * (chunk->strips - strip));
}

int chunk_pieces(const struct chunk *chunk)
{
    if (chunk->direct || chunk->packed != chunk->packing)
        return 0;
    return chunk->blocks * ceiling(chunk->weight->k, chunk->slice);
}

void chunk_pack(const struct chunk *chunk, int piece)
{
    int slices = ceiling(chunk->weight->k, chunk->slice);
    int block = piece / slices;
    int k = piece % slices * chunk->slice;
    size_t ldx = (size_t)chunk->args->ldx;
    const float *x = chunk->x + (size_t)block * (size_t)chunk->block_rows * ldx + k;
    gemm_pack_block(chunk->device->gemm, chunk->packing + packed_at(chunk, block, k), x, ldx,
                    (size_t)rows_of_block(chunk, block),
                    (size_t)int_min(chunk->slice, chunk->weight->k - k));
}

typedef void activate(float *x, size_t n); // in place

/* Returns NULL if there is no activation or the tiles compute it (relu). */
static activate *activate_of(const struct chunk *chunk)
{
    const struct kernels *kernels = chunk->device->kernels;
    activate *const all[ACTIVATION_COUNT] = {[ACTIVATION_GELU] = kernels->gelu,
                                             [ACTIVATION_SWISH] = kernels->swish,
                                             [ACTIVATION_GELU_TANH] = kernels->gelu_tanh,
                                             [ACTIVATION_GELU_SIGMOID] = kernels->gelu_sigmoid,
                                             [ACTIVATION_TANH] = kernels->tanh,
                                             [ACTIVATION_SIGMOID] = kernels->sigmoid};
    return all[chunk->args->activation];
}

void chunk_finish(const struct chunk *chunk, float *y, int row, int column, int columns)
{
    activate *const run = activate_of(chunk);
    if (run)
        run(y, (size_t)columns);
    if (chunk->factor)
        chunk->device->kernels->multiply(
            y, chunk->factor + (size_t)row * (size_t)chunk->weight->n + column, (size_t)columns);
}

/* Tiles are as wide as their strips, so the last columns of y go through a buffer. */
static void tile_partial(gemm_tile_run *run, const struct gemm_tile *tile, int rows, int columns)
{
    float y[GEMM_ROWS_MAX][TILE_COLUMNS] = {{0}};
    float bias[TILE_COLUMNS] = {0};
    size_t bytes = (size_t)columns * sizeof(float);
    for (int r = 0; r < rows && tile->accumulate; r++)
        memcpy(y[r], tile->y + (size_t)r * tile->ldy, bytes);
    struct gemm_tile whole = *tile;
    whole.y = y[0];
    whole.ldy = TILE_COLUMNS;
    if (tile->bias) {
        memcpy(bias, tile->bias, bytes);
        whole.bias = bias;
    }
    run(&whole);
    for (int r = 0; r < rows; r++)
        memcpy(tile->y + (size_t)r * tile->ldy, y[r], bytes);
}

/* A strip over one slice. */
struct place {
    int strip, k;
};

static const char *weight_at(const struct chunk *chunk, int part, int k)
{
    const struct weight *weight = chunk->weight;
    size_t width = (size_t)weight->width, column = (size_t)part * GEMM_PART % width;
    size_t row = (size_t)part * GEMM_PART / width * (size_t)weight->k + (size_t)k;
    return (const char *)weight->data + (row * width + column) * weight_element(weight->dtype);
}

static size_t panel_bytes(const struct weight *weight)
{
    return (size_t)weight->k * (size_t)weight->width * weight_element(weight->dtype);
}

static void strip_widen(const struct chunk *chunk, struct place place, int parts, float *wide)
{
    const struct weight *weight = chunk->weight;
    gemm_widen *widen = chunk->device->gemm->widen[weight->dtype];
    size_t width = (size_t)int_min(chunk->slice, weight->k - place.k);
    int first = strip_at(chunk, place.strip);
    for (int p = 0; p < parts; p++)
        widen(weight_at(chunk, first + p, place.k), (size_t)weight->width, wide + p * GEMM_PART,
              (size_t)parts * GEMM_PART, width);
}

/* The panels that tiles prefetch, one each: those of the next strip that this one does not share.
 * The next strip may be the first of the next columns. */
struct ahead {
    const char *panel; // the first one
    int panels;
};

static struct ahead ahead_of(const struct chunk *chunk, struct place next)
{
    int begin = strip_at(chunk, next.strip), all = weight_parts(chunk->weight);
    int parts = chunk->weight->width / GEMM_PART;
    int end = next.strip < chunk->strips ? strip_at(chunk, next.strip + 1)
                                         : int_min(begin + chunk->strip_parts, all);
    int first = (begin + parts - 1) / parts, panels = (end + parts - 1) / parts - first;
    if (panels <= 0)
        return (struct ahead){NULL, 0};
    return (struct ahead){weight_at(chunk, parts * first, next.k), panels};
}

static gemm_tile_run *run_of(const struct chunk *chunk, int parts, int rows)
{
    const struct gemm_kernels *kernels = chunk->device->gemm;
    if (chunk->direct)
        return kernels->direct[parts > 2][rows - 1];
    enum dtype dtype = chunk->widened ? DTYPE_F32 : chunk->weight->dtype;
    return parts > 2 ? kernels->strip[rows - 1] : kernels->tile[dtype][rows - 1];
}

/* What the tiles of one strip need of the chunk, close together: the strip and its rows of x and y
 * fill the nearest cache, so each tile would read anything elsewhere from afar. */
struct walk {
    gemm_tile_run *run, *last_run; // last_run: for the last block
    struct ahead ahead;
    size_t ahead_bytes; // of a panel
    size_t a_step, y_step;
    int blocks, rows, last_rows;
    int column, columns;
    bool partial;       // the weight ends within the strip
    activate *activate; // of finished elements; NULL: none, or the tiles do it
    bool multiplies;
};

static struct walk walk_of(const struct chunk *chunk, const struct gemm_tile *tile, int parts,
                           int columns, bool last)
{
    int last_rows = chunk->rows - (chunk->blocks - 1) * chunk->block_rows;
    return (struct walk){.run = run_of(chunk, parts, chunk->block_rows),
                         .last_run = run_of(chunk, parts, last_rows),
                         .ahead_bytes = panel_bytes(chunk->weight),
                         .a_step = (size_t)chunk->block_rows *
                                   (chunk->direct ? tile->lda : (size_t)tile->k),
                         .y_step = chunk->cache ? 0 : (size_t)chunk->block_rows * tile->ldy,
                         .blocks = chunk->blocks,
                         .rows = chunk->block_rows,
                         .last_rows = last_rows,
                         .column = (int)(tile->y - chunk->y) + chunk->part * GEMM_PART,
                         .columns = columns,
                         .partial = columns < parts * GEMM_PART,
                         .activate = last ? activate_of(chunk) : NULL,
                         .multiplies = last && chunk->factor};
}

/* Moves finished rows from `y` to their places. */
static void rows_place(const struct chunk *chunk, const struct walk *walk, const float *y, int row,
                       int rows)
{
    for (int r = 0; r < rows; r++)
        if (chunk->slot[row + r] >= 0)
            memcpy(chunk->cache + (size_t)chunk->slot[row + r] * (size_t)chunk->weight->n +
                       walk->column,
                   y + r * TILE_COLUMNS, (size_t)walk->columns * sizeof *y);
}

static void factor_apply(const struct chunk *chunk, const struct walk *walk,
                         const struct gemm_tile *tile, int row, int rows)
{
    const size_t n = (size_t)chunk->weight->n;
    const float *factor = chunk->factor + (size_t)row * n + walk->column;
    for (int r = 0; r < rows; r++)
        chunk->device->kernels->multiply(tile->y + (size_t)r * tile->ldy, factor + (size_t)r * n,
                                         (size_t)walk->columns);
}

/* Multiplies one block, from row `row` on, by the strip. */
static void block_run(const struct chunk *chunk, const struct walk *walk,
                      const struct gemm_tile *tile, gemm_tile_run *run, int row, int rows)
{
    if (walk->partial)
        tile_partial(run, tile, rows, walk->columns);
    else
        run(tile);
    for (int r = 0; walk->activate && r < rows; r++)
        walk->activate(tile->y + (size_t)r * tile->ldy, (size_t)walk->columns);
    if (walk->multiplies)
        factor_apply(chunk, walk, tile, row, rows);
    if (chunk->cache)
        rows_place(chunk, walk, tile->y, row, rows);
}

static void blocks_run(const struct chunk *chunk, const struct walk *walk, struct gemm_tile tile)
{
    float y[GEMM_ROWS_MAX * TILE_COLUMNS];
    if (chunk->cache) {
        tile.y = y;
        tile.ldy = TILE_COLUMNS;
    }
    for (int block = 0; block < walk->blocks; block++) {
        bool last = block == walk->blocks - 1;
        tile.ahead = block < walk->ahead.panels
                         ? walk->ahead.panel + (size_t)block * walk->ahead_bytes
                         : NULL;
        block_run(chunk, walk, &tile, last ? walk->last_run : walk->run, block * walk->rows,
                  last ? walk->last_rows : walk->rows);
        tile.a += walk->a_step;
        tile.y += walk->y_step;
    }
}

static bool last_slice(const struct chunk *chunk, int k)
{
    return k + chunk->slice >= chunk->weight->k;
}

/* A tile that is alone with its weight reads it from memory, so it prefetches a little ahead. */
static struct gemm_tile tile_of(const struct chunk *chunk, struct place place)
{
    const struct weight *weight = chunk->weight;
    int first = strip_at(chunk, place.strip);
    bool last = last_slice(chunk, place.k);
    return (struct gemm_tile){.y = chunk->y + (first - chunk->part) * GEMM_PART,
                              .a = chunk->direct ? chunk->x + place.k
                                                 : chunk->packed + packed_at(chunk, 0, place.k),
                              .lda = (size_t)chunk->args->ldx,
                              .b = weight_at(chunk, first, place.k),
                              .ahead = weight_at(chunk, first, place.k) + AHEAD_BYTES,
                              .ahead_step = (size_t)weight->width * weight_element(weight->dtype),
                              .ldy = chunk->ldy,
                              .k = int_min(chunk->slice, weight->k - place.k),
                              .bias = last && chunk->bias ? chunk->bias + first * GEMM_PART : NULL,
                              .accumulate = place.k > 0 || chunk->args->accumulate,
                              .relu = last && chunk->args->activation == ACTIVATION_RELU};
}

/* Multiplies all blocks of the chunk by one strip, over one slice. */
static void strip_run(const struct chunk *chunk, struct place place, struct place next)
{
    _Alignas(GEMM_LINE) float wide[GEMM_STRIP_MAX];
    int first = strip_at(chunk, place.strip), parts = strip_at(chunk, place.strip + 1) - first;
    int columns = int_min(parts * GEMM_PART, chunk->weight->n - first * GEMM_PART);
    struct gemm_tile tile = tile_of(chunk, place);
    struct walk walk = walk_of(chunk, &tile, parts, columns, last_slice(chunk, place.k));
    walk.ahead = ahead_of(chunk, next);
    if (chunk->widened) {
        strip_widen(chunk, place, parts, wide);
        tile.b = wide;
    }
    blocks_run(chunk, &walk, tile);
}

/* Multiplies a single block by some panels. Finding a tile's operands would take almost as long as
 * the tile itself, so the operands advance from panel to panel. */
static void panels_run(const struct chunk *chunk, int begin, int end)
{
    const size_t bytes = panel_bytes(chunk->weight);
    const int width = chunk->weight->width;
    float y[GEMM_ROWS_MAX * TILE_COLUMNS];
    struct gemm_tile tile = tile_of(chunk, (struct place){begin, 0});
    struct walk walk = walk_of(chunk, &tile, width / GEMM_PART, width, true);
    if (chunk->cache) {
        tile.y = y;
        tile.ldy = TILE_COLUMNS;
    }
    for (int panel = begin; panel < end && !cancelled(chunk->device); panel++) {
        walk.columns = int_min(width, chunk->weight->n - walk.column);
        walk.partial = walk.columns < width;
        block_run(chunk, &walk, &tile, walk.run, 0, chunk->rows);
        walk.column += width;
        tile.b = (const char *)tile.b + bytes;
        tile.ahead += bytes;
        tile.bias += tile.bias ? width : 0;
        tile.y += chunk->cache ? 0 : width;
    }
}

void chunk_run(const struct chunk *chunk, int begin, int end)
{
    if (chunk->blocks == 1) {
        panels_run(chunk, begin, end);
        return;
    }
    for (struct place place = {begin, 0}, next; place.k < chunk->weight->k; place = next) {
        if (cancelled(chunk->device))
            return;
        next = (struct place){place.strip + 1, place.k};
        if (next.strip == end && place.k + chunk->slice < chunk->weight->k)
            next = (struct place){begin, place.k + chunk->slice};
        strip_run(chunk, place, next);
        if (next.strip == end)
            return;
    }
}

struct chunk chunk_of(const struct device *device, const struct linear_args *args, float *packing,
                      int row, int rows, struct cut cut)
{
    struct chunk chunk = {.device = device, .args = args, .weight = args->weight};
    chunk.x = tensor_floats(args->x) + (size_t)row * (size_t)args->ldx;
    chunk.bias = tensor_floats(args->bias);
    if (tensor_present(args->factor))
        chunk.factor = tensor_floats(args->factor) + (size_t)row * (size_t)chunk.weight->n;
    chunk.packed = rows == 1 ? chunk.x : packing; // for K = 1, x is in packed order already
    chunk.packing = packing;
    chunk.rows = rows;
    chunk.block_rows = ceiling(rows, ceiling(rows, cut.rows));
    chunk.blocks = ceiling(rows, chunk.block_rows);
    chunk.slice = chunk.blocks == 1 ? chunk.weight->k : device->gemm->slice;
    chunk.widened =
        chunk.blocks > 1 && chunk.weight->dtype != DTYPE_F32 && !weight_is_integer(chunk.weight);
    chunk.strip_parts =
        chunk.widened || weight_is_integer(chunk.weight) ? cut.parts : device->gemm->panel_parts;
    chunk.direct = chunk.widened && cut.direct;
    if (args->cached && tensor_present(args->cache) && !weight_is_integer(chunk.weight) &&
        chunk.weight->k <= device->gemm->slice && !args->accumulate) {
        chunk.cache = tensor_floats(args->cache);
        chunk.slot = tensor_ints(args->slot) + row;
    }
    chunk_columns(&chunk, 0, weight_parts(chunk.weight));
    return chunk;
}

void chunk_columns(struct chunk *chunk, int part, int parts)
{
    chunk->part = part;
    chunk->parts = int_min(parts, weight_parts(chunk->weight) - part);
    chunk->strips = ceiling(chunk->parts, chunk->strip_parts);
}
