/* One step of beam search: decides which continuations live on and which are finished. */
#include <math.h>
#include <string.h>

#include "base/minmax.h"
#include "gpu/cpu/device.h"
#include "gpu/cpu/ops.h"

/* A way to continue, or to end, one lane of a sentence. */
struct continuation {
    float score; // log-probability summed up to this token
    float lp;    // the token's own
    int beam;    // the parent: lane of the sentence, 0 … B-1
    int id;
};

/* The state in host pointers, and scratch for one sentence. */
struct search_job {
    const struct advance_args *args;
    const struct search_state *state;
    int beam, positions;
    int32_t *lane, *path, *token, *limit, *done, *count;
    int32_t *finished_length, *finished_token;
    float *score, *token_lp, *finished_score, *finished_lp;
    const float *penalty;      // NULL: finished hypotheses keep their place (endings_compared)
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
    int most;     // finished hypotheses at most
};

static bool is_end(const struct search_job *job, int id)
{
    bool found = false;
    for (int i = 0; i < job->state->end_count; i++)
        found |= id == job->state->ends[i];
    return found;
}

/* NaN counts as impossible. */
static float possible(float lp)
{
    return isnan(lp) ? -INFINITY : lp;
}

static float live_score(const struct search_job *job, const struct group *group, int beam)
{
    if (tensor_ints(job->args->row_lane)[group->first + beam] < 0)
        return -INFINITY;
    return possible(job->score[(size_t)group->sentence * (size_t)job->beam + (size_t)beam]);
}

static bool before(const struct continuation *a, const struct continuation *b)
{
    if (a->score != b->score)
        return a->score > b->score;
    return a->beam != b->beam ? a->beam < b->beam : a->id < b->id;
}

/* Puts a continuation into job->best at its rank, if it has one. Returns how many there are. */
static int rank_one(const struct search_job *job, const struct continuation *new, int count)
{
    const int room = 2 * job->beam;
    if (count == room && !before(new, &job->best[room - 1]))
        return count;
    int place = count < room ? count++ : room - 1;
    for (; place > 0 && before(new, &job->best[place - 1]); place--)
        job->best[place] = job->best[place - 1];
    job->best[place] = *new;
    return count;
}

/* Fills job->best. Returns how many there are. */
static int rank_continuations(const struct search_job *job, const struct group *group)
{
    const int room = 2 * job->beam, tops = job->args->tops;
    const bool may_end = group->length > job->state->min_length;
    int count = 0;
    for (int beam = 0; beam < job->args->width; beam++) {
        const size_t row = (size_t)(group->first + beam) * (size_t)tops;
        const float so_far = live_score(job, group, beam);
        for (int rank = 0; rank < tops && so_far > -INFINITY; rank++) {
            const int id = tensor_ints(job->args->top_id)[row + (size_t)rank];
            const float lp = tensor_floats(job->args->top_lp)[row + (size_t)rank];
            const struct continuation new = {possible(so_far + lp), lp, beam, id};
            if (count == room && new.score < job->best[room - 1].score)
                break; // later ranks are no better
            if (id >= 0 && new.score > -INFINITY && (may_end || !is_end(job, id)))
                count = rank_one(job, &new, count);
        }
    }
    return count;
}

/* Does the same for a step in which every live lane ends. */
static int rank_ends(const struct search_job *job, const struct group *group)
{
    int count = 0;
    for (int beam = 0; beam < job->args->width; beam++) {
        const float so_far = live_score(job, group, beam);
        const bool is_free = job->state->at_limit == LIMIT_FREE;
        const float lp =
            is_free ? 0 : possible(tensor_floats(job->args->eos_lp)[group->first + beam]);
        const struct continuation end = {so_far + lp, lp, beam, job->state->eos};
        if (so_far > -INFINITY)
            count = rank_one(job, &end, count);
    }
    return count;
}

static float finished_value(const struct search_job *job, size_t place)
{
    return job->finished_score[place] / job->penalty[job->finished_length[place]];
}

/* Returns the place of a sentence's worst finished hypothesis. */
static size_t worst_finished(const struct search_job *job, int sentence)
{
    const size_t first = (size_t)sentence * 2 * (size_t)job->beam;
    size_t worst = first;
    for (size_t place = first + 1; place < first + (size_t)job->count[sentence]; place++)
        if (finished_value(job, place) <= finished_value(job, worst))
            worst = place;
    return worst;
}

/* Removes a finished hypothesis; the last one takes its place. */
static void lose(const struct search_job *job, int sentence, size_t place)
{
    const size_t positions = (size_t)job->positions;
    const size_t last = (size_t)sentence * 2 * (size_t)job->beam + (size_t)--job->count[sentence];
    memmove(job->finished_token + place * positions, job->finished_token + last * positions,
            positions * sizeof *job->finished_token);
    memmove(job->finished_lp + place * positions, job->finished_lp + last * positions,
            positions * sizeof *job->finished_lp);
    job->finished_length[place] = job->finished_length[last];
    job->finished_score[place] = job->finished_score[last];
}

