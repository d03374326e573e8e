/* One step of beam search: which continuations live on, and which are finished. One block per
 * sentence.
 *
 * All threads of a block make the same decisions, from shared or scratch memory, and divide the
 * ranking and the copying. */
#include "gpu/cuda/search.cuh"

#include "gpu/cuda/copy.cuh"
#include "gpu/cuda/late.cuh"
#include "gpu/cuda/ops.cuh"

/* Ranking ---------------------------------------------------------------------------------------*/

static __device__ __forceinline__ struct continuation
offer_of(const struct search_params &p, const struct group &group, int number)
{
    const size_t at = (size_t)group.first * p.tops + number;
    return continuation_of(p, group, number / p.tops, p.top_id[at], p.top_lp[at]);
}

/* Returns the best continuation of this thread's share that ranks behind `last`. */
template <int BLOCK>
static __device__ __forceinline__ struct continuation best_behind(const struct search_params &p,
                                                                  const struct group &group,
                                                                  const struct continuation &last)
{
    const bool ends = group.last && p.at_limit != LIMIT_OPEN;
    const int count = ends ? p.width : p.width * p.tops;
    struct continuation best = nothing();
    for (int i = (int)threadIdx.x; i < count; i += BLOCK) {
        const struct continuation next = ends ? end_of(p, group, i) : offer_of(p, group, i);
        if (before(next, best) && (last.id < 0 || before(last, next)))
            best = next;
    }
    return best;
}

static __device__ __forceinline__ struct continuation lane_other(const struct continuation &own,
                                                                 int step)
{
    return {lane_other(own.score, step), lane_other(own.lp, step),
            __shfl_xor_sync(ALL_LANES, own.beam, step), __shfl_xor_sync(ALL_LANES, own.id, step)};
}

struct join_before {
    static __device__ __forceinline__ struct continuation join(const struct continuation &a,
                                                               const struct continuation &b)
    {
        return before(b, a) ? b : a;
    }
};

/* Fills group.best; returns the number of continuations. */
template <int BLOCK>
static __device__ __forceinline__ int rank_continuations(const struct search_params &p,
                                                         const struct group &group,
                                                         struct continuation *shared)
{
    struct continuation best = best_behind<BLOCK>(p, group, nothing());
    int count = 0;
    for (; count < 2 * p.beam; count++) {
        const struct continuation winner = block_join<join_before, BLOCK>(best, shared);
        if (winner.id < 0)
            break;
        if (threadIdx.x == 0)
            group.best[count] = winner;
        if (winner.beam == best.beam && winner.id == best.id)
            best = best_behind<BLOCK>(p, group, winner);
    }
    /* In larger blocks the joins have ordered all that is read before the next barrier. In
     * blocks of one warp they are shuffles, which do not order memory. No emulator shows the
     * difference. */
    __syncthreads();
    return count;
}

/* Losing ----------------------------------------------------------------------------------------*/

/* Removes a finished hypothesis by moving the last one to its place. */
template <int BLOCK>
static __device__ __forceinline__ void lose(const struct search_params &p,
                                            const struct group &group, int number, int last)
{
    const size_t first = (size_t)group.sentence * 2 * p.beam;
    const size_t to = first + number, from = first + last;
    __syncthreads(); // all threads must have read what is overwritten
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < p.positions; i += BLOCK) {
        p.finished_token[to * p.positions + i] = p.finished_token[from * p.positions + i];
        p.finished_lp[to * p.positions + i] = p.finished_lp[from * p.positions + i];
    }
    if (threadIdx.x == 0) {
        p.finished_length[to] = p.finished_length[from];
        p.finished_score[to] = p.finished_score[from];
    }
    __syncthreads();
}

/* Removes finished hypotheses that rank below the beam; group->best holds `ranked`
 * continuations. */
template <int BLOCK>
static __device__ __forceinline__ void lose_outranked(const struct search_params &p,
                                                      struct group *group, int ranked)
{
#pragma unroll 1
    while (group->count > 0 && p.beam - group->count < ranked) {
        const int worst = worst_finished(p, *group, group->count);
        const float value = finished_value(p, (size_t)group->sentence * 2 * p.beam + worst);
        if (!(group->best[p.beam - group->count].score > value))
            return;
        lose<BLOCK>(p, *group, worst, --group->count);
    }
}

/* Living on -------------------------------------------------------------------------------------*/

/* Copies the sentence's records and paths to scratch memory, because lanes that are parents of
 * others are about to be overwritten. */
template <int BLOCK>
static __device__ __forceinline__ void copy_parents(const struct search_params &p,
                                                    const struct group &group)
{
    const size_t lane = (size_t)group.sentence * p.beam;
    for (int beam = 0; beam < p.width; beam++)
        for (int i = (int)threadIdx.x; i <= group.position; i += BLOCK)
            group.paths[(size_t)beam * p.positions + i] = p.path[(lane + beam) * p.positions + i];
    for (int i = (int)threadIdx.x; i < p.width * LANE_FIELDS; i += BLOCK)
        group.records[i] = p.lane[lane * LANE_FIELDS + i];
}

/* Writes a continuation to lane `beam` of its sentence. */
template <int BLOCK>
static __device__ __forceinline__ void live_on(const struct search_params &p,
                                               const struct group &group, int beam,
                                               const struct continuation &next)
{
    const size_t lane = (size_t)group.sentence * p.beam + beam;
    int32_t *path = p.path + lane * p.positions;
    for (int i = (int)threadIdx.x; i <= group.position; i += BLOCK)
        path[i] = group.paths[(size_t)next.beam * p.positions + i];
    if (threadIdx.x != 0)
        return;
    int32_t *record = p.lane + lane * LANE_FIELDS;
    for (int field = 0; field < LANE_FIELDS; field++)
        record[field] = group.records[next.beam * LANE_FIELDS + field];
    add_token(p, group, lane, next);
}

