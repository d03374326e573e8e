/* Whole beam searches against one that keeps every hypothesis as a list of tokens. */
#include <math.h>

#include "tests/gpu/ops_support.h"
#include "tests/gpu/search_scene.h"
#include "tests/support/rounds.h"
#include "tests/support/test.h"

enum { VOCABULARY = 7, LONGEST = T };

struct hypothesis {
    int length;
    int32_t tokens[LONGEST];
    float lps[LONGEST], score;
};

/* A made-up model: log-probabilities in steps of 1/4, so that sums are exact and ties frequent. */
static float model_lp(const int32_t *tokens, int length, int id, unsigned seed)
{
    unsigned hash = seed;
    for (int i = 0; i < length; i++)
        hash = hash * 31 + (unsigned)tokens[i] + 7;
    hash = (hash * 31 + (unsigned)id) * 2654435761u;
    return -0.25f * (float)((hash >> 20) % 12 + (id == EOS) * 2);
}

struct candidate {
    float score;
    int parent, id;
};

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->parent != b->parent ? a->parent - b->parent : a->id - b->id;
}

static struct hypothesis extended(const struct hypothesis *parent, int id, bool is_free,
                                  unsigned seed)
{
    struct hypothesis child = *parent;
    child.lps[child.length] = is_free ? 0 : model_lp(parent->tokens, parent->length, id, seed);
    child.score += child.lps[child.length];
    child.tokens[child.length++] = id;
    return child;
}

struct rules {
    int limit, min_length;
    enum endings endings;
    enum search_limit at_limit;
    int other_end;
    const float *penalty;
};

static bool ends(const struct rules *rules, int id)
{
    return id == EOS || (rules->other_end && id == rules->other_end);
}

/* Every hypothesis that lives ends by end-of-sentence. */
static bool is_forced(const struct rules *rules, int length)
{
    return length == rules->limit && rules->at_limit != LIMIT_OPEN;
}

/* The continuations of a step, best first; gives how many there are. */
static int candidates_of(const struct hypothesis *live, int living, int length,
                         const struct rules *rules, unsigned seed, struct candidate *all)
{
    int count = 0;
    for (int b = 0; b < living; b++)
        for (int id = 0; id < VOCABULARY; id++) {
            const bool forced = is_forced(rules, length);
            const float lp = forced && rules->at_limit == LIMIT_FREE
                                 ? 0
                                 : model_lp(live[b].tokens, live[b].length, id, seed);
            if (forced ? id == EOS : !ends(rules, id) || length > rules->min_length)
                all[count++] = (struct candidate){live[b].score + lp, b, id};
        }
    qsort(all, (size_t)count, sizeof *all, compare_candidates);
    return count;
}

static float value_of(const struct hypothesis *hypothesis, const struct rules *rules)
{
    return hypothesis->score / rules->penalty[hypothesis->length];
}

static int worst_of(const struct hypothesis *finished, int count, const struct rules *rules)
{
    int worst = 0;
    for (int i = 1; i < count; i++)
        if (value_of(&finished[i], rules) <= value_of(&finished[worst], rules))
            worst = i;
    return worst;
}

/* Gives how many are kept after those that fall behind the beam are lost. */
static int lose_outranked(struct hypothesis *finished, int count, const struct candidate *all,
                          int candidates, const struct rules *rules)
{
    while (count > 0) {
        const int worst = worst_of(finished, count, rules);
        int before = count - 1;
        for (int i = 0; i < candidates; i++)
            before += all[i].score > value_of(&finished[worst], rules);
        if (before < B)
            break;
        finished[worst] = finished[--count];
    }
    return count;
}

/* Keeps one that ends; gives how many are kept then. */
static int keep_end(struct hypothesis *finished, int count, const struct hypothesis *end,
                    const struct rules *rules)
{
    const bool full = count >= B;
    if (full && endings_compared(rules->endings)) {
        const int worst = worst_of(finished, count, rules);
        if (value_of(end, rules) > value_of(&finished[worst], rules))
            finished[worst] = *end;
        return count;
    }
    if (full && rules->endings == ENDINGS_FIRST)
        return count;
    finished[count] = *end;
    return count + 1;
}

static bool better_is_attainable(const struct hypothesis *live, const struct hypothesis *finished,
                                 int count, const struct rules *rules)
{
    const float now = rules->penalty[live->length], most = rules->penalty[rules->limit];
    const bool never = rules->endings == ENDINGS_NEVER;
    const float best = live->score / (never && most > now ? most : now);
    return (never || rules->endings == ENDINGS_ATTAINABLE) &&
           best > value_of(&finished[worst_of(finished, count, rules)], rules);
}