/* Removes finished hypotheses that rank below the beam; job->best has `ranked` continuations. */
static void lose_outranked(const struct search_job *job, int sentence, int ranked)
{
    while (job->count[sentence] > 0 && job->beam - job->count[sentence] < ranked) {
        const size_t worst = worst_finished(job, sentence);
        if (!(job->best[job->beam - job->count[sentence]].score > finished_value(job, worst)))
            return;
        lose(job, sentence, worst);
    }
}

/* Returns how many ranks may become finished: the width of the beam. */
static int ending_ranks(const struct search_job *job, int sentence)
{
    const enum endings endings = job->state->endings;
    const bool shared = endings == ENDINGS_NARROW || endings == ENDINGS_RANKED;
    return job->beam - (shared ? job->count[sentence] : 0);
}

/* Returns how many of `ranked` continuations may live on. */
static int living_ranks(const struct search_job *job, int sentence, int ranked)
{
    const enum endings endings = job->state->endings;
    const bool few =
        endings == ENDINGS_NARROW || endings == ENDINGS_RANKED || endings == ENDINGS_TOP;
    return few ? int_min(ranked, ending_ranks(job, sentence)) : ranked;
}

/* Finds a place for a hypothesis that ends now. Returns false if there is none. */
static bool finished_place(const struct search_job *job, const struct group *group, float score,
                           size_t *place)
{
    const size_t first = (size_t)group->sentence * 2 * (size_t)job->beam;
    if (job->count[group->sentence] < group->most) {
        *place = first + (size_t)job->count[group->sentence]++;
        return true;
    }
    if (!job->penalty)
        return false;
    *place = worst_finished(job, group->sentence);
    return score / job->penalty[group->length] > finished_value(job, *place);
}

/* Records a lane's hypothesis with its last token. */
static void finish(const struct search_job *job, const struct group *group,
                   const struct continuation *end)
{
    const size_t sentence = (size_t)group->sentence, positions = (size_t)job->positions;
    size_t place;
    if (!finished_place(job, group, end->score, &place))
        return;
    const int32_t *path =
        job->path + (sentence * (size_t)job->beam + (size_t)end->beam) * positions;
    int32_t *tokens = job->finished_token + place * positions;
    float *lps = job->finished_lp + place * positions;
    int length = 0;
    for (int p = job->state->starts; p <= group->position; p++, length++) {
        tokens[length] = job->token[path[p]];
        lps[length] = job->token_lp[path[p]];
    }
    tokens[length] = end->id;
    lps[length] = end->lp;
    job->finished_length[place] = length + 1;
    job->finished_score[place] = end->score;
}

/* Ends every live lane: the sentence has reached its greatest length. */
static void end_all(const struct search_job *job, const struct group *group, int ranked)
{
    const size_t lane = (size_t)group->sentence * (size_t)job->beam;
    const int ranks = job->state->at_limit == LIMIT_OPEN
                          ? int_min(ranked, ending_ranks(job, group->sentence))
                          : ranked;
    for (int rank = 0; rank < ranks; rank++)
        finish(job, group, &job->best[rank]);
    for (int beam = 0; beam < job->beam; beam++)
        job->score[lane + (size_t)beam] = -INFINITY;
    job->done[group->sentence] = group->length;
}

/* Copies the sentence's records and paths, because lanes that are other lanes' parents are about to
 * be overwritten. */
static void copy_parents(const struct search_job *job, const struct group *group)
{
    const size_t lane = (size_t)group->sentence * (size_t)job->beam;
    const size_t positions = (size_t)job->positions, known = (size_t)group->position + 1;
    for (size_t beam = 0; beam < (size_t)job->args->width; beam++) {
        memcpy(job->paths + beam * positions, job->path + (lane + beam) * positions,
               known * sizeof *job->paths);
        memcpy(job->records + beam * LANE_FIELDS, job->lane + (lane + beam) * LANE_FIELDS,
               LANE_FIELDS * sizeof *job->records);
    }
}

/* Puts a continuation into lane `beam` of its sentence. */
static void live_on(const struct search_job *job, const struct group *group, int beam,
                    const struct continuation *next)
{
    const size_t lane = (size_t)group->sentence * (size_t)job->beam + (size_t)beam;
    const size_t positions = (size_t)job->positions, known = (size_t)group->position + 1;
    const int slot = search_slot(job->state, (int)lane, (int)known);
    int32_t *record = job->lane + lane * LANE_FIELDS, *path = job->path + lane * positions;
    memcpy(record, job->records + (size_t)next->beam * LANE_FIELDS, LANE_FIELDS * sizeof *record);
    record[LANE_TOKEN] = next->id;
    record[LANE_POS] = group->position + 1;
    memcpy(path, job->paths + (size_t)next->beam * positions, known * sizeof *path);
    path[known] = slot;
    job->token[slot] = next->id;
    job->token_lp[slot] = next->lp;
    job->score[lane] = next->score;
}

