#include "model/score/bleu.h"

#include <math.h>
#include <stdlib.h>

#include "model/score/ngrams.h"

const char *const bleu_smoothing_names[] = {"exp", "floor", "add-k", "none", NULL};

/* What log(0) counts as. */
static const double LOG_OF_NOTHING = -9999999999;

/* Counting ------------------------------------------------------------------------------------- */

/* A sentence and its references as sequences; the sentence comes first. */
struct sequences {
    struct bleu_tokens tokens;
    uint32_t *numbers;
    struct sequence *all; // (1 + references)
};

static bool sequences_make(struct sequences *sequences, const struct bleu_options *options,
                           const char *text, const char *const *references, int count,
                           struct status *status)
{
    struct bleu_tokens *tokens = &sequences->tokens;
    sequences->all = memory_new((size_t)count + 1, sizeof *sequences->all, status);
    for (int i = 0; sequences->all && i <= count; i++) {
        int before = tokens->count;
        if (!bleu_tokens_add(tokens, options->tokenizer, options->lowercase,
                             i ? references[i - 1] : text, status))
            return false;
        sequences->all[i].count = tokens->count - before;
    }
    sequences->numbers = sequences->all ? bleu_tokens_numbers(tokens, status) : NULL;
    if (!sequences->numbers)
        return false;
    const uint32_t *next = sequences->numbers;
    for (int i = 0; i <= count; next += sequences->all[i++].count)
        sequences->all[i].items = next;
    return true;
}

static void sequences_free(struct sequences *sequences)
{
    bleu_tokens_free(&sequences->tokens);
    free(sequences->numbers);
    free(sequences->all);
}

static int closest_length(int length, const struct sequence *references, int count)
{
    int closest = references[0].count;
    for (int i = 1; i < count; i++) {
        int other = references[i].count;
        int further = abs(length - other) - abs(length - closest);
        if (further < 0 || (further == 0 && other < closest))
            closest = other;
    }
    return closest;
}

bool bleu_count(const struct bleu_options *options, const char *text, const char *const *references,
                int reference_count, int64_t counts[BLEU_COUNTS], int *length,
                struct status *status)
{
    struct sequences sequences = {0};
    bool ok = sequences_make(&sequences, options, text, references, reference_count, status) &&
              ngrams_match(&sequences.all[0], &sequences.all[1], reference_count, BLEU_ORDER,
                           counts + BLEU_MATCHED, status);
    if (ok) {
        const struct sequence *own = &sequences.all[0];
        counts[BLEU_LENGTH] = own->count;
        counts[BLEU_REFERENCE] = closest_length(own->count, &own[1], reference_count);
        for (int n = 1; n <= BLEU_ORDER; n++)
            counts[BLEU_TOTAL + n - 1] = ngrams_count(own->count, n);
        if (length)
            *length = own[1].count;
    }
    sequences_free(&sequences);
    return ok;
}

/* Scoring -------------------------------------------------------------------------------------- */

static double smooth_value(const struct bleu_options *options)
{
    if (options->smooth_value != 0)
        return options->smooth_value;
    return options->smoothing == SMOOTH_FLOOR ? 0.1 : 1;
}

static double brevity_penalty(int64_t length, int64_t reference)
{
    if (length >= reference)
        return 1;
    return length > 0 ? exp(1 - (double)reference / (double)length) : 0;
}

/* Computes precisions in percent. Returns how many orders count. */
static int compute_precisions(const struct bleu_options *options, const int64_t *counts,
                              double precisions[BLEU_ORDER])
{
    double share = 1, value = smooth_value(options);
    int orders = BLEU_ORDER;
    for (int n = 0; n < BLEU_ORDER; n++) {
        double add = options->smoothing == SMOOTH_ADD_K && n > 0 ? value : 0;
        double matched = (double)counts[BLEU_MATCHED + n] + add;
        double total = (double)counts[BLEU_TOTAL + n] + add;
        if (total == 0)
            break;
        if (options->effective_order)
            orders = n + 1;
        if (matched != 0)
            precisions[n] = 100 * matched / total;
        else if (options->smoothing == SMOOTH_EXP)
            precisions[n] = 100 / ((share *= 2) * total);
        else if (options->smoothing == SMOOTH_FLOOR)
            precisions[n] = 100 * value / total;
    }
    return orders;
}

struct bleu_score bleu_score(const struct bleu_options *options, const int64_t counts[BLEU_COUNTS])
{
    struct bleu_score out = {.length = counts[BLEU_LENGTH], .reference = counts[BLEU_REFERENCE]};
    bool any = false;
    out.brevity = brevity_penalty(out.length, out.reference);
    for (int n = 0; n < BLEU_ORDER; n++)
        any |= counts[BLEU_MATCHED + n] > 0;
    if (!any)
        return out;
    int orders = compute_precisions(options, counts, out.precisions);
    double sum = 0;
    for (int n = 0; n < orders; n++)
        sum += out.precisions[n] == 0 ? LOG_OF_NOTHING : log(out.precisions[n]);
    out.score = out.brevity * exp(sum / orders);
    return out;
}

static double metric_score(const void *options, const int64_t *sums)
{
    return bleu_score(options, sums).score;
}

struct metric bleu_metric(const struct bleu_options *options)
{
    return (struct metric){BLEU_COUNTS, metric_score, options};
}

/* Writing -------------------------------------------------------------------------------------- */

void bleu_write_verbose(FILE *out, const struct bleu_score *score)
{
    double ratio = score->reference ? (double)score->length / (double)score->reference : 0;
    for (int n = 0; n < BLEU_ORDER; n++)
        fprintf(out, "%s%.1f", n ? "/" : "", score->precisions[n]);
    fprintf(out, " (BP = %.3f ratio = %.3f hyp_len = %lld ref_len = %lld)", score->brevity, ratio,
            (long long)score->length, (long long)score->reference);
}

void bleu_write_signature(FILE *out, const struct bleu_options *options, int references,
                          const char *tests, const char *version)
{
    fprintf(out, "nrefs:%d|%scase:%s|eff:%s|tok:%s|smooth:%s", references, tests,
            options->lowercase ? "lc" : "mixed", options->effective_order ? "yes" : "no",
            bleu_tokenizer_signature(options->tokenizer), bleu_smoothing_names[options->smoothing]);
    if (options->smoothing == SMOOTH_FLOOR || options->smoothing == SMOOTH_ADD_K)
        fprintf(out, "[%.2f]", smooth_value(options));
    fprintf(out, "|version:%s", version);
}