/* The rules of advance_args, literally; gives the number of finished hypotheses. */
static int search_by_lists(struct hypothesis *finished, const struct rules *rules, unsigned seed)
{
    struct hypothesis live[B] = {{.length = 0}}, next[B] = {{.length = 0}};
    int living = 1, count = 0;
    for (int length = 1;; length++) {
        struct candidate all[B * VOCABULARY];
        const int candidates = candidates_of(live, living, length, rules, seed, all);
        const bool last = length == rules->limit, top = rules->endings == ENDINGS_TOP;
        const bool open = last && rules->at_limit == LIMIT_OPEN;
        const bool ranked = rules->endings == ENDINGS_RANKED;
        const bool narrow = (rules->endings == ENDINGS_NARROW && (!last || open)) || ranked;
        if (ranked)
            count = lose_outranked(finished, count, all, candidates, rules);
        const int width = narrow ? B - count : B, ranks = narrow || top ? width : 2 * B;
        int surviving = 0;
        for (int rank = 0; rank < ranks && rank < candidates; rank++) {
            const struct hypothesis child =
                extended(&live[all[rank].parent], all[rank].id,
                         is_forced(rules, length) && rules->at_limit == LIMIT_FREE, seed);
            const bool end = open || ends(rules, all[rank].id);
            if (!end && surviving < B)
                next[surviving++] = child;
            else if (end && rank < width)
                count = keep_end(finished, count, &child, rules);
        }
        living = surviving;
        memcpy(live, next, sizeof live);
        if (living == 0 || (top && ends(rules, all[0].id)))
            return count;
        if (!top && count >= B && !better_is_attainable(&live[0], finished, count, rules))
            return count;
    }
}

/* The model's continuations of the tokens on a lane's path, best first, as logprob ranks them. */
static void ask_model(const struct search_memory *memory, struct search_step *step, int row,
                      int lane, int starts, unsigned seed)
{
    struct candidate all[VOCABULARY];
    int32_t tokens[T];
    int length = 0;
    for (int p = starts; p <= memory->lane[lane][LANE_POS]; p++)
        tokens[length++] = memory->token[memory->path[lane][p]];
    for (int id = 0; id < VOCABULARY; id++)
        all[id] = (struct candidate){model_lp(tokens, length, id, seed), 0, id};
    step->row_lane[row] = lane;
    step->eos_lp[row] = all[EOS].score;
    qsort(all, VOCABULARY, sizeof *all, compare_candidates);
    for (int rank = 0; rank < TOPS; rank++)
        search_offer(step, row, rank, all[rank].id, all[rank].score);
}

static void search_by_steps(struct search_memory *memory, int starts, const struct rules *rules,
                            unsigned seed)
{
    for (int round = 0; round <= T; round++) {
        struct search_step step = {.width = round ? B : 1,
                                   .min_length = rules->min_length,
                                   .endings = rules->endings,
                                   .at_limit = rules->at_limit,
                                   .other_end = rules->other_end};
        for (int s = 0; s < S; s++)
            for (int b = 0; b < step.width && !memory->done[s]; b++)
                ask_model(memory, &step, step.rows++, s * B + b, starts, seed + (unsigned)s);
        if (step.rows == 0)
            return;
        search_advance(memory, &step, starts);
    }
    fail_msg("the search does not end");
}

static void search_all(void)
{
    for (unsigned seed = 0; seed < (unsigned)(ops_on_plugin() ? rounds_of(60, 300) : 300); seed++) {
        const int starts = 1 + (int)(seed / 5 % 2);
        struct rules rules = {.min_length = (int)(seed / 2 % 3),
                              .endings = (enum endings)(seed % ENDINGS_COUNT),
                              .at_limit = (enum search_limit)(seed / 3 % LIMIT_COUNT),
                              .other_end = seed / 7 % 2 ? EOS + 1 : 0};
        struct search_memory memory;
        search_begin(&memory, starts, 0);
        for (int length = 1; length <= T; length++) // the more, the longer ones are preferred
            memory.penalty[length] = powf((float)length, (float)(seed / 4 % 3));
        rules.penalty = memory.penalty;
        for (int s = 0; s < S; s++)
            memory.limit[s] = 1 + (int)(seed + (unsigned)s) % (T - starts + 1);
        search_by_steps(&memory, starts, &rules, 1000 * seed);
        for (int s = 0; s < S; s++) {
            struct hypothesis expected[2 * B];
            rules.limit = memory.limit[s];
            int count = search_by_lists(expected, &rules, 1000 * seed + (unsigned)s);
            assert_int_equal(memory.count[s], count);
            for (int f = 0; f < count; f++) {
                assert_true(memory.finished_score[s][f] == expected[f].score);
                assert_int_equal(memory.finished_length[s][f], expected[f].length);
                for (int i = 0; i < expected[f].length; i++) {
                    assert_int_equal(memory.finished_token[s][f][i], expected[f].tokens[i]);
                    assert_true(memory.finished_lp[s][f][i] == expected[f].lps[i]);
                }
            }
        }
    }
}

static void whole_searches_find_what_lists_of_tokens_find(void **state)
{
    search_all();
    if (!ops_on_plugin())
        return;
    setenv("ATTNSCOPE_CUDA", "-few-hypotheses,-told-ends", 1); // the kernel of any number
    search_all();
    unsetenv("ATTNSCOPE_CUDA");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_searches_find_what_lists_of_tokens_find),
    };
    int failed = 0;
    while (ops_next_order())
        failed += cmocka_run_group_tests(tests, NULL, NULL);
    return failed;
}
