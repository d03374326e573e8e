/* Log-probabilities and the best of them, in one pass over the logits.
 *
 * A row is cut into slices, one for each block, which finds the slice's maximum, the sum of its
 * exponentials, and its best logits, one more than are wanted. Then one block for each row joins
 * them: normaliser, log-probabilities of the candidates, and their ranking.
 * Slices rank logits, but the final order is by log-probability, and different logits may have the
 * same one: a token that a slice left out could still belong in the ranking because of its lower
 * id. This can only happen if the best logit left out does not rank behind the last one kept, which
 * is rare; then the row is ranked from all its logits. */
#include "gpu/cuda/lanes.cuh"
#include "gpu/cuda/late.cuh"
#include "gpu/cuda/ops.cuh"

enum { BLOCK_SLICE = block_size(256), ITEMS = 8, SLICE = BLOCK_SLICE * ITEMS };
enum { BLOCK_JOIN = block_size(256), BLOCK_ALL = block_size(256) };

/* As many rows as have their logits in the second-level cache of a large GPU: 32 MB of them with
 * 32,000 tokens. */
enum { LOGIT_PART = 256 };

struct slice_sum {
    float highest, total; // total of exp(logit - reference(highest))
};

struct logprob_params {
    const float *logits;
    const float *bias;       // of the logits, not yet added; NULL for absent
    const uint8_t *excluded; // NULL for absent
    int32_t *top_id;
    float *top_lp;
    const int32_t *target; // NULL for absent
    float *target_lp;
    float *all; // NULL for absent
    int vocabulary, tops, slices;
    /* Scratch memory, by rows. */
    double *normaliser;
    key64 *candidates;      // (slices, tops + 1), best first; 0: none
    struct slice_sum *sums; // (slices)
};

/* Keys define the order of the ranking: greater values first, then lower ids. 0 is less than every
 * key. */

static __device__ __forceinline__ key64 key_of(float value, int id)
{
    const unsigned bits = __float_as_uint(value + 0.0f); // no negative zero
    const unsigned order = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (key64)order << 32 | (unsigned)~id;
}

static __device__ __forceinline__ float key_value(key64 key)
{
    const unsigned order = (unsigned)(key >> 32);
    return __uint_as_float(order & 0x80000000u ? order & 0x7FFFFFFFu : ~order);
}

static __device__ __forceinline__ int key_id(key64 key)
{
    return (int)~(unsigned)key;
}

/* Returns 0 for impossible tokens, -inf and NaN. */
static __device__ __forceinline__ key64 rank_key(float value, int id)
{
    return value > -INFINITY ? key_of(value, id) : 0;
}

static __device__ __forceinline__ float logit_of(const struct logprob_params &p, int row, int id)
{
    const float logit = p.logits[(size_t)row * p.vocabulary + id];
    return p.bias ? logit + p.bias[id] : logit;
}

static __device__ __forceinline__ bool token_excluded(const struct logprob_params &p, int id)
{
    return p.excluded && p.excluded[id];
}

/* Returns the value subtracted from exponents: the highest logit, or 0 if there is none. */
static __device__ __forceinline__ float reference(float highest)
{
    return highest == -INFINITY ? 0 : highest;
}

/* Slices ----------------------------------------------------------------------------------------*/

template <int BLOCK>
static __device__ __forceinline__ struct slice_sum sum_slice(const float *x, int count,
                                                             float *shared)
{
    float highest = -INFINITY, total = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        highest = fmaxf(highest, x[i]);
    highest = block_max<BLOCK>(highest, shared);
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        if ((int)threadIdx.x + i * BLOCK < count)
            total += expf(x[i] - reference(highest));
    return {highest, block_sum<BLOCK>(total, shared)};
}

/* Writes the best `wanted` of the block's keys, in order. */
template <int BLOCK>
static __device__ __forceinline__ void rank_slice(const key64 *keys, int wanted, key64 *out,
                                                  key64 *shared)
{
    key64 best = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; i++)
        best = keys[i] > best ? keys[i] : best;
    struct contest contest = contest_begin(best, shared);
    for (int rank = 0; rank < wanted; rank++) {
        const key64 winner = contest_winner<BLOCK>(&contest);
        if (threadIdx.x == 0)
            out[rank] = winner;
        if (winner == 0 || winner != contest.own)
            continue;
        if (winner == best) {
            best = 0;
#pragma unroll
            for (int i = 0; i < ITEMS; i++)
                best = keys[i] < winner && keys[i] > best ? keys[i] : best;
        }
        contest_next(&contest, best);
    }
}

/* A thread's values of a slice; all are loaded before any is used. */
struct slice_items {
    float logit[ITEMS], bias[ITEMS];
    bool excluded[ITEMS];
};

