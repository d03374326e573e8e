/* Links of a result, one sentence at a time: those of a head, also next to those of GOLD. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/alignment/align_files.h"
#include "model/text/words/blank_words.h"

int align_links(const struct align_result *result, int sentence, int head, struct word_link *links)
{
    const struct align_sentence_result *of = &result->each[sentence];
    const int16_t *sources = of->links + (size_t)head * (size_t)of->words;
    int count = 0;
    for (int w = 0; w < of->words; w++)
        if (sources[w] >= 0)
            links[count++] = (struct word_link){.source = sources[w], .target = w};
    if (count)
        qsort(links, (size_t)count, sizeof *links, word_link_compare);
    return count;
}

bool align_counts(const struct align_result *result, int sentence, int head, struct align_head *out,
                  struct status *status)
{
    if (result->silver.kind != SILVER_NONE)
        return align_silver_count(result, sentence, head, out, status);
    int gold_count, words = result->each[sentence].words;
    const struct word_link *gold = gold_links(&result->gold, sentence, &gold_count);
    struct word_link *links = memory_new((size_t)words, sizeof *links, status);
    if (!links)
        return false;
    int count = align_links(result, sentence, head, links);
    alignment_count(gold, gold_count, links, count, &out->counts);
    free(links);
    return true;
}

/* Links against GOLD --------------------------------------------------------------------------- */

static int compare_judged(const void *a, const void *b)
{
    const struct judged_link *one = a, *other = b;
    return one->target != other->target ? one->target - other->target : one->source - other->source;
}

static struct judged_link *find_judged(struct judged_link *links, int count,
                                       const struct word_link *link)
{
    for (int i = 0; i < count; i++)
        if (links[i].source == link->source && links[i].target == link->target)
            return &links[i];
    return NULL;
}

struct judged_link *align_judge(const struct align_result *result, int sentence, int head,
                                int *count, struct status *status)
{
    int gold_count, words = result->each[sentence].words;
    const struct word_link *gold = gold_links(&result->gold, sentence, &gold_count);
    struct word_link *links = memory_new((size_t)words, sizeof *links, status);
    struct judged_link *judged =
        memory_new((size_t)words + (size_t)gold_count, sizeof *judged, status);
    *count = links && judged && words ? align_links(result, sentence, head, links) : 0;
    for (int i = 0; i < *count; i++)
        judged[i] = (struct judged_link){links[i].source, links[i].target, .linked = true};
    for (int i = 0; links && judged && i < gold_count; i++) {
        struct judged_link *same = find_judged(judged, *count, &gold[i]);
        if (!same && !gold[i].sure)
            continue;
        if (!same) {
            same = &judged[(*count)++];
            *same = (struct judged_link){gold[i].source, gold[i].target, .linked = false};
        }
        same->possible = true;
        same->sure = gold[i].sure;
    }
    if (*count)
        qsort(judged, (size_t)*count, sizeof *judged, compare_judged);
    bool ok = links && judged;
    free(links);
    if (ok)
        return judged;
    free(judged);
    return NULL;
}

static bool add_blank_words(const char *text, struct strings *words, struct status *status)
{
    struct text_words found;
    bool ok = blank_words_find(text, &found, status);
    for (int i = 0; ok && i < found.count; i++)
        ok = strings_add(words, text + found.ranges[i].begin,
                         found.ranges[i].end - found.ranges[i].begin, status);
    free(found.ranges);
    return ok;
}

/* Every piece that spells something is a word (count_pieces). */
static bool add_piece_words(struct tokenizer *tokenizer, const char *text, struct strings *words,
                            struct status *status)
{
    struct strings pieces = {0};
    bool ok = tokenizer_split(tokenizer, text, &pieces, status);
    for (int i = 0; ok && i < pieces.count; i++) {
        char *word =
            tokenizer_join_word(tokenizer, (const char *const *)pieces.text + i, 1, status);
        ok = word && (!*word || strings_add(words, word, strlen(word), status));
        free(word);
    }
    strings_free(&pieces);
    return ok;
}

bool align_word_texts(const struct state *state, const struct align_result *result, int sentence,
                      int side, struct strings *words, struct status *status)
{
    const char *text = result->lines[side].text[sentence];
    struct tokenizer *tokenizer = model_checkpoint(state->model)->tokenizer[side];
    return result->unspaced[side] ? add_piece_words(tokenizer, text, words, status)
                                  : add_blank_words(text, words, status);
}

/* GOLD counted from 1 -------------------------------------------------------------------------- */

/* Adds how good a head's links would be if GOLD counted words from 1. */
static bool count_from_1(const struct align_result *result, int sentence, int head,
                         struct alignment_counts *counts, struct status *status)
{
    int gold_count, words = result->each[sentence].words;
    gold_links(&result->gold, sentence, &gold_count);
    struct word_link *gold = memory_new((size_t)gold_count, sizeof *gold, status);
    struct word_link *links = memory_new((size_t)words, sizeof *links, status);
    bool ok = gold && links;
    if (ok)
        alignment_count(gold, gold_links_from_1(&result->gold, sentence, gold), links,
                        align_links(result, sentence, head, links), counts);
    free(gold);
    free(links);
    return ok;
}

/* Finds the heads' least error rate if GOLD counted words from 1. */
static bool least_from_1(const struct align_result *result, double *least, struct status *status)
{
    *least = NAN;
    for (int h = 0; h < result->head_count; h++) {
        struct alignment_counts counts = {0};
        for (int i = 0; i < result->sentences; i++)
            if (!count_from_1(result, i, h, &counts, status))
                return false;
        *least = fmin(*least, alignment_error_rate(&counts));
    }
    return true;
}

static int count_linked(const struct align_result *result)
{
    int linked = 0;
    for (int i = 0; i < result->sentences; i++)
        linked += result->gold.begin[i + 1] > result->gold.begin[i];
    return linked;
}

bool align_find_from_1(struct align_result *result, struct status *status)
{
    enum { MANY = 20 };
    double least;
    result->error_from_1 = NAN;
    if (!align_has_gold(result) || result->shown || result->gold_from != GOLD_FROM_USUAL ||
        !result->sentences || !result->gold.without_zero)
        return true;
    if (!least_from_1(result, &least, status))
        return false;
    double as_read = alignment_error_rate(&result->heads[result->best].counts);
    if (least < as_read || count_linked(result) >= MANY)
        result->error_from_1 = least;
    return true;
}
