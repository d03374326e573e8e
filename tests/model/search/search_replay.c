#include "tests/model/search/search_replay.h"
#include "tests/support/test.h"

#include <math.h>

#include "model/net/force.h"

/* A hypothesis that may go on. */
struct lane {
    int *ids; // (room)
    float *lps;
    float score;
};

struct continuation {
    float score, lp;
    int lane, id;
};

struct search {
    struct model *model;
    const struct config *config;
    const struct sentence *source;
    const struct search_options *options;
    int vocabulary, eos, limit;
    int length; // for every lane
    struct lane lanes[CONFIG_MAX_BEAM];
    int living;
    struct continuation ranks[2 * CONFIG_MAX_BEAM + 1]; // best first
    int ranked;
    struct replay *replay;
};

static double penalty(const struct search_options *options, int length)
{
    if (options->penalty == PENALTY_AVERAGE)
        return pow(length, options->alpha);
    return options->penalty == PENALTY_WU ? pow((5 + length) / 6.0, options->alpha) : 1;
}

static int limit_of(const struct config *config, const struct search_options *options, int n)
{
    const double wanted = floor(options->factor * n) + options->plus;
    const double most = config->max_positions - config->start.count + 1;
    return (int)fmax(1, fmin(wanted, most));
}

static bool is_produced(const struct search *search, int id)
{
    const struct id_list *start = &search->config->start;
    if (id == search->eos)
        return true;
    for (int i = 0; i < start->count; i++)
        if (start->ids[i] == id)
            return false;
    return id != search->config->special[SPECIAL_PAD][SIDE_TARGET];
}

static void weigh_decision(struct search *search, double better, double worse)
{
    if (better - worse < search->replay->margin)
        search->replay->margin = better - worse;
}

/* Ranking ---------------------------------------------------------------------------------------*/

/* Keeps as many as can matter: the 2B that are ranked, and the next one. Equal scores keep the
 * order of arrival, which is by lane and id. */
static void add_continuation(struct search *search, struct continuation next)
{
    const int most = 2 * search->options->beam + 1;
    int place = search->ranked;
    while (place > 0 && search->ranks[place - 1].score < next.score)
        place--;
    if (place == most)
        return;
    search->ranked += search->ranked < most;
    memmove(&search->ranks[place + 1], &search->ranks[place],
            (size_t)(search->ranked - 1 - place) * sizeof next);
    search->ranks[place] = next;
}

/* Returns the log-probabilities of the tokens that may follow a lane: (V), freed by the caller. */
static float *next_logprobs(const struct search *search, const struct lane *lane)
{
    const struct capture_request request = {.logprobs = true};
    const size_t vocabulary = (size_t)search->vocabulary;
    struct capture capture;
    struct status status;
    lane->ids[search->length] = search->eos; // the last token forced does not matter
    if (!force_run(search->model, search->source, lane->ids, search->length + 1, NULL, &request,
                   &capture, &status))
        fail_msg("%s", status.message);
    float *last = calloc(vocabulary, sizeof *last);
    assert_non_null(last);
    memcpy(last, capture.logprobs + (size_t)(capture.target_rows - 1) * vocabulary,
           vocabulary * sizeof *last);
    capture_free(&capture);
    return last;
}

static void finish(struct search *search, const struct lane *lane, float lp)
{
    struct translation *result = &search->replay->result;
    struct hypothesis *out = &result->hypotheses[result->count++];
    const int count = search->length + 1;
    *out = (struct hypothesis){calloc((size_t)count, sizeof *out->ids),
                               calloc((size_t)count, sizeof *out->logprobs), count, 0, 0};
    assert_true(out->ids && out->logprobs);
    memcpy(out->ids, lane->ids, (size_t)search->length * sizeof *out->ids);
    memcpy(out->logprobs, lane->lps, (size_t)search->length * sizeof *out->logprobs);
    out->ids[count - 1] = search->eos;
    out->logprobs[count - 1] = lp;
    out->logprob = lane->score + lp;
    out->score = out->logprob / penalty(search->options, count);
}

static void rank_lanes(struct search *search, bool last)
{
    search->ranked = 0;
    for (int i = 0; i < search->living; i++) {
        struct lane *lane = &search->lanes[i];
        float *lps = next_logprobs(search, lane);
        if (last)
            finish(search, lane, lps[search->eos]);
        for (int id = 0; id < search->vocabulary && !last; id++)
            if (is_produced(search, id))
                add_continuation(search,
                                 (struct continuation){lane->score + lps[id], lps[id], i, id});
        free(lps);
    }
}

/* Deciding --------------------------------------------------------------------------------------*/

