/* One step of beam search: which continuations live on, which are finished. A block a sentence.
 *
 * All threads of a block follow the same decisions, which they read from shared or scratch memory, and
 * share out the ranking and the copies. */
#include "gpu/cuda/lanes.cuh"
#include "gpu/cuda/ops.cuh"

/* A way to go on, or to end, from one lane of a sentence. */
struct continuation {
    float score; // summed log-probability with this token
    float lp;    // the token's own
    int beam;    // its parent: lane of the sentence, 0 … B-1
    int id;      // -1: none
};

struct search_params {
    int lanes, beam, positions, starts, eos, min_length, rows, width, tops, groups;
    enum endings endings;
    enum search_limit at_limit;
    int ends[ENDS_MOST], end_count;
    const int32_t *row_lane, *top_id, *limit;
    const float *top_lp, *eos_lp;
    int32_t *lane, *path, *token, *done, *count, *finished_length, *finished_token;
    float *score, *token_lp, *finished_score, *finished_lp;
    const float *penalty; // null: what is finished keeps its place (endings_compared)
    /* Scratch, by groups. */
    struct continuation *best; // (2B) by rank
    int32_t *paths;            // (B, T) of the parents
    int32_t *records;          // (B, LANE_FIELDS) of the parents
};

/* One sentence in this step. */
struct group {
    int sentence;
    int first;    // row of its first lane
    int position; // just read
    int length;   // of a hypothesis that ends now
    bool last;    // step: every live lane ends
    struct continuation *best;
    int32_t *paths, *records;
};

static __device__ __forceinline__ bool is_end(const struct search_params &p, int id)
{
    bool found = false;
    for (int i = 0; i < p.end_count; i++)
        found |= id == p.ends[i];
    return found;
}

/* NaN counts as impossible. */
static __device__ __forceinline__ float possible(float lp)
{
    return lp != lp ? -INFINITY : lp;
}

static __device__ __forceinline__ float live_score(const struct search_params &p,
                                                   const struct group &group, int beam)
{
    if (p.row_lane[group.first + beam] < 0)
        return -INFINITY;
    return possible(p.score[(size_t)group.sentence * p.beam + beam]);
}

/* The order of ranks. */
static __device__ __forceinline__ bool before(const struct continuation &a,
                                              const struct continuation &b)
{
    if (a.id < 0 || b.id < 0)
        return b.id < 0 && a.id >= 0;
    if (a.score != b.score)
        return a.score > b.score;
    return a.beam != b.beam ? a.beam < b.beam : a.id < b.id;
}

static __device__ __forceinline__ struct continuation nothing(void)
{
    return {-INFINITY, -INFINITY, -1, -1};
}

/* Ranking ---------------------------------------------------------------------------------------*/

static __device__ __forceinline__ struct continuation
continuation_of(const struct search_params &p, const struct group &group, int number)
{
    const int beam = number / p.tops;
    const size_t at = (size_t)group.first * p.tops + number;
    const float lp = p.top_lp[at];
    const struct continuation next = {possible(live_score(p, group, beam) + lp), lp, beam,
                                      p.top_id[at]};
    const bool allowed = !is_end(p, next.id) || group.length > p.min_length;
    return next.id >= 0 && next.score > -INFINITY && allowed ? next : nothing();
}

/* Returns the end of a lane in the last step. */
static __device__ __forceinline__ struct continuation end_of(const struct search_params &p,
                                                             const struct group &group, int beam)
{
    const float so_far = live_score(p, group, beam);
    const float lp = p.at_limit == LIMIT_FREE ? 0 : possible(p.eos_lp[group.first + beam]);
    const struct continuation end = {so_far + lp, lp, beam, p.eos};
    return so_far > -INFINITY ? end : nothing();
}

