#include "model/study/heads/head_nearest.h"

#include "base/minmax.h"
#include "gpu/cpu/patterns.h"

#define FIXED(of, over)                                                                            \
    {                                                                                              \
        .energy = ENERGY_FIXED, .pattern = of, .unit = over                                        \
    }
#define BOTH_UNITS(text, of)                                                                       \
    {text, FIXED(of, UNIT_TOKEN)},                                                                 \
    {                                                                                              \
        text " word", FIXED(of, UNIT_WORD)                                                         \
    }
#define GAUSSIAN(text, away)                                                                       \
    {                                                                                              \
        text,                                                                                      \
        {                                                                                          \
            .energy = ENERGY_FIXED, .pattern = PATTERN_GAUSSIAN, .offset = away, .deviation = 1    \
        }                                                                                          \
    }

const struct near_pattern near_patterns[NEAR_PATTERNS] = {
    BOTH_UNITS("current", PATTERN_CURRENT),
    BOTH_UNITS("previous", PATTERN_PREVIOUS),
    BOTH_UNITS("next", PATTERN_NEXT),
    BOTH_UNITS("left_context", PATTERN_LEFT_CONTEXT),
    BOTH_UNITS("right_context", PATTERN_RIGHT_CONTEXT),
    BOTH_UNITS("sentence_end", PATTERN_SENTENCE_END),
    BOTH_UNITS("sentence_start", PATTERN_SENTENCE_START),
    BOTH_UNITS("last", PATTERN_LAST),
    GAUSSIAN("gaussian -1", -1),
    GAUSSIAN("gaussian", 0),
    GAUSSIAN("gaussian 1", 1),
};

static struct key_span fill_pattern(const struct head *head, const struct near_row *row,
                                    const struct near_scratch *scratch)
{
    if (head->unit == UNIT_TOKEN)
        return pattern_row(head, row->position, row->columns, scratch->pattern);
    for (int j = 0; j < row->columns; j++)
        scratch->keys[j] = j;
    return pattern_word_row(head, row->word, row->columns, row->column_words, scratch->keys,
                            scratch->pattern);
}

/* Sums up the lesser of a head's weight and the pattern's, which is 0 outside the span. Returns the
 * pattern's sum. */
static double add_shared(const struct near_row *row, const float *pattern, struct key_span span,
                         float *shared)
{
    double total = 0;
    for (int k = 0; k < row->heads; k++)
        shared[k] = 0;
    for (int j = span.begin; j < span.end; j++) {
        const float *weights = row->weights + (size_t)j * (size_t)row->heads, at = pattern[j];
        total += at;
        for (int k = 0; k < row->heads; k++)
            shared[k] += weights[k] < at ? weights[k] : at;
    }
    return total;
}

static void add_totals(const struct near_row *row, float *totals)
{
    for (int k = 0; k < row->heads; k++)
        totals[k] = 0;
    for (int j = 0; j < row->columns; j++)
        for (int k = 0; k < row->heads; k++)
            totals[k] += row->weights[(size_t)j * (size_t)row->heads + (size_t)k];
}

void nearest_add(const struct near_row *row, const struct near_scratch *scratch, double *sums)
{
    add_totals(row, scratch->totals);
    for (int p = 0; p < NEAR_PATTERNS; p++) {
        const struct head *head = &near_patterns[p].head;
        if (head->unit == UNIT_WORD && !row->column_words)
            continue;
        const struct key_span span = fill_pattern(head, row, scratch);
        const double total = add_shared(row, scratch->pattern, span, scratch->shared);
        for (int k = 0; k < row->count; k++)
            if (row->present[k] != 0)
                sums[(size_t)p * (size_t)row->heads + (size_t)k] +=
                    2 * (double)scratch->shared[k] / (scratch->totals[k] + total);
    }
}
