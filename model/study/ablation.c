#include "model/study/ablation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/study/holm.h"
#include "model/study/significance.h"

static const char scoring[] = "scoring";

void ablation_free(struct ablation *ablation)
{
    free(ablation->layers);
    free(ablation->heads);
    *ablation = (struct ablation){0};
}

struct dials *ablation_dials(const struct dials *base, const struct ablation *ablation,
                             struct status *status)
{
    struct dials *dials = dials_copy(base, status);
    for (int i = 0; dials && i < ablation->layer_count; i++)
        for (int j = 0; j < ablation->head_count; j++)
            *dials_gain(dials, ablation->module, ablation->layers[i], ablation->heads[j]) = 0;
    return dials;
}

/* Scores ----------------------------------------------------------------------------------------- */

static int64_t *counts_at(int64_t *counts, int sentence)
{
    return counts + (size_t)sentence * BLEU_COUNTS;
}

static bool count_sentence(const struct ablations *ablations, int64_t *counts, const char *text,
                           int sentence, struct status *status)
{
    const char *const *references =
        ablations->references + (size_t)sentence * (size_t)ablations->reference_count;
    return bleu_count(&ablations->options, text, references, ablations->reference_count,
                      counts_at(counts, sentence), NULL, status);
}

static double score_of(struct ablations *ablations, int64_t *counts)
{
    int64_t sums[BLEU_COUNTS] = {0};
    for (int i = 0; i < ablations->sentences; i++)
        counts_add(sums, counts_at(counts, i), BLEU_COUNTS);
    return bleu_score(&ablations->options, sums).score;
}

static bool allocate(struct ablations *ablations, struct status *status)
{
    size_t sentences = (size_t)ablations->sentences, all;
    if (!size_multiply(sentences, (size_t)ablations->reference_count, &all))
        return status_fail(status, STATUS_MEMORY, "out of memory");
    ablations->references = memory_new(all, sizeof *ablations->references, status);
    ablations->base = memory_new(sentences, BLEU_COUNTS * sizeof *ablations->base, status);
    ablations->other = memory_new(sentences, BLEU_COUNTS * sizeof *ablations->other, status);
    return ablations->references && ablations->base && ablations->other;
}

static bool count_base(struct ablations *ablations, const char *const *const *references,
                       const struct watcher *watcher, struct status *status)
{
    for (int i = 0; i < ablations->sentences; i++) {
        for (int r = 0; r < ablations->reference_count; r++)
            ablations->references[(size_t)i * (size_t)ablations->reference_count + (size_t)r] =
                references[r][i];
        if (!watch_proceed(watcher, scoring, i, ablations->sentences, status) ||
            !count_sentence(ablations, ablations->base, ablations->texts[i], i, status))
            return watch_fail(watcher, scoring, ablations->sentences);
    }
    ablations->score = score_of(ablations, ablations->base);
    return watch_proceed(watcher, scoring, ablations->sentences, ablations->sentences, status);
}

bool ablations_open(struct ablations *ablations, const struct bleu_options *options,
                    const char *const *texts, const char *const *const *references,
                    int reference_count, int sentences, const struct watcher *watcher,
                    struct status *status)
{
    *ablations = (struct ablations){.options = *options,
                                    .texts = texts,
                                    .reference_count = reference_count,
                                    .sentences = sentences};
    if (allocate(ablations, status) && count_base(ablations, references, watcher, status))
        return true;
    ablations_close(ablations);
    return false;
}

void ablations_close(struct ablations *ablations)
{
    free(ablations->references);
    free(ablations->base);
    free(ablations->other);
    *ablations = (struct ablations){0};
}

/* What is translated alike has been counted. */
static bool count_other(struct ablations *ablations, const char *const *texts,
                        const struct watcher *watcher, int *differing, struct status *status)
{
    *differing = 0;
    for (int i = 0; i < ablations->sentences; i++) {
        if (!watch_proceed(watcher, scoring, i, ablations->sentences, status))
            return false;
        if (strcmp(texts[i], ablations->texts[i]) == 0) {
            memcpy(counts_at(ablations->other, i), counts_at(ablations->base, i),
                   BLEU_COUNTS * sizeof *ablations->other);
            continue;
        }
        ++*differing;
        if (!count_sentence(ablations, ablations->other, texts[i], i, status))
            return watch_fail(watcher, scoring, ablations->sentences);
    }
    return watch_proceed(watcher, scoring, ablations->sentences, ablations->sentences, status);
}

static bool same_counts(const struct ablations *ablations)
{
    size_t size = (size_t)ablations->sentences * BLEU_COUNTS * sizeof *ablations->base;
    return memcmp(ablations->base, ablations->other, size) == 0;
}

bool ablations_score(struct ablations *ablations, const char *const *texts, int resamples,
                     unsigned long seed, const struct watcher *watcher, struct ablation_score *out,
                     struct status *status)
{
    struct metric metric = bleu_metric(&ablations->options);
    struct paired paired = {&metric, ablations->base, ablations->other, ablations->sentences};
    struct bootstrap_result bootstrap;
    *out = (struct ablation_score){.p = NAN, .p_adjusted = NAN};
    if (!count_other(ablations, texts, watcher, &out->differing, status))
        return false;
    out->score = score_of(ablations, ablations->other);
    out->delta = out->score - ablations->score;
    if (!resamples)
        return true;
    if (same_counts(
            ablations)) { // no resample differs: the share above 0 would be the least there is
        out->p = 1;
        return true;
    }
    if (!bootstrap_test(&paired, resamples, seed, watcher, &bootstrap, status))
        return false;
    out->p = bootstrap.p;
    return true;
}

bool ablations_adjust(struct ablation_score *scores, int count, struct status *status)
{
    double *p = memory_new(2 * (size_t)count, sizeof *p, status);
    bool ok = p != NULL;
    for (int i = 0; ok && i < count; i++)
        p[i] = scores[i].p;
    ok = ok && holm_adjust(p, count, p + count, status);
    for (int i = 0; ok && i < count; i++)
        scores[i].p_adjusted = p[count + i];
    free(p);
    return ok;
}