/* The best of this thread's share that ranks behind `last`. */
template <int BLOCK>
static __device__ __forceinline__ struct continuation best_behind(const struct search_params &p,
                                                                  const struct group &group,
                                                                  const struct continuation &last)
{
    const bool ends = group.last && p.at_limit != LIMIT_OPEN;
    const int count = ends ? p.width : p.width * p.tops;
    struct continuation best = nothing();
    for (int i = (int)threadIdx.x; i < count; i += BLOCK) {
        const struct continuation next = ends ? end_of(p, group, i) : continuation_of(p, group, i);
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

/* Fills group.best; how many there are. */
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
    /* The joins of larger blocks have ordered all that is read before the next barrier; those of one warp
     * are shuffles, which order no memory. No emulator sees the difference. */
    __syncthreads();
    return count;
}

/* Ending ----------------------------------------------------------------------------------------*/

static __device__ __forceinline__ float finished_value(const struct search_params &p, size_t place)
{
    return p.finished_score[place] / p.penalty[p.finished_length[place]];
}

/* The number of the worst of a sentence's `count` finished hypotheses. */
static __device__ __forceinline__ int worst_finished(const struct search_params &p,
                                                     const struct group &group, int count)
{
    const size_t first = (size_t)group.sentence * 2 * p.beam;
    int worst = 0;
    for (int i = 1; i < count; i++)
        if (finished_value(p, first + i) <= finished_value(p, first + worst))
            worst = i;
    return worst;
}

/* Records the hypothesis of a lane, with its last token, as the sentence's number `finished`. */
template <int BLOCK>
static __device__ __forceinline__ void finish(const struct search_params &p,
                                              const struct group &group, int finished,
                                              const struct continuation &end)
{
    const size_t place = (size_t)group.sentence * 2 * p.beam + finished;
    const int32_t *path = p.path + ((size_t)group.sentence * p.beam + end.beam) * p.positions;
    int32_t *tokens = p.finished_token + place * p.positions;
    float *lps = p.finished_lp + place * p.positions;
    const int length = group.length - 1;
    for (int i = (int)threadIdx.x; i < length; i += BLOCK) {
        tokens[i] = p.token[path[p.starts + i]];
        lps[i] = p.token_lp[path[p.starts + i]];
    }
    if (threadIdx.x != 0)
        return;
    tokens[length] = end.id;
    lps[length] = end.lp;
    p.finished_length[place] = length + 1;
    p.finished_score[place] = end.score;
}

/* Lanes `living` and after have no hypothesis any more. Every thread has read its scores. */
template <int BLOCK>
static __device__ __forceinline__ void end_group(const struct search_params &p,
                                                 const struct group &group, int living, int count,
                                                 bool done)
{
    for (int beam = living + (int)threadIdx.x; beam < p.beam; beam += BLOCK)
        p.score[(size_t)group.sentence * p.beam + beam] = -INFINITY;
    if (threadIdx.x != 0)
        return;
    p.count[group.sentence] = count;
    p.done[group.sentence] = done;
}

/* Hypotheses that may be finished. */
static __device__ __forceinline__ int most_finished(const struct search_params &p)
{
    return p.endings == ENDINGS_FIRST || p.penalty ? p.beam : 2 * p.beam;
}

/* Records a hypothesis that ends, if it has a place; how many there are then. */
template <int BLOCK>
static __device__ __forceinline__ int finish_one(const struct search_params &p,
                                                 const struct group &group, int count,
                                                 const struct continuation &end)
{
    if (count < most_finished(p)) {
        finish<BLOCK>(p, group, count, end);
        return count + 1;
    }
    if (!p.penalty)
        return count;
    __syncthreads(); // the finished hypotheses have been written
    const int worst = worst_finished(p, group, count);
    const size_t place = (size_t)group.sentence * 2 * p.beam + worst;
    const bool better = end.score / p.penalty[group.length] > finished_value(p, place);
    __syncthreads(); // and has been read
    if (better)
        finish<BLOCK>(p, group, worst, end);
    return count;
}

/* The penalty that the best live hypothesis may come to have. */
static __device__ __forceinline__ float attainable_penalty(const struct search_params &p,
                                                           const struct group &group)
{
    const float now = p.penalty[group.length];
    return p.endings == ENDINGS_NEVER ? fmaxf(now, p.penalty[p.limit[group.sentence]]) : now;
}

/* After a step in which `living` lanes live on, the best of them with `score`. */
static __device__ __forceinline__ bool is_done(const struct search_params &p,
                                               const struct group &group, int living, int count,
                                               float score)
{
    if (living == 0)
        return true;
    if (p.endings == ENDINGS_TOP)
        return is_end(p, group.best[0].id);
    if (count < p.beam)
        return false;
    const size_t first = (size_t)group.sentence * 2 * p.beam;
    return !p.penalty || p.beam == 1 ||
           !(score / attainable_penalty(p, group) >
             finished_value(p, first + worst_finished(p, group, count)));
}

/* Every live lane ends: the sentence is as long as it may become. */
template <int BLOCK>
static __device__ __forceinline__ void end_all(const struct search_params &p,
                                               const struct group &group, int count,
                                               struct continuation *shared)
{
    const int width = p.beam - (p.endings == ENDINGS_NARROW ? count : 0);
    const int most = p.at_limit == LIMIT_OPEN ? width : 2 * p.beam;
    const int ranks = rank_continuations<BLOCK>(p, group, shared);
    for (int rank = 0; rank < ranks && rank < most; rank++)
        count = finish_one<BLOCK>(p, group, count, group.best[rank]);
    __syncthreads(); // scores and count have been read
    end_group<BLOCK>(p, group, 0, count, true);
}

/* Living on -------------------------------------------------------------------------------------*/

/* Puts a copy of the sentence's records and paths aside, because lanes are about to be overwritten that
 * are the parents of others. */
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

/* Puts a continuation into lane `beam` of its sentence. */
template <int BLOCK>
static __device__ __forceinline__ void live_on(const struct search_params &p,
                                               const struct group &group, int beam,
                                               const struct continuation &next)
{
    const size_t lane = (size_t)group.sentence * p.beam + beam;
    const int known = group.position + 1;
    const int slot = known * p.lanes + ((int)lane + known) % p.lanes; // search_slot
    int32_t *path = p.path + lane * p.positions;
    for (int i = (int)threadIdx.x; i < known; i += BLOCK)
        path[i] = group.paths[(size_t)next.beam * p.positions + i];
    if (threadIdx.x != 0)
        return;
    int32_t *record = p.lane + lane * LANE_FIELDS;
    for (int field = 0; field < LANE_FIELDS; field++)
        record[field] = group.records[next.beam * LANE_FIELDS + field];
    record[LANE_TOKEN] = next.id;
    record[LANE_POS] = known;
    path[known] = slot;
    p.token[slot] = next.id;
    p.token_lp[slot] = next.lp;
    p.score[lane] = next.score;
}

template <int BLOCK>
static __device__ __forceinline__ void go_on(const struct search_params &p,
                                             const struct group &group, int count,
                                             struct continuation *shared)
{
    const int width = p.beam - (p.endings == ENDINGS_NARROW ? count : 0);
    const int ranked = rank_continuations<BLOCK>(p, group, shared);
    const bool few = p.endings == ENDINGS_NARROW || p.endings == ENDINGS_TOP;
    const int ranks = few && ranked > width ? width : ranked;
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
    const int number = (int)blockIdx.x, row = number * p.width, lane = p.row_lane[row];
    if (lane < 0 || p.done[lane / p.beam])
        return;
    struct group group;
    group.sentence = lane / p.beam;
    group.first = row;
    group.position = p.lane[(size_t)lane * LANE_FIELDS + LANE_POS];
    group.length = group.position + 2 - p.starts;
    group.last = group.length >= p.limit[group.sentence] || group.position + 1 >= p.positions;
    group.best = p.best + (size_t)number * 2 * p.beam;
    group.paths = p.paths + (size_t)number * p.beam * p.positions;
    group.records = p.records + (size_t)number * p.beam * LANE_FIELDS;
    const int count = p.count[group.sentence];
    // Both ways have a barrier before the first thread writes any of this state.
    if (group.last)
        end_all<BLOCK>(p, group, count, shared);
    else
        go_on<BLOCK>(p, group, count, shared);
}

/* Starting it -----------------------------------------------------------------------------------*/

/* Gives the scratch memory out; returns how many groups it is for. */
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

static struct search_params search_params_of(const struct advance_args *args)
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
    return p;
}

void cuda_advance(struct device *device, const struct advance_args *args)
{
    enum { BLOCK = block_size(64) };
    struct search_params params = search_params_of(args);
    if (!device_ready(device) || args->width <= 0)
        return;
    const int most = take_scratch(device, &params);
    if (most < 1)
        device_fail(device, STATUS_MEMORY, "%d hypotheses of %d tokens are too many", params.beam,
                    params.positions);
    for (int left = args->rows / args->width; left > 0 && most > 0; left -= most) {
        START(device, advance_kernel<BLOCK>, left < most ? left : most, BLOCK, params);
        params.row_lane += (size_t)most * params.width;
        params.top_id += (size_t)most * params.width * params.tops;
        params.top_lp += (size_t)most * params.width * params.tops;
        params.eos_lp += (size_t)most * params.width;
    }
}
