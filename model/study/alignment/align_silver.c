#include <stdlib.h>

#include "model/study/alignment/align_files.h"

/* True if a head votes: it is a single head and, of two that differ only in the shift, the first.
 * If the shift was requested, all are shifted. */
static bool votes(const struct align_result *result, int head)
{
    return result->heads[head].head >= 0 && result->heads[head].shifted == result->heads[0].shifted;
}

bool align_silver_check(const struct align_result *result, struct status *status)
{
    enum { LEAST = 3 };
    int count = 0;
    for (int i = 0; i < result->head_count; i++)
        count += votes(result, i);
    return result->silver.kind != SILVER_CONSENSUS || count >= LEAST ||
           status_fail(status, STATUS_INVALID,
                       "against consensus: %d heads have a vote, expected at least %d", count,
                       LEAST);
}

/* By a method ---------------------------------------------------------------------------------- */

static bool link_captured(const struct align_silver *silver, const struct align_sentence *sentence,
                          const struct capture *capture, const struct watch *watch, int16_t *links,
                          struct status *status)
{
    const struct captured captured = {.config = model_checkpoint(silver->state.model)->config,
                                      .head_settings = silver->state.head_settings,
                                      .capture = capture};
    const struct watch quiet = watch_quietly(watch);
    const size_t cells = (size_t)capture->target_rows * (size_t)capture->source_count;
    float *weights = memory_new(cells, sizeof *weights, status);
    double *sums = memory_new((size_t)sentence->words[SIDE_SOURCE].count, sizeof *sums, status);
    const bool ok = weights && sums &&
                    attribution_matrix(&captured, silver->method, MODULE_CROSS, silver->layer,
                                       HEADS_TOGETHER, &quiet, weights, NULL, status);
    if (ok)
        align_sentence_links(sentence, weights, false, sums, links);
    free(weights);
    free(sums);
    return ok;
}

/* In text without blanks, words are pieces, and another model may have other pieces. */
static bool check_words(const struct align_words *words, const struct align_sentence *sentence,
                        struct status *status)
{
    for (int side = 0; side < 2; side++)
        if (words[side].count != sentence->words[side].count)
            return status_fail(status, STATUS_INVALID,
                               "against: the two models cut the text into %d and %d words, as it "
                               "has no blanks: expected the same",
                               words[side].count, sentence->words[side].count);
    return true;
}

bool align_silver_measure(const struct align_silver *silver, const char *const *texts,
                          const bool *unspaced, const struct align_words *words,
                          const struct watch *watch, int16_t *links, struct status *status)
{
    const struct align_head all = {.layer = silver->layer, .head = HEADS_TOGETHER};
    struct attribution_request request;
    struct align_sentence sentence;
    struct capture capture;
    if (!align_sentence_open(&silver->state, texts, unspaced, &sentence, status))
        return false;
    bool ok = check_words(words, &sentence, status) &&
              align_request(&silver->state, silver->method, &all, 1, &request, status);
    if (ok) {
        ok = align_sentence_force(&silver->state, &sentence, &request.capture, watch, &capture,
                                  status);
        attribution_free(&request);
        ok = ok && link_captured(silver, &sentence, &capture, watch, links, status);
        capture_free(&capture);
    }
    align_sentence_close(&sentence);
    return ok;
}

/* Links ---------------------------------------------------------------------------------------- */

static const int16_t *links_of(const struct align_result *result, int sentence, int head)
{
    const struct align_sentence_result *each = &result->each[sentence];
    return each->links + (size_t)head * (size_t)each->words;
}

/* True if both are the same head, apart from the shift. */
static bool is_same(const struct align_head *a, const struct align_head *b)
{
    return a->layer == b->layer && a->head == b->head;
}

/* Returns the word that most of the other heads link `word` to, the first if tied; -1: none. count:
 * (source words), scratch. */
static int16_t vote(const struct align_result *result, int sentence, int head, int word, int *count)
{
    const int sources = result->each[sentence].sources;
    int best = -1;
    for (int s = 0; s < sources; s++)
        count[s] = 0;
    for (int i = 0; i < result->head_count; i++) {
        const int source = links_of(result, sentence, i)[word];
        if (source >= 0 && votes(result, i) && !is_same(&result->heads[i], &result->heads[head]))
            count[source]++;
    }
    for (int s = 0; s < sources; s++)
        if (count[s] > (best < 0 ? 0 : count[best]))
            best = s;
    return (int16_t)best;
}

bool align_silver_links(const struct align_result *result, int sentence, int head, int16_t *links,
                        struct status *status)
{
    const struct align_sentence_result *each = &result->each[sentence];
    if (result->silver.kind == SILVER_METHOD) {
        for (int w = 0; w < each->words; w++)
            links[w] = links_of(result, sentence, result->head_count)[w];
        return true;
    }
    int *count = memory_new((size_t)each->sources, sizeof *count, status);
    for (int w = 0; count && w < each->words; w++)
        links[w] = vote(result, sentence, head, w, count);
    free(count);
    return count != NULL;
}

bool align_silver_count(const struct align_result *result, int sentence, int head,
                        struct align_head *out, struct status *status)
{
    const int words = result->each[sentence].words;
    int16_t *silver = memory_new((size_t)words, sizeof *silver, status);
    const bool ok = silver && align_silver_links(result, sentence, head, silver, status);
    for (int w = 0; ok && w < words; w++) {
        const int16_t source = links_of(result, sentence, head)[w];
        const bool alike = source >= 0 && source == silver[w];
        out->counts.links += source >= 0;
        out->counts.sure += silver[w] >= 0;
        out->counts.sure_found += alike;
        out->counts.possible_found += alike;
        out->words += source >= 0 || silver[w] >= 0;
        out->alike += alike;
    }
    free(silver);
    return ok;
}
