#include "model/score/ngrams.h"

#include <stdlib.h>

#include "base/system.h"

/* The places of a sequence, sorted by what follows them. This puts equal n-grams beside each other,
 * for all n up to `order` at once. */
struct sorted {
    const struct sequence *sequence;
    int order;
    int *starts; // (sequence->count)
};

/* Compares n items at two places; a sequence that ends sooner comes first. */
static int compare_at(const struct sequence *a, int at_a, const struct sequence *b, int at_b, int n)
{
    for (int i = 0; i < n; i++) {
        bool a_ends = at_a + i >= a->count, b_ends = at_b + i >= b->count;
        if (a_ends || b_ends)
            return b_ends - a_ends;
        uint32_t item_a = a->items[at_a + i], item_b = b->items[at_b + i];
        if (item_a != item_b)
            return item_a < item_b ? -1 : 1;
    }
    return 0;
}

static int compare_starts(const void *a, const void *b, void *context)
{
    const struct sorted *sorted = context;
    return compare_at(sorted->sequence, *(const int *)a, sorted->sequence, *(const int *)b,
                      sorted->order);
}

static bool sorted_make(struct sorted *sorted, const struct sequence *sequence, int order,
                        struct status *status)
{
    *sorted = (struct sorted){sequence, order, memory_new(sequence->count, sizeof(int), status)};
    if (!sorted->starts)
        return false;
    for (int i = 0; i < sequence->count; i++)
        sorted->starts[i] = i;
    sort_with(sorted->starts, sequence->count, sizeof(int), compare_starts, sorted);
    return true;
}

/* An n-gram of the hypothesis: how often it occurs there, and at most in one reference. */
struct run {
    int start, count, most;
};

/* Returns the first place in the order whose n-gram differs from that at `first`. */
static int run_end(const struct sorted *sorted, int first, int n)
{
    int end = first + 1;
    while (end < sorted->sequence->count &&
           compare_at(sorted->sequence, sorted->starts[first], sorted->sequence,
                      sorted->starts[end], n) == 0)
        end++;
    return end;
}

/* Finds the runs and returns how many there are. */
static int find_runs(const struct sorted *sorted, int n, struct run *runs)
{
    int count = 0, end;
    for (int i = 0; i < sorted->sequence->count; i = end) {
        end = run_end(sorted, i, n);
        if (sorted->starts[i] + n <= sorted->sequence->count)
            runs[count++] = (struct run){sorted->starts[i], end - i, 0};
    }
    return count;
}

/* Both are sorted the same way. */
static void count_reference(const struct sequence *hypothesis, struct run *runs, int run_count,
                            const struct sorted *reference, int n)
{
    int r = 0, end;
    for (int i = 0; i < reference->sequence->count && r < run_count; i = end) {
        int start = reference->starts[i], order = -1;
        end = run_end(reference, i, n);
        while (r < run_count &&
               (order = compare_at(hypothesis, runs[r].start, reference->sequence, start, n)) < 0)
            r++;
        if (order == 0 && runs[r].most < end - i)
            runs[r].most = end - i;
    }
}

static int64_t sum_matches(const struct run *runs, int count)
{
    int64_t sum = 0;
    for (int i = 0; i < count; i++)
        sum += runs[i].count < runs[i].most ? runs[i].count : runs[i].most;
    return sum;
}

static void match_sorted(const struct sorted *hypothesis, const struct sorted *references,
                         int reference_count, struct run *runs, int64_t *matched)
{
    for (int n = 1; n <= hypothesis->order; n++) {
        int count = find_runs(hypothesis, n, runs);
        for (int i = 0; i < reference_count; i++)
            count_reference(hypothesis->sequence, runs, count, &references[i], n);
        matched[n - 1] = sum_matches(runs, count);
    }
}

bool ngrams_match(const struct sequence *hypothesis, const struct sequence *references,
                  int reference_count, int order, int64_t *matched, struct status *status)
{
    struct sorted first = {0};
    struct sorted *others = memory_new(reference_count, sizeof *others, status);
    struct run *runs = memory_new(hypothesis->count, sizeof *runs, status);
    bool ok = others && runs && sorted_make(&first, hypothesis, order, status);
    for (int i = 0; ok && i < reference_count; i++)
        ok = sorted_make(&others[i], &references[i], order, status);
    if (ok)
        match_sorted(&first, others, reference_count, runs, matched);
    for (int i = 0; others && i < reference_count; i++)
        free(others[i].starts);
    free(first.starts);
    free(others);
    free(runs);
    return ok;
}