template <int BLOCK>
static __device__ __forceinline__ void load_slice(const struct logprob_params &p, int row,
                                                  int begin, int count, struct slice_items *items)
{
    const float *logits = p.logits + (size_t)row * p.vocabulary;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int at = (int)threadIdx.x + i * BLOCK, id = begin + at;
        items->logit[i] = at < count ? logits[id] : -INFINITY;
        items->bias[i] = p.bias && at < count ? p.bias[id] : 0;
        items->excluded[i] = p.excluded && at < count && p.excluded[id];
    }
}

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK, 1024 / BLOCK) slice_kernel(struct logprob_params p)
{
    grid_wait();
    SHARED(float, shared, BLOCK / LANES);
    SHARED(key64, shared_keys, 2 * (BLOCK / LANES));
    const int begin = (int)blockIdx.x % p.slices * BLOCK * ITEMS;
    const int row = (int)blockIdx.x / p.slices;
    const int count = min(p.vocabulary - begin, BLOCK * ITEMS);
    struct slice_items items;
    float x[ITEMS];
    key64 keys[ITEMS];
    load_slice<BLOCK>(p, row, begin, count, &items);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int id = begin + (int)threadIdx.x + i * BLOCK;
        x[i] = p.bias ? items.logit[i] + items.bias[i] : items.logit[i];
        keys[i] = items.excluded[i] ? 0 : rank_key(x[i], id);
    }
    const struct slice_sum sum = sum_slice<BLOCK>(x, count, shared);
    if (threadIdx.x == 0)
        p.sums[blockIdx.x] = sum;
    if (p.tops > 0)
        rank_slice<BLOCK>(keys, p.tops + 1, p.candidates + (size_t)blockIdx.x * (p.tops + 1),
                          shared_keys);
}

/* Rows ------------------------------------------------------------------------------------------*/

static __device__ __forceinline__ float log_probability(float logit, double normaliser)
{
    return (float)((double)logit - normaliser);
}

/* What a thread needs first of the slices' results; all is loaded before any is used. */
enum { KEPT = 4 };
struct found {
    struct slice_sum sum; // of slice threadIdx.x
    key64 left;           // the best key that the slice left out; 0: none
    key64 keys[KEPT];     // candidates threadIdx.x, threadIdx.x + BLOCK, …; 0: none
};

/* Returns candidate c of a row's keys (slices, tops + 1); the last key of each slice is not a
 * candidate. */
static __device__ __forceinline__ key64 candidate(const key64 *keys, int tops, int c)
{
    return keys[c + c / tops];
}

template <int BLOCK>
static __device__ __forceinline__ struct found load_found(const struct logprob_params &p, int row)
{
    const size_t first = (size_t)row * p.slices;
    const key64 *keys = p.candidates + first * (p.tops + 1);
    const int s = (int)threadIdx.x;
    struct found found = {{-INFINITY, 0}, 0, {}};
    if (s < p.slices)
        found.sum = p.sums[first + s];
    if (s < p.slices && p.tops > 0)
        found.left = keys[(size_t)s * (p.tops + 1) + p.tops];
#pragma unroll
    for (int i = 0; i < KEPT; i++)
        if (s + i * BLOCK < p.slices * p.tops)
            found.keys[i] = candidate(keys, p.tops, s + i * BLOCK);
    return found;
}

/* If a slice has no highest logit, its total is 0 or NaN. */
static __device__ __forceinline__ double share_of(const struct slice_sum &sum, float highest)
{
    return sum.total *
           (sum.highest == -INFINITY ? 1 : exp((double)sum.highest - reference(highest)));
}

template <int BLOCK>
static __device__ __forceinline__ double join_sums(const struct logprob_params &p, int row,
                                                   const struct slice_sum &own, float *shared,
                                                   double *shared_wide)
{
    const struct slice_sum *sums = p.sums + (size_t)row * p.slices;
    float highest = own.highest;
#pragma unroll 1
    for (int s = BLOCK + (int)threadIdx.x; s < p.slices; s += BLOCK)
        highest = fmaxf(highest, sums[s].highest);
    highest = block_max<BLOCK>(highest, shared);
    double total = share_of(own, highest);
#pragma unroll 1
    for (int s = BLOCK + (int)threadIdx.x; s < p.slices; s += BLOCK)
        total += share_of(sums[s], highest);
    return highest + log(block_sum<BLOCK>(total, shared_wide));
}

/* Converts a logit's key to that of its log-probability; 0 stays 0. */
static __device__ __forceinline__ key64 probability_key(key64 logit, double normaliser)
{
    return logit ? rank_key(log_probability(key_value(logit), normaliser), key_id(logit)) : 0;
}

/* A thread's share of the slices' results. */
struct from_candidates {
    const key64 *keys; // (slices, tops + 1)
    int slices, tops;
    double normaliser;
    key64 kept[KEPT]; // keys of the log-probabilities of the first candidates

