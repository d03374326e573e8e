/* A step of beam search for up to FEW_HYPOTHESES of a sentence. Everything ranked or moved stays in
 * registers and in the block's shared memory, and a thread issues its loads together. The results
 * are those of the kernel for any number. */
#include "gpu/cuda/search.cuh"

enum { RANKS = 2 * FEW_HYPOTHESES, OFFERS = FEW_HYPOTHESES * RANKS };

/* A token that may continue a lane. */
struct offer {
    int id;
    float lp;
};

/* A thread's share of them. */
template <int BLOCK> struct offers {
    struct offer own[(OFFERS + BLOCK - 1) / BLOCK];
};

static __device__ __forceinline__ unsigned low_bits(int count)
{
    return count > 0 ? (1u << count) - 1 : 0;
}

/* Ranking ---------------------------------------------------------------------------------------*/

/* Reads them before it is known whether the sentence takes part, because finding that out takes
 * another load. */
template <int BLOCK>
static __device__ __forceinline__ struct offers<BLOCK> read_offers(const struct search_params &p) {
    struct offers<BLOCK> offers;
    const int count = p.width * p.tops;
    const size_t first = (size_t)blockIdx.x * count;
#pragma unroll
    for (int k = 0; k < (OFFERS + BLOCK - 1) / BLOCK; k++) {
        const int i = k * BLOCK + (int)threadIdx.x;
        offers.own[k].id = i < count ? p.top_id[first + i] : -1;
        offers.own[k].lp = i < count ? p.top_lp[first + i] : 0;
    }
    return offers;
}

/* Collects the continuations, or the ends, in one list; returns their number. */
template <int BLOCK>
static __device__ __forceinline__ int
lay_out(const struct search_params &p, const struct group &group,
        const struct offers<BLOCK> &offers, struct continuation *all)
{
    const bool ends = group.last && p.at_limit != LIMIT_OPEN;
    const int count = ends ? p.width : p.width * p.tops;
#pragma unroll
    for (int k = 0; k < (OFFERS + BLOCK - 1) / BLOCK; k++) {
        const int i = k * BLOCK + (int)threadIdx.x;
        const struct offer &own = offers.own[k];
        if (i < count)
            all[i] =
                ends ? end_of(p, group, i) : continuation_of(p, group, i / p.tops, own.id, own.lp);
    }
    return count;
}

/* Fills group.best; returns the number of continuations. The rank of each is the number of those
 * before it. */
template <int BLOCK>
static __device__ __forceinline__ int
rank_offers(const struct search_params &p, const struct group &group,
            const struct offers<BLOCK> &offers, struct continuation *all)
{
    const int wanted = 2 * p.beam, count = lay_out<BLOCK>(p, group, offers, all);
    if ((int)threadIdx.x < RANKS)
        group.best[threadIdx.x] = nothing();
    __syncthreads();
    for (int i = (int)threadIdx.x; i < count; i += BLOCK) {
        const struct continuation own = all[i];
        int rank = 0;
#pragma unroll 8
        for (int other = 0; other < count; other++)
            rank += before(all[other], own);
        if (own.id >= 0 && rank < wanted)
            group.best[rank] = own;
    }
    __syncthreads();
    int ranked = 0;
#pragma unroll
    for (int rank = 0; rank < RANKS; rank++)
        ranked += group.best[rank].id >= 0;
    return ranked;
}

/* Living on -------------------------------------------------------------------------------------*/

/* Returns a bit mask of the first ranks that end their hypotheses. */
static __device__ __forceinline__ unsigned ends_of(const struct search_params &p,
                                                   const struct group &group, int ranks)
{
    const int rank = (int)threadIdx.x % LANES;
    return __ballot_sync(ALL_LANES, rank < ranks && is_end(p, group.best[rank].id));
}

/* Moves the parents' paths and the rest of their records to the lanes of the ranks `alive`. A
 * thread has the same columns of all lanes, so that it has read the parents' before it writes. */
template <int BLOCK>
static __device__ __forceinline__ void
move_columns(const struct search_params &p, const struct group &group, unsigned alive, int living)
{
    const size_t lane = (size_t)group.sentence * p.beam;
    const int known = group.position + 1;
    int parent[FEW_HYPOTHESES], value[FEW_HYPOTHESES];
#pragma unroll
    for (int beam = 0; beam < FEW_HYPOTHESES; beam++, alive &= alive - 1)
        parent[beam] = beam < living ? group.best[__ffs((int)alive) - 1].beam : 0;
    for (int c = (int)threadIdx.x; c < known + LANE_FIELDS - LANE_BEGIN; c += BLOCK) {
        const int field = c - known + LANE_BEGIN, ld = c < known ? p.positions : (int)LANE_FIELDS;
        int32_t *column =
            c < known ? p.path + lane * p.positions + c : p.lane + lane * LANE_FIELDS + field;
#pragma unroll
        for (int beam = 0; beam < FEW_HYPOTHESES; beam++)
            if (beam < living)
                value[beam] = column[(size_t)parent[beam] * ld];
#pragma unroll
        for (int beam = 0; beam < FEW_HYPOTHESES; beam++)
            if (beam < living)
                column[(size_t)beam * ld] = value[beam];
    }
}

template <int BLOCK>
static __device__ __forceinline__ void go_on(const struct search_params &p,
                                             const struct group &group, int ranked)
{
    const int ranks = living_ranks(p, group, ranked), rank = (int)threadIdx.x;
    const unsigned ends = ends_of(p, group, ranks), alive = low_bits(ranks) & ~ends;
    const int living = min(__popc(alive), p.beam);
    int count = group.count;
#pragma unroll 1
    for (unsigned left = ends & low_bits(ending_ranks(p, group)); left; left &= left - 1)
        count = finish_one<BLOCK>(p, group, count, group.best[__ffs((int)left) - 1]);
    if (ends)
        __syncthreads(); // the parents' fields have been read, and the finished hypotheses written
    move_columns<BLOCK>(p, group, alive, living);
    const int beam = __popc(alive & low_bits(min(rank, (int)RANKS)));
    if (rank < ranks && alive >> rank & 1 && beam < p.beam)
        add_token(p, group, (size_t)group.sentence * p.beam + beam, group.best[rank]);
    const float best = living ? group.best[__ffs((int)alive) - 1].score : 0;
    end_group<BLOCK>(p, group, living, count, is_done(p, group, living, count, best));
}

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK) advance_few_kernel(struct search_params p)
{
    grid_wait();
    SHARED(struct continuation, all, OFFERS);
    SHARED(struct continuation, best, RANKS);
    struct group group;
    const struct offers<BLOCK> offers = read_offers<BLOCK>(p);
    if (!begin_group(p, &group))
        return;
    group.best = best;
    const int ranked = rank_offers<BLOCK>(p, group, offers, all);
    // Whatever other threads read of this state was read before their last barrier.
    if (group.last)
        end_all<BLOCK>(p, group, ranked);
    else
        go_on<BLOCK>(p, group, ranked);
}

void advance_few_start(struct device *device, const struct search_params &params, int groups)
{
    enum { BLOCK = block_size(64) };
    START(device, advance_few_kernel<BLOCK>, groups, BLOCK, params);
}
