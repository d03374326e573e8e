/* Word alignments scored against ones made by hand: precision, recall and alignment error rate.
 * Och and Ney 2003, "A Systematic Comparison of Various Statistical Alignment Models", section 6.
 *
 * Gold links S are sure, or only possible; P are both. Of the links A that are scored:
 *     precision  |A ∩ P| / |A|
 *     recall     |A ∩ S| / |S|
 *     AER        1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)
 * over all sentences: their counts are added before anything is divided.
 */
#ifndef ATTNSCOPE_ALIGNMENT_SCORE_H
#define ATTNSCOPE_ALIGNMENT_SCORE_H

#include <stdbool.h>
#include <stdint.h>

/* Words of a sentence and its translation, from 0. */
struct word_link {
    int source, target;
    bool sure; // of gold links; otherwise without meaning
};

struct alignment_counts {
    int64_t links;          // |A|
    int64_t sure;           // |S|
    int64_t sure_found;     // |A ∩ S|
    int64_t possible_found; // |A ∩ P|
};

/* By source, then by target; equal links are 0, sure or not. For qsort. */
int word_link_compare(const void *a, const void *b);

/* Adds the counts of a sentence. Both lists are sorted so and have no link twice. */
void alignment_count(const struct word_link *gold, int gold_count, const struct word_link *links,
                     int link_count, struct alignment_counts *counts);

/* NaN where nothing is counted. */
double alignment_precision(const struct alignment_counts *counts);
double alignment_recall(const struct alignment_counts *counts);
double alignment_error_rate(const struct alignment_counts *counts);

#endif