    template <int BLOCK> __device__ __forceinline__ key64 best_below(key64 limit) const
    {
        key64 best = 0;
#pragma unroll
        for (int i = 0; i < KEPT; i++)
            best = kept[i] < limit && kept[i] > best ? kept[i] : best;
#pragma unroll 1
        for (int c = KEPT * BLOCK + (int)threadIdx.x; c < slices * tops; c += BLOCK) {
            const key64 key = probability_key(candidate(keys, tops, c), normaliser);
            best = key < limit && key > best ? key : best;
        }
        return best;
    }
};

/* A thread's share of a row of logits. */
struct from_logits {
    const struct logprob_params *p;
    int row;
    double normaliser;

    template <int BLOCK> __device__ __forceinline__ key64 best_below(key64 limit) const
    {
        key64 best = 0;
        for (int id = (int)threadIdx.x; id < p->vocabulary; id += BLOCK) {
            const key64 key = rank_key(log_probability(logit_of(*p, row, id), normaliser), id);
            if (key < limit && key > best && !token_excluded(*p, id))
                best = key;
        }
        return best;
    }
};

/* Writes the ranking of a row. Returns the key of the last rank, 0 if there are fewer than
 * wanted. */
template <int BLOCK, class Source>
static __device__ __forceinline__ key64 rank_row(const struct logprob_params &p, int row,
                                                 const Source &source, key64 *shared)
{
    key64 best = source.template best_below<BLOCK>(~0ull), winner = 0;
    struct contest contest = contest_begin(best, shared);
    for (int rank = 0; rank < p.tops; rank++) {
        winner = contest_winner<BLOCK>(&contest);
        if (threadIdx.x == 0) {
            const size_t at = (size_t)row * p.tops + rank;
            p.top_id[at] = winner ? key_id(winner) : -1;
            p.top_lp[at] = winner ? key_value(winner) : -INFINITY;
        }
        if (winner == 0 || winner != contest.own)
            continue;
        if (winner == best)
            best = source.template best_below<BLOCK>(winner);
        contest_next(&contest, best);
    }
    return winner;
}

/* Returns the best log-probability that a slice left out, as a key without an id. */
template <int BLOCK>
static __device__ __forceinline__ key64 best_left_out(const struct from_candidates &source,
                                                      key64 own, key64 *shared)
{
#pragma unroll 1
    for (int s = BLOCK + (int)threadIdx.x; s < source.slices; s += BLOCK)
        own = join_max::join(own, source.keys[(size_t)s * (source.tops + 1) + source.tops]);
    const float lp = own ? log_probability(key_value(own), source.normaliser) : -INFINITY;
    return block_max<BLOCK>(rank_key(lp, 0), shared);
}

/* Ranks a row from the slices' results or, if they cannot decide, from its logits. */
template <int BLOCK>
static __device__ __forceinline__ void rank_found(const struct logprob_params &p, int row,
                                                  double normaliser, const struct found &found,
                                                  key64 *shared)
{
    struct from_candidates source = {
        p.candidates + (size_t)row * p.slices * (p.tops + 1), p.slices, p.tops, normaliser, {}};
#pragma unroll
    for (int i = 0; i < KEPT; i++)
        source.kept[i] = probability_key(found.keys[i], normaliser);
    const key64 last = rank_row<BLOCK>(p, row, source, shared);
    const key64 left = best_left_out<BLOCK>(source, found.left, shared);
    if (left != 0 && left >> 32 >= last >> 32)
        rank_row<BLOCK>(p, row, from_logits{&p, row, normaliser}, shared);
}

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK, 1024 / BLOCK) join_kernel(struct logprob_params p)
{
    grid_wait();
    SHARED(float, shared, BLOCK / LANES);
    SHARED(double, shared_wide, BLOCK / LANES);
    SHARED(key64, shared_keys, 2 * (BLOCK / LANES));
    const int row = (int)blockIdx.x;
    const struct found found = load_found<BLOCK>(p, row);
    const int target = p.target ? p.target[row] : -1;
    const double normaliser = join_sums<BLOCK>(p, row, found.sum, shared, shared_wide);
    const float logit = target >= 0 ? logit_of(p, row, target) : 0;
    if (p.tops > 0)
        rank_found<BLOCK>(p, row, normaliser, found, shared_keys);
    if (threadIdx.x != 0)
        return;
    p.normaliser[row] = normaliser;
    if (p.target)
        p.target_lp[row] = target < 0 ? 0 : log_probability(logit, normaliser);
}

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) all_kernel(struct logprob_params p)
{
    grid_wait();
    const int blocks = quotient_up(p.vocabulary, BLOCK), row = (int)blockIdx.x / blocks;
    const int id = (int)blockIdx.x % blocks * BLOCK + (int)threadIdx.x;
    const size_t at = (size_t)row * p.vocabulary + id;
    if (id < p.vocabulary)
        p.all[at] = log_probability(p.logits[at], p.normaliser[row]);
}

