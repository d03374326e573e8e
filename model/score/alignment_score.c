#include "model/score/gold_alignment.h"

#include <math.h>

int word_link_compare(const void *a, const void *b)
{
    const struct word_link *first = a, *second = b;
    if (first->source != second->source)
        return first->source < second->source ? -1 : 1;
    return (first->target > second->target) - (first->target < second->target);
}

void alignment_count(const struct word_link *gold, int gold_count, const struct word_link *links,
                     int link_count, struct alignment_counts *counts)
{
    for (int g = 0; g < gold_count; g++)
        counts->sure += gold[g].sure;
    counts->links += link_count;
    for (int g = 0, i = 0; g < gold_count && i < link_count;) {
        int order = word_link_compare(&gold[g], &links[i]);
        if (order == 0) {
            counts->possible_found++;
            counts->sure_found += gold[g].sure;
        }
        g += order <= 0;
        i += order >= 0;
    }
}

static double share(int64_t found, int64_t of)
{
    return of ? (double)found / (double)of : NAN;
}

double alignment_precision(const struct alignment_counts *counts)
{
    return share(counts->possible_found, counts->links);
}

double alignment_recall(const struct alignment_counts *counts)
{
    return share(counts->sure_found, counts->sure);
}

double alignment_error_rate(const struct alignment_counts *counts)
{
    return 1 - share(counts->sure_found + counts->possible_found, counts->links + counts->sure);
}