/* Updates the margin by how clearly each continuation by end-of-sentence is inside or outside the
 * first B. */
static void weigh_ends(struct search *search)
{
    const int beam = search->options->beam;
    const struct continuation *ranks = search->ranks;
    for (int rank = 0; rank < search->ranked && search->ranked > beam; rank++) {
        if (ranks[rank].id != search->eos)
            continue;
        if (rank < beam)
            weigh_decision(search, ranks[rank].score, ranks[beam].score);
        else if (rank < 2 * beam)
            weigh_decision(search, ranks[beam - 1].score, ranks[rank].score);
    }
}

static void free_lanes(struct search *search)
{
    for (int i = 0; i < search->living; i++) {
        free(search->lanes[i].ids);
        free(search->lanes[i].lps);
    }
    search->living = 0;
}

/* Returns the lane that a continuation leads to. */
static struct lane extended(const struct search *search, const struct continuation *by)
{
    const struct lane *parent = &search->lanes[by->lane];
    const size_t room = (size_t)search->limit + 1;
    struct lane lane = {calloc(room, sizeof *lane.ids), calloc(room, sizeof *lane.lps), by->score};
    assert_true(lane.ids && lane.lps);
    memcpy(lane.ids, parent->ids, (size_t)search->length * sizeof *lane.ids);
    memcpy(lane.lps, parent->lps, (size_t)search->length * sizeof *lane.lps);
    lane.ids[search->length] = by->id;
    lane.lps[search->length] = by->lp;
    return lane;
}

/* The first B continuations by other tokens live on; the margin is between the last of them,
 * `worst`, and the next one. */
static void live_on(struct search *search)
{
    struct lane next[CONFIG_MAX_BEAM] = {{0}};
    float worst = 0;
    int count = 0;
    for (int rank = 0; rank < search->ranked; rank++) {
        const struct continuation *by = &search->ranks[rank];
        if (by->id == search->eos)
            continue;
        if (count == search->options->beam) {
            weigh_decision(search, worst, by->score);
            break;
        }
        next[count++] = extended(search, by);
        worst = by->score;
    }
    free_lanes(search);
    memcpy(search->lanes, next, (size_t)count * sizeof *next);
    search->living = count;
}

static void step(struct search *search)
{
    const int beam = search->options->beam;
    const bool last = search->length + 1 >= search->limit;
    rank_lanes(search, last);
    if (last) {
        free_lanes(search);
        return;
    }
    weigh_ends(search);
    for (int rank = 0; rank < beam && rank < search->ranked; rank++)
        if (search->ranks[rank].id == search->eos)
            finish(search, &search->lanes[search->ranks[rank].lane], search->ranks[rank].lp);
    if (search->replay->result.count >= beam)
        free_lanes(search);
    else
        live_on(search);
    search->length++;
}

/* Sorts by score; of equal hypotheses the one that finished first comes first. */
static void sort_result(struct search *search)
{
    struct translation *result = &search->replay->result;
    struct hypothesis *list = result->hypotheses;
    for (int i = 1; i < result->count; i++)
        for (int j = i; j > 0 && list[j - 1].score < list[j].score; j--) {
            const struct hypothesis swapped = list[j];
            list[j] = list[j - 1];
            list[j - 1] = swapped;
        }
    for (int i = 1; i < result->count; i++)
        weigh_decision(search, list[i - 1].score, list[i].score);
    for (; result->count > search->options->beam; result->count--) {
        free(list[result->count - 1].ids);
        free(list[result->count - 1].logprobs);
    }
}

void replay_search(struct model *model, const struct sentence *source,
                   const struct search_options *options, struct replay *replay)
{
    const struct checkpoint *checkpoint = model_checkpoint(model);
    struct search search = {.model = model,
                            .config = checkpoint->config,
                            .source = source,
                            .options = options,
                            .replay = replay};
    search.vocabulary = (int)vocabulary_size(checkpoint->vocabulary[SIDE_TARGET]);
    search.eos = search.config->special[SPECIAL_EOS][SIDE_TARGET];
    search.limit = limit_of(search.config, options, source->count);
    *replay = (struct replay){.margin = INFINITY};
    replay->result.hypotheses =
        calloc(2 * (size_t)options->beam, sizeof *replay->result.hypotheses);
    const size_t room = (size_t)search.limit + 1;
    search.lanes[0] = (struct lane){calloc(room, sizeof(int)), calloc(room, sizeof(float)), 0};
    assert_true(replay->result.hypotheses && search.lanes[0].ids && search.lanes[0].lps);
    search.living = 1;
    while (search.living > 0)
        step(&search);
    sort_result(&search);
}

void replay_free(struct replay *replay)
{
    translation_free(&replay->result);
}
