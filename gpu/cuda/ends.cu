/* Excludes ends of hypotheses that must not have a probability yet (search_state.renormalize). */
#include "gpu/cuda/late.cuh"
#include "gpu/cuda/ops.cuh"

enum { BLOCK_BAR = block_size(64) };

/* The rows, some of whose hypotheses may not end: see search_bars_ends. */
struct bar_params {
    float *logits;
    const int32_t *row_lane, *lane, *limit;
    int ends[ENDS_MOST], end_count;
    int rows, vocabulary, beam, starts, min_length;
    bool open; // hypotheses at the limit may not end either
};

/* One thread per row. */
template <int BLOCK> static __global__ void __launch_bounds__(BLOCK) bar_kernel(struct bar_params p)
{
    grid_wait();
    const int row = (int)blockIdx.x * BLOCK + (int)threadIdx.x;
    const int lane = row < p.rows ? p.row_lane[row] : -1;
    if (lane < 0)
        return;
    const int position = p.lane[(size_t)lane * LANE_FIELDS + LANE_POS];
    const int limit = p.limit[lane / p.beam], length = position + 2 - p.starts;
    const bool barred = length <= p.min_length && (length < limit || p.open);
    // Index only with constants: otherwise the parameters would be copied to local memory.
#pragma unroll
    for (int i = 0; i < ENDS_MOST; i++)
        if (barred && i < p.end_count)
            p.logits[(size_t)row * p.vocabulary + p.ends[i]] = -INFINITY;
}

void cuda_bar_ends(struct device *device, const struct logprob_args *args)
{
    const struct search_state *search = args->search;
    struct bar_params p = {};
    p.logits = tensor_floats(args->logits);
    p.row_lane = tensor_ints(args->row_lane);
    p.lane = tensor_ints(search->lane);
    p.limit = tensor_ints(search->limit);
    p.end_count = search->end_count;
    for (int i = 0; i < search->end_count; i++)
        p.ends[i] = search->ends[i];
    p.rows = args->rows;
    p.vocabulary = args->vocabulary;
    p.beam = search->beam;
    p.starts = search->starts;
    p.min_length = search->min_length;
    p.open = search->at_limit == LIMIT_OPEN;
    START(device, bar_kernel<BLOCK_BAR>, quotient_up(args->rows, BLOCK_BAR), BLOCK_BAR, p);
}