template <int BLOCK>
static __device__ __forceinline__ void go_on(const struct search_params &p,
                                             const struct group &group, int ranked)
{
    const int width = ending_ranks(p, group), ranks = living_ranks(p, group, ranked);
    int count = group.count;
    for (int rank = 0; rank < ranks && rank < width; rank++)
        if (is_end(p, group.best[rank].id))
            count = finish_one<BLOCK>(p, group, count, group.best[rank]);
    copy_parents<BLOCK>(p, group);
    __syncthreads(); // the parents' fields have been read, and the finished hypotheses written
    int living = 0;
    float best = 0;
    for (int rank = 0; rank < ranks && living < p.beam; rank++)
        if (!is_end(p, group.best[rank].id)) {
            best = living ? best : group.best[rank].score;
            live_on<BLOCK>(p, group, living++, group.best[rank]);
        }
    end_group<BLOCK>(p, group, living, count, is_done(p, group, living, count, best));
}

template <int BLOCK>
static __global__ void __launch_bounds__(BLOCK, 512 / BLOCK) advance_kernel(struct search_params p)
{
    grid_wait();
    SHARED(struct continuation, shared, BLOCK / LANES);
    const size_t number = blockIdx.x;
    struct group group;
    if (!begin_group(p, &group))
        return;
    group.best = p.best + number * 2 * p.beam;
    group.paths = p.paths + number * p.beam * p.positions;
    group.records = p.records + number * p.beam * LANE_FIELDS;
    const int ranked = rank_continuations<BLOCK>(p, group, shared);
    if (p.endings == ENDINGS_RANKED)
        lose_outranked<BLOCK>(p, &group, ranked);
    // Both branches had a barrier before the first thread writes any of this state.
    if (group.last)
        end_all<BLOCK>(p, group, ranked);
    else
        go_on<BLOCK>(p, group, ranked);
}

/* Starting it -----------------------------------------------------------------------------------*/

/* Divides the scratch memory; returns the number of groups that it suffices for. */
static int take_scratch(struct device *device, struct search_params *p)
{
    const size_t beam = (size_t)p->beam, path = beam * (size_t)p->positions;
    const size_t group = 2 * beam * sizeof *p->best + (path + beam * LANE_FIELDS) * sizeof(int32_t);
    const size_t groups = SCRATCH_BYTES / group;
    p->best = (struct continuation *)device->scratch;
    p->paths = (int32_t *)(p->best + groups * 2 * beam);
    p->records = p->paths + groups * path;
    return groups > INT32_MAX ? INT32_MAX : (int)groups;
}

static struct search_params search_params_of(struct device *device, const struct advance_args *args)
{
    const struct search_state *state = args->state;
    struct search_params p = {};
    p.lanes = state->sentences * state->beam;
    p.beam = state->beam;
    p.positions = state->positions;
    p.starts = state->starts;
    p.eos = state->eos;
    p.min_length = state->min_length;
    p.endings = state->endings;
    p.at_limit = state->at_limit;
    p.end_count = state->end_count;
    for (int i = 0; i < state->end_count; i++)
        p.ends[i] = state->ends[i];
    p.width = args->width;
    p.tops = args->tops;
    p.row_lane = tensor_ints(args->row_lane);
    p.top_id = tensor_ints(args->top_id);
    p.top_lp = tensor_floats(args->top_lp);
    p.eos_lp = tensor_floats(args->eos_lp);
    p.limit = tensor_ints(state->limit);
    if (endings_compared(p.endings))
        p.penalty = tensor_floats(state->penalty);
    p.lane = tensor_ints(state->lane);
    p.path = tensor_ints(state->path);
    p.token = tensor_ints(state->token);
    p.token_lp = tensor_floats(state->token_lp);
    p.score = tensor_floats(state->score);
    p.done = tensor_ints(state->done);
    p.count = tensor_ints(state->count);
    p.finished_length = tensor_ints(state->finished_length);
    p.finished_token = tensor_ints(state->finished_token);
    p.finished_score = tensor_floats(state->finished_score);
    p.finished_lp = tensor_floats(state->finished_lp);
    p.told = staging_told(device, state->done, state->sentences);
    return p;
}

/* Starts the kernel for any number of hypotheses. */
static void start_any(struct device *device, const struct search_params &all, int groups)
{
    enum { BLOCK = block_size(64) };
    struct search_params params = all;
    const int most = take_scratch(device, &params);
    if (most < 1)
        device_fail(device, STATUS_MEMORY, "%d hypotheses of %d tokens are too many", params.beam,
                    params.positions);
    for (int left = groups; left > 0 && most > 0; left -= most) {
        START(device, advance_kernel<BLOCK>, left < most ? left : most, BLOCK, params);
        params.row_lane += (size_t)most * params.width;
        params.top_id += (size_t)most * params.width * params.tops;
        params.top_lp += (size_t)most * params.width * params.tops;
        params.eos_lp += (size_t)most * params.width;
    }
}

void cuda_advance(struct device *device, const struct advance_args *args)
{
    if (!device_ready(device) || args->width <= 0 || args->rows < args->width)
        return;
    const struct search_params params = search_params_of(device, args);
    const bool few = device->shortcuts[SHORTCUT_FEW_HYPOTHESES] && params.beam <= FEW_HYPOTHESES &&
                     params.tops <= 2 * FEW_HYPOTHESES && params.endings != ENDINGS_RANKED;
    (few ? advance_few_start : start_any)(device, params, args->rows / args->width);
}

/* Ends that may not have a probability yet (search_state.renormalize) ---------------------------*/

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
