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

/* Counts ----------------------------------------------------------------------------------------- */

static int64_t *counts_at(const struct ablation_counts *counts, int sentence)
{
    return counts->each + (size_t)sentence * BLEU_COUNTS;
}

bool ablations_open(struct ablations *ablations, const struct bleu_options *options,
                    const char *const *const *texts, int count,
                    const char *const *const *references, int reference_count, int sentences,
                    struct status *status)
{
    *ablations = (struct ablations){.options = *options,
                                    .texts = texts,
                                    .references = references,
                                    .reference_count = reference_count,
                                    .sentences = sentences};
    ablations->row = memory_new((size_t)reference_count, sizeof *ablations->row, status);
    ablations->counts = memory_new((size_t)count + 1, sizeof *ablations->counts, status);
    if (!ablations->row || !ablations->counts)
        return false;
    ablations->count = count;
    for (int i = 0; i <= count; i++) {
        int64_t *each = memory_new((size_t)sentences, BLEU_COUNTS * sizeof *each, status);
        if (!each)
            return false;
        ablations->counts[i].each = each;
    }
    return true;
}

void ablations_close(struct ablations *ablations)
{
    for (int i = 0; ablations->counts && i <= ablations->count; i++)
        free(ablations->counts[i].each);
    free(ablations->counts);
    free(ablations->row);
    *ablations = (struct ablations){0};
}

static bool is_there(const struct ablations *ablations, int sentence)
{
    for (int i = 0; i <= ablations->count; i++)
        if (!ablations->texts[i][sentence])
            return false;
    return true;
}

static bool differs(const struct ablations *ablations, int state, int sentence)
{
    return strcmp(ablations->texts[state][sentence], ablations->texts[0][sentence]) != 0;
}

/* What is translated alike is counted once. */
static bool count_texts(struct ablations *ablations, int sentence, struct status *status)
{
    const struct ablation_counts *counts = ablations->counts;
    for (int r = 0; r < ablations->reference_count; r++)
        ablations->row[r] = ablations->references[r][sentence];
    for (int i = 0; i <= ablations->count; i++) {
        int64_t *own = counts_at(&counts[i], sentence);
        if (i && !differs(ablations, i, sentence))
            memcpy(own, counts_at(&counts[0], sentence), BLEU_COUNTS * sizeof *own);
        else if (!bleu_count(&ablations->options, ablations->texts[i][sentence], ablations->row,
                             ablations->reference_count, own, NULL, status))
            return false;
    }
    return true;
}

static void add_counts(struct ablations *ablations, int sentence)
{
    for (int i = 0; i <= ablations->count; i++) {
        struct ablation_counts *counts = &ablations->counts[i];
        counts_add(counts->sums, counts_at(counts, sentence), BLEU_COUNTS);
        counts->differing += differs(ablations, i, sentence);
    }
}

bool ablations_count(struct ablations *ablations, const struct watcher *watcher,
                     struct status *status)
{
    const int most = ablations->sentences;
    for (; ablations->counted < most && is_there(ablations, ablations->counted);
         ablations->counted++) {
        if (!watch_proceed(watcher, scoring, ablations->counted, most, status) ||
            !count_texts(ablations, ablations->counted, status))
            return watch_fail(watcher, scoring, most);
        add_counts(ablations, ablations->counted);
    }
    return watch_proceed(watcher, scoring, most, most, status);
}

/* Scores ----------------------------------------------------------------------------------------- */

static double score_of(const struct ablations *ablations, int state)
{
    return bleu_score(&ablations->options, ablations->counts[state].sums).score;
}

double ablations_base(const struct ablations *ablations)
{
    return score_of(ablations, 0);
}

struct ablation_score ablations_score(const struct ablations *ablations, int number)
{
    double score = score_of(ablations, number + 1);
    return (struct ablation_score){.score = score,
                                   .delta = score - ablations_base(ablations),
                                   .differing = ablations->counts[number + 1].differing,
                                   .p = NAN,
                                   .p_adjusted = NAN};
}

bool ablations_test(const struct ablations *ablations, int number, int resamples,
                    unsigned long seed, const struct watcher *watcher, double *p,
                    struct status *status)
{
    const struct metric metric = bleu_metric(&ablations->options);
    const struct paired paired = {&metric, ablations->counts[0].each,
                                  ablations->counts[number + 1].each, ablations->counted};
    struct bootstrap_result bootstrap = {.p = 1};
    // Where no resample differs the share above 0 would be the least there is.
    if (paired_differing(&paired) > 0 &&
        !bootstrap_test(&paired, resamples, seed, watcher, &bootstrap, status))
        return false;
    *p = bootstrap.p;
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
