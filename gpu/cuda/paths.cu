/* Operations in which a row continues the previous one on its path: words, prefix_mean, recurrence.
 *
 * The previous row may be from an earlier step, or from the same call (a forced pass has whole
 * hypotheses). A kernel finds for every row the row of this call that it continues, `before`. Then
 * rows are independent: each goes back along its chain to what an earlier step has stored. */
#include "gpu/cuda/ops.cuh"

enum { NONE = -1 };
enum { BLOCK_BEFORE = block_size(64), BLOCK_PATHS = block_size(128) };

struct path_params {
    const int32_t *lane, *pos, *slot, *path;
    int rows, positions;
    int32_t *before; // (M) scratch
};

/* Returns the slot of the position before row m's; m must not be idle or at position 0. */
static __device__ __forceinline__ int slot_before(const struct path_params &p, int m)
{
    return p.path[(size_t)p.lane[m] * p.positions + p.pos[m] - 1];
}

/* One block per row. Rows that are idle or at position 0 continue none. */
template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) before_kernel(struct path_params p)
{
    grid_wait();
    SHARED(int32_t, found, 1);
    const int m = (int)blockIdx.x;
    if (threadIdx.x == 0)
        found[0] = NONE;
    __syncthreads();
    if (p.lane[m] >= 0 && p.pos[m] > 0) {
        const int wanted = slot_before(p, m);
        for (int other = (int)threadIdx.x; other < m; other += BLOCK)
            if (p.slot[other] == wanted)
                atomicMax(found, other); // if there are several, the last one, whose result is kept
    }
    __syncthreads();
    if (threadIdx.x == 0)
        p.before[m] = found[0];
}

/* Returns false and records the failure if there are more rows than fit into the scratch memory. */
static bool find_before(struct device *device, const struct row_args *rows,
                        struct path_params *params)
{
    *params = {tensor_ints(rows->lane),
               tensor_ints(rows->pos),
               tensor_ints(rows->slot),
               tensor_ints(rows->path),
               rows->rows,
               rows->positions,
               (int32_t *)device->scratch};
    if ((size_t)rows->rows > SCRATCH_BYTES / sizeof(int32_t)) {
        device_fail(device, STATUS_MEMORY, "%d rows are too many", rows->rows);
        return false;
    }
    START(device, before_kernel<BLOCK_BEFORE>, rows->rows, BLOCK_BEFORE, *params);
    return true;
}

struct prefix_params {
    struct path_params path;
    float *y, *sums;
    const float *x;
    int ldy, ldx, columns;
};

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) prefix_mean_kernel(struct prefix_params p)
{
    grid_wait();
    const int blocks = quotient_up(p.columns, BLOCK), m = (int)blockIdx.x / blocks;
    const int c = (int)blockIdx.x % blocks * BLOCK + (int)threadIdx.x;
    if (c >= p.columns || p.path.lane[m] < 0)
        return;
    int row = m;
    float sum = p.x[(size_t)m * p.ldx + c];
    while (p.path.before[row] != NONE) {
        row = p.path.before[row];
        sum += p.x[(size_t)row * p.ldx + c];
    }
    if (p.path.pos[row] > 0)
        sum += p.sums[(size_t)slot_before(p.path, row) * p.columns + c];
    p.sums[(size_t)p.path.slot[m] * p.columns + c] = sum;
    p.y[(size_t)m * p.ldy + c] = sum / (float)(p.path.pos[m] + 1);
}

void cuda_prefix_mean(struct device *device, const struct prefix_mean_args *args)
{
    struct prefix_params params = {{},
                                   tensor_floats(args->y),
                                   tensor_floats(args->sums),
                                   tensor_floats(args->x),
                                   args->ldy,
                                   args->ldx,
                                   args->columns};
    if (!device_ready(device) || args->rows.rows <= 0 ||
        !find_before(device, &args->rows, &params.path))
        return;
    START(device, prefix_mean_kernel<BLOCK_PATHS>,
          args->rows.rows * quotient_up(args->columns, BLOCK_PATHS), BLOCK_PATHS, params);
}