/* Starting them ---------------------------------------------------------------------------------*/

static void run_rows(struct device *device, const struct logprob_params &p, int rows)
{
    START(device, slice_kernel<BLOCK_SLICE>, rows * p.slices, BLOCK_SLICE, p);
    START(device, join_kernel<BLOCK_JOIN>, rows, BLOCK_JOIN, p);
    if (p.all)
        START(device, all_kernel<BLOCK_ALL>, rows * quotient_up(p.vocabulary, BLOCK_ALL), BLOCK_ALL,
              p);
}

/* Returns the parameters for the rows from `first` on. */
static struct logprob_params params_from(const struct logprob_params &params, int first)
{
    struct logprob_params p = params;
    p.logits += (size_t)first * p.vocabulary;
    if (p.all)
        p.all += (size_t)first * p.vocabulary;
    if (p.target) {
        p.target += first;
        p.target_lp += first;
    }
    if (p.tops > 0) {
        p.top_id += (size_t)first * p.tops;
        p.top_lp += (size_t)first * p.tops;
    }
    return p;
}

/* Divides the scratch memory; returns the number of rows that it suffices for. */
static int take_scratch(struct device *device, struct logprob_params *p)
{
    const size_t slices = (size_t)p->slices, keys = slices * (size_t)(p->tops + 1);
    const size_t row = sizeof *p->normaliser + keys * sizeof(key64) + slices * sizeof *p->sums;
    const size_t rows = SCRATCH_BYTES / row;
    p->normaliser = (double *)device->scratch;
    p->candidates = (key64 *)(p->normaliser + rows);
    p->sums = (struct slice_sum *)(p->candidates + rows * keys);
    return (int)rows;
}

static void logprob_of_rows(struct device *device, const struct logprob_args *args)
{
    struct logprob_params params = {};
    // A deferred norm is started later, by the product.
    if (args->rows <= 0 || (!args->product.weight && !device_ready(device)))
        return;
    params.logits = tensor_floats(args->logits);
    if (args->product.weight) {
        cuda_linear(device, &args->product, 1);
        // Everything else that is read must be complete.
        if (!args->all.buffer)
            params.bias = late_bias_take(device, params.logits, args->vocabulary, args->rows);
        late_run(device);
    }
    if (args->search && args->search->min_length > 0)
        cuda_bar_ends(device, args);
    params.excluded = (const uint8_t *)tensor_bytes(args->excluded);
    params.top_id = tensor_ints(args->top_id);
    params.top_lp = tensor_floats(args->top_lp);
    params.target = tensor_ints(args->target);
    params.target_lp = tensor_floats(args->target_lp);
    params.all = tensor_floats(args->all);
    params.vocabulary = args->vocabulary;
    params.tops = args->tops;
    params.slices = quotient_up(args->vocabulary, SLICE);
    const int most = take_scratch(device, &params);
    if (most < 1)
        device_fail(device, STATUS_MEMORY, "the best %d of %d tokens are too many", args->tops,
                    args->vocabulary);
    for (int first = 0; first < args->rows && most > 0; first += most)
        run_rows(device, params_from(params, first),
                 args->rows - first < most ? args->rows - first : most);
}

/* Returns the arguments for `rows` rows from `first` on. Their logits replace those of the rows
 * before. */
static struct logprob_args args_from(const struct logprob_args *args, int first, int rows)
{
    struct logprob_args part = *args;
    const size_t row = (size_t)first, tops = row * (size_t)args->tops;
    part.product.x = tensor_at(args->product.x, row * (size_t)args->product.ldx * sizeof(float));
    part.top_id = tensor_at(args->top_id, tops * sizeof(int32_t));
    part.top_lp = tensor_at(args->top_lp, tops * sizeof(float));
    part.target = tensor_at(args->target, row * sizeof(int32_t));
    part.target_lp = tensor_at(args->target_lp, row * sizeof(float));
    part.row_lane = tensor_at(args->row_lane, row * sizeof(int32_t));
    part.product.rows = part.rows = rows;
    return part;
}

void cuda_logprob(struct device *device, const struct logprob_args *args)
{
    const bool parts = device->shortcuts[SHORTCUT_LOGIT_PARTS] && args->product.weight &&
                       !args->all.buffer && args->rows > LOGIT_PART;
    if (!parts) {
        logprob_of_rows(device, args);
        return;
    }
    for (int first = 0; first < args->rows; first += LOGIT_PART) {
        const int left = args->rows - first;
        const struct logprob_args part =
            args_from(args, first, left < LOGIT_PART ? left : (int)LOGIT_PART);
        logprob_of_rows(device, &part);
    }
}
