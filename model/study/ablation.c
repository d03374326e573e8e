#include "model/study/ablation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/score/holm.h"
#include "model/score/significance.h"

static const char scoring[] = "scoring";

/* Leaves it empty. */
static void ablation_free(struct ablation *ablation)
{
    free(ablation->layers);
    free(ablation->heads);
    *ablation = (struct ablation){0};
}

struct head_settings *ablation_head_settings(const struct head_settings *base,
                                             const struct ablation *ablation, struct status *status)
{
    struct head_settings *head_settings = head_settings_copy(base, status);
    for (int i = 0; head_settings && i < ablation->layer_count; i++)
        for (int j = 0; j < ablation->head_count; j++)
            *head_settings_gain(head_settings, ablation->module, ablation->layers[i],
                                ablation->heads[j]) = 0;
    return head_settings;
}

/* Counts --------------------------------------------------------------------------------------- */

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

/* Equal translations are counted once. */
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

bool ablations_count(struct ablations *ablations, const struct watch *watch, struct status *status)
{
    const int most = ablations->sentences;
    for (; ablations->counted < most && is_there(ablations, ablations->counted);
         ablations->counted++) {
        if (!watch_proceed(watch, scoring, ablations->counted, most, status) ||
            !count_texts(ablations, ablations->counted, status))
            return watch_fail(watch, scoring, most);
        add_counts(ablations, ablations->counted);
    }
    return watch_proceed(watch, scoring, most, most, status);
}

/* Scores --------------------------------------------------------------------------------------- */

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

bool ablations_test(const struct ablations *ablations, int number, int trials, unsigned long seed,
                    const struct watch *watch, double *p, struct status *status)
{
    const struct metric metric = bleu_metric(&ablations->options);
    const struct paired paired = {&metric, ablations->counts[0].each,
                                  ablations->counts[number + 1].each, ablations->counted};
    return randomisation_test(&paired, trials, seed, watch, p, status);
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

/* Lists ---------------------------------------------------------------------------------------- */

void ablation_list_free(struct ablation_list *list)
{
    for (int i = 0; i < list->count; i++)
        ablation_free(&list->items[i]);
    free(list->items);
    *list = (struct ablation_list){0};
}

struct ablation *ablation_list_add(struct ablation_list *list, struct status *status)
{
    if (!memory_grow((void **)&list->items, &list->capacity, (size_t)list->count + 1,
                     sizeof *list->items, status))
        return NULL;
    struct ablation *added = &list->items[list->count++];
    *added = (struct ablation){.layers = NULL};
    return added;
}

void ablation_list_remove(struct ablation_list *list, int index)
{
    ablation_free(&list->items[index]);
    for (int i = index; i + 1 < list->count; i++)
        list->items[i] = list->items[i + 1];
    list->count--;
}

static int *copy_numbers(const int *numbers, int count, struct status *status)
{
    int *copy = memory_new((size_t)count, sizeof *copy, status);
    for (int i = 0; copy && i < count; i++)
        copy[i] = numbers[i];
    return copy;
}

static bool copy_ablation(const struct ablation *from, struct ablation *copy, struct status *status)
{
    *copy = *from;
    copy->layers = copy_numbers(from->layers, from->layer_count, status);
    copy->heads = copy_numbers(from->heads, from->head_count, status);
    return copy->layers && copy->heads;
}

bool ablation_list_copy(const struct ablation_list *list, struct ablation_list *copy,
                        struct status *status)
{
    bool ok = true;
    *copy = (struct ablation_list){0};
    for (int i = 0; ok && i < list->count; i++) {
        struct ablation *added = ablation_list_add(copy, status);
        ok = added && copy_ablation(&list->items[i], added, status);
    }
    if (!ok)
        ablation_list_free(copy);
    return ok;
}

static bool same_numbers(const int *a, int a_count, const int *b, int b_count)
{
    return a_count == b_count && memcmp(a, b, (size_t)a_count * sizeof *a) == 0;
}

static bool same_ablation(const struct ablation *a, const struct ablation *b)
{
    return a->module == b->module &&
           same_numbers(a->layers, a->layer_count, b->layers, b->layer_count) &&
           same_numbers(a->heads, a->head_count, b->heads, b->head_count);
}

bool ablation_list_equal(const struct ablation_list *a, const struct ablation_list *b)
{
    if (a->count != b->count)
        return false;
    for (int i = 0; i < a->count; i++)
        if (!same_ablation(&a->items[i], &b->items[i]))
            return false;
    return true;
}