struct recurrence_params {
    struct path_params path;
    float *y, *states;
    const float *x, *f;
    int columns;
};

/* The state is a sum over the rows of the path, each weighted by the product of the later forget
 * gates. */
template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) recurrence_kernel(struct recurrence_params p)
{
    grid_wait();
    const int blocks = quotient_up(p.columns, BLOCK), m = (int)blockIdx.x / blocks;
    const int c = (int)blockIdx.x % blocks * BLOCK + (int)threadIdx.x;
    if (c >= p.columns || p.path.lane[m] < 0)
        return;
    int row = m;
    float kept = 1, state = 0;
    for (int at = m; at != NONE; at = p.path.before[at]) {
        const float f = p.f[(size_t)at * p.columns + c];
        state += kept * ((1 - f) * p.x[(size_t)at * p.columns + c]);
        kept *= f;
        row = at;
    }
    if (p.path.pos[row] > 0)
        state += kept * p.states[(size_t)slot_before(p.path, row) * p.columns + c];
    p.states[(size_t)p.path.slot[m] * p.columns + c] = state;
    p.y[(size_t)m * p.columns + c] = state <= 0 ? 0 : state; // NaN stays NaN
}

void cuda_recurrence(struct device *device, const struct recurrence_args *args)
{
    struct recurrence_params params = {{},
                                       tensor_floats(args->y),
                                       tensor_floats(args->states),
                                       tensor_floats(args->x),
                                       tensor_floats(args->f),
                                       args->columns};
    if (!device_ready(device) || args->rows.rows <= 0 ||
        !find_before(device, &args->rows, &params.path))
        return;
    START(device, recurrence_kernel<BLOCK_PATHS>,
          args->rows.rows * quotient_up(args->columns, BLOCK_PATHS), BLOCK_PATHS, params);
}

struct word_params {
    struct path_params path;
    const int32_t *ids;
    const uint8_t *classes;
    int32_t *token, *word, *row_word;
    int starts;
};

/* True if row m, which is not at position 0, begins a word; `last` is the token before it. */
static __device__ __forceinline__ bool word_begins(const struct word_params &p, int m, int last)
{
    if (p.path.pos[m] <= p.starts)
        return true;
    const unsigned before = p.classes[last], own = p.classes[p.ids[m]];
    const bool parted = own & CLASS_APART || (own >> CLASS_FIRST_SCRIPT & CLASS_SCRIPT) !=
                                                 (before >> CLASS_LAST_SCRIPT & CLASS_SCRIPT);
    return !(before & CLASS_JOINS) && (own & CLASS_BEGINS || before & CLASS_ENDS || parted);
}

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) words_kernel(struct word_params p)
{
    grid_wait();
    const int m = (int)blockIdx.x * BLOCK + (int)threadIdx.x;
    if (m >= p.path.rows)
        return;
    if (p.path.lane[m] < 0) {
        p.row_word[m] = 0;
        return;
    }
    int row = m, number = 0;
    for (int before = p.path.before[row]; before != NONE; before = p.path.before[row]) {
        number += word_begins(p, row, p.ids[before]);
        row = before;
    }
    if (p.path.pos[row] > 0) {
        const int slot = slot_before(p.path, row);
        number += p.word[slot] + word_begins(p, row, p.token[slot]);
    }
    p.token[p.path.slot[m]] = p.ids[m];
    p.word[p.path.slot[m]] = number;
    p.row_word[m] = number;
}

void cuda_words(struct device *device, const struct word_args *args)
{
    struct word_params params = {{},
                                 tensor_ints(args->ids),
                                 (const uint8_t *)tensor_bytes(args->classes),
                                 tensor_ints(args->token),
                                 tensor_ints(args->word),
                                 tensor_ints(args->row_word),
                                 args->starts};
    if (!device_ready(device) || args->rows.rows <= 0 ||
        !find_before(device, &args->rows, &params.path))
        return;
    START(device, words_kernel<BLOCK_PATHS>, quotient_up(args->rows.rows, BLOCK_PATHS), BLOCK_PATHS,
          params);
}