/* Returns the penalty that the best live hypothesis may still reach. */
static float attainable_penalty(const struct search_job *job, const struct group *group)
{
    const float now = job->penalty[group->length];
    return job->state->endings == ENDINGS_NEVER
               ? fmaxf(now, job->penalty[job->limit[group->sentence]])
               : now;
}

/* True if the search is done after a step in which `living` lanes live on, the best in lane 0.
 * job->best still has the ranks. */
static bool is_done(const struct search_job *job, const struct group *group, int living)
{
    if (living == 0)
        return true;
    if (job->state->endings == ENDINGS_TOP)
        return is_end(job, job->best[0].id);
    if (job->count[group->sentence] < job->beam)
        return false;
    const float score = job->score[(size_t)group->sentence * (size_t)job->beam];
    return !job->penalty || job->beam == 1 ||
           !(score / attainable_penalty(job, group) >
             finished_value(job, worst_finished(job, group->sentence)));
}

/* Keeps the best of `ranked` continuations alive and records those that end. */
static void go_on(const struct search_job *job, const struct group *group, int ranked)
{
    const int sentence = group->sentence, width = ending_ranks(job, sentence);
    const int ranks = living_ranks(job, sentence, ranked);
    for (int rank = 0; rank < ranks && rank < width; rank++)
        if (is_end(job, job->best[rank].id))
            finish(job, group, &job->best[rank]);
    copy_parents(job, group);
    int living = 0;
    for (int rank = 0; rank < ranks && living < job->beam; rank++)
        if (!is_end(job, job->best[rank].id))
            live_on(job, group, living++, &job->best[rank]);
    for (int beam = living; beam < job->beam; beam++)
        job->score[(size_t)sentence * (size_t)job->beam + (size_t)beam] = -INFINITY;
    job->done[sentence] = is_done(job, group, living) ? group->length : 0;
}

static void advance_group(const struct search_job *job, const struct group *group)
{
    const int sentence = group->sentence;
    const bool last =
        group->length >= job->limit[sentence] || group->position + 1 >= job->positions;
    const int ranked = last && job->state->at_limit != LIMIT_OPEN ? rank_ends(job, group)
                                                                  : rank_continuations(job, group);
    if (job->state->endings == ENDINGS_RANKED)
        lose_outranked(job, sentence, ranked);
    if (last)
        end_all(job, group, ranked);
    else
        go_on(job, group, ranked);
}

static struct search_job job_of(const struct advance_args *args)
{
    const struct search_state *state = args->state;
    return (struct search_job){
        .args = args,
        .state = state,
        .beam = state->beam,
        .positions = state->positions,
        .lane = tensor_ints(state->lane),
        .path = tensor_ints(state->path),
        .token = tensor_ints(state->token),
        .limit = tensor_ints(state->limit),
        .done = tensor_ints(state->done),
        .count = tensor_ints(state->count),
        .finished_length = tensor_ints(state->finished_length),
        .finished_token = tensor_ints(state->finished_token),
        .score = tensor_floats(state->score),
        .token_lp = tensor_floats(state->token_lp),
        .finished_score = tensor_floats(state->finished_score),
        .finished_lp = tensor_floats(state->finished_lp),
        .penalty = endings_compared(state->endings) ? tensor_floats(state->penalty) : NULL,
    };
}

static struct group group_of(const struct search_job *job, int sentence, int first)
{
    const struct search_state *state = job->state;
    const size_t lane = (size_t)sentence * (size_t)job->beam;
    const int position = job->lane[lane * LANE_FIELDS + LANE_POS];
    return (struct group){
        .sentence = sentence,
        .first = first,
        .position = position,
        .length = position + 2 - state->starts,
        .most = state->endings == ENDINGS_FIRST || job->penalty ? job->beam : 2 * job->beam,
    };
}

void cpu_advance(struct device *device, const struct advance_args *args)
{
    struct search_job job = job_of(args);
    const size_t beam = (size_t)job.beam, copies = beam * (size_t)job.positions;
    job.best = device_scratch(device, 2 * beam * sizeof *job.best +
                                          (copies + beam * LANE_FIELDS) * sizeof *job.paths);
    if (!job.best)
        return;
    job.paths = (int32_t *)(job.best + 2 * beam);
    job.records = job.paths + copies;
    for (int row = 0; row + args->width <= args->rows; row += args->width) {
        const int lane = tensor_ints(args->row_lane)[row];
        if (cancelled(device))
            return;
        if (lane < 0 || job.done[lane / job.beam])
            continue;
        const struct group group = group_of(&job, lane / job.beam, row);
        advance_group(&job, &group);
    }
}
