/* One step of beam search, shared by both of its kernels: continuations and their order, and how
 * hypotheses end. One block per sentence; all threads of a block make the same decisions. */
#ifndef ATTNSCOPE_CUDA_SEARCH_CUH
#define ATTNSCOPE_CUDA_SEARCH_CUH

#include "gpu/cuda/lanes.cuh"
#include "gpu/cuda/ops.cuh"

/* A way to continue or end the hypothesis of one lane. */
struct continuation {
    float score; // summed log-probability with this token
    float lp;    // the token's own
    int beam;    // its parent: lane of the sentence, 0 … B-1
    int id;      // -1: none; see nothing()
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
    const float *penalty; // null: finished hypotheses keep their places (endings_compared)
    int32_t *told;        // copy of `done` in host memory; null: none
    /* Scratch, by groups; for any number of hypotheses. */
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
    int count;    // finished hypotheses before this step
    bool last;    // last step: every live lane ends
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
    const float score = p.score[(size_t)group.sentence * p.beam + beam];
    return p.row_lane[group.first + beam] < 0 ? -INFINITY : possible(score);
}

/* Ranks after every other one, even those with a score of -inf. */
static __device__ __forceinline__ struct continuation nothing(void)
{
    return {-INFINITY, -INFINITY, INT32_MAX, -1};
}

/* The order of ranks. Has no branches, as it is called all the time. */
static __device__ __forceinline__ bool before(const struct continuation &a,
                                              const struct continuation &b)
{
    const bool lower = (a.beam < b.beam) | ((a.beam == b.beam) & (a.id < b.id));
    return (a.score > b.score) | ((a.score == b.score) & lower);
}

/* Ranking ---------------------------------------------------------------------------------------*/

/* The continuation of a lane by a candidate token. */
static __device__ __forceinline__ struct continuation continuation_of(const struct search_params &p,
                                                                      const struct group &group,
                                                                      int beam, int id, float lp)
{
    const struct continuation next = {possible(live_score(p, group, beam) + lp), lp, beam, id};
    const bool allowed = !is_end(p, id) || group.length > p.min_length;
    return id >= 0 && next.score > -INFINITY && allowed ? next : nothing();
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

/* Ending ----------------------------------------------------------------------------------------*/

static __device__ __forceinline__ float finished_value(const struct search_params &p, size_t place)
{
    return p.finished_score[place] / p.penalty[p.finished_length[place]];
}

/* The index of the worst of a sentence's `count` finished hypotheses. */
static __device__ __forceinline__ int worst_finished(const struct search_params &p,
                                                     const struct group &group, int count)
{
    const size_t first = (size_t)group.sentence * 2 * p.beam;
    int worst = 0;
#pragma unroll 1
    for (int i = 1; i < count; i++)
        if (finished_value(p, first + i) <= finished_value(p, first + worst))
            worst = i;
    return worst;
}

/* Records the hypothesis of a lane, with its last token, as the sentence's finished hypothesis
 * `finished`. */
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
#pragma unroll 1
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

/* Called by one thread. */
static __device__ __forceinline__ void tell_done(const struct search_params &p, int sentence,
                                                 int length)
{
    if (p.told)
        host_store(&p.told[sentence], length);
}

/* Lanes from `living` on no longer have hypotheses. Every thread must have read its scores. */
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
    p.done[group.sentence] = done ? group.length : 0;
    tell_done(p, group.sentence, done ? group.length : 0);
}

/* The maximum number of finished hypotheses. */
static __device__ __forceinline__ int most_finished(const struct search_params &p)
{
    return p.endings == ENDINGS_FIRST || p.penalty ? p.beam : 2 * p.beam;
}

/* Records a hypothesis that ends, if there is a place for it. Returns the new number of finished
 * ones. */
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

/* The penalty that the best live hypothesis may attain. */
static __device__ __forceinline__ float attainable_penalty(const struct search_params &p,
                                                           const struct group &group)
{
    const float now = p.penalty[group.length];
    return p.endings == ENDINGS_NEVER ? fmaxf(now, p.penalty[p.limit[group.sentence]]) : now;
}

/* Decides after a step in which `living` lanes live on, the best of them with `score`. */
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

/* The number of ranks that may become finished: the width of the beam. */
static __device__ __forceinline__ int ending_ranks(const struct search_params &p,
                                                   const struct group &group)
{
    const bool shared = p.endings == ENDINGS_NARROW || p.endings == ENDINGS_RANKED;
    return p.beam - (shared ? group.count : 0);
}

/* How many of `ranked` continuations may live on. */
static __device__ __forceinline__ int living_ranks(const struct search_params &p,
                                                   const struct group &group, int ranked)
{
    const bool few =
        p.endings == ENDINGS_NARROW || p.endings == ENDINGS_RANKED || p.endings == ENDINGS_TOP;
    return few ? min(ranked, ending_ranks(p, group)) : ranked;
}

/* Ends every live lane: the maximum length is reached. */
template <int BLOCK>
static __device__ __forceinline__ void end_all(const struct search_params &p,
                                               const struct group &group, int ranked)
{
    const int most = p.at_limit == LIMIT_OPEN ? ending_ranks(p, group) : 2 * p.beam;
    int count = group.count;
#pragma unroll 1
    for (int rank = 0; rank < ranked && rank < most; rank++)
        count = finish_one<BLOCK>(p, group, count, group.best[rank]);
    __syncthreads(); // scores and count have been read
    end_group<BLOCK>(p, group, 0, count, true);
}

/* Adds the token of a continuation to a lane that holds its parent's record and path. */
static __device__ __forceinline__ void add_token(const struct search_params &p,
                                                 const struct group &group, size_t lane,
                                                 const struct continuation &next)
{
    const int known = group.position + 1;
    const int slot = known * p.lanes + ((int)lane + known) % p.lanes; // search_slot
    p.lane[lane * LANE_FIELDS + LANE_TOKEN] = next.id;
    p.lane[lane * LANE_FIELDS + LANE_POS] = known;
    p.path[lane * p.positions + known] = slot;
    p.token[slot] = next.id;
    p.token_lp[slot] = next.lp;
    p.score[lane] = next.score;
}

/* Beginning -------------------------------------------------------------------------------------*/

/* Reads the data of the block's sentence, except group->best and the scratch memory; false: nothing
 * to do. */
static __device__ __forceinline__ bool begin_group(const struct search_params &p,
                                                   struct group *group)
{
    const int row = (int)blockIdx.x * p.width, lane = p.row_lane[row];
    if (lane < 0)
        return false;
    const int sentence = lane / p.beam;
    const int done = p.done[sentence], limit = p.limit[sentence];
    group->sentence = sentence;
    group->first = row;
    group->position = p.lane[(size_t)lane * LANE_FIELDS + LANE_POS];
    group->length = group->position + 2 - p.starts;
    group->count = p.count[sentence];
    group->last = group->length >= limit || group->position + 1 >= p.positions;
    if (done && threadIdx.x == 0)
        tell_done(p, sentence, done);
    return !done;
}

/* The kernel for up to FEW_HYPOTHESES per sentence (search_few.cu), without ENDINGS_RANKED. */
enum { FEW_HYPOTHESES = 8 };
void advance_few_start(struct device *device, const struct search_params &params, int groups);

#endif
