/* Reads word alignments made by hand from a file. The first non-blank line decides between two
 * layouts:
 *
 *   Pharaoh  a line per sentence, with links separated by blanks: "0-0" is sure, "1?2" and "1p2"
 *            are possible. Words count from 0 or, on request, from 1. A blank line has no links.
 *   NAACL    a line per link, "0001 1 2", "0001 1 2 S" or "0001 1 2 P", where S is sure and P
 *            possible; a confidence may follow. Sentences and words count from 1; word 0 is the
 *            empty word, whose links are ignored. The layout of the shared tasks of NAACL 2003 and
 *            ACL 2005 (Mihalcea and Pedersen 2003).
 *
 * The source word precedes the target word. A duplicate link counts once, and is sure if any of its
 * copies is.
 *
 *     gold_read; gold_links and gold_check for each sentence; gold_free
 */
#ifndef ATTNSCOPE_GOLD_ALIGNMENT_H
#define ATTNSCOPE_GOLD_ALIGNMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/text/lines.h"

/* Scores of word alignments against those made by hand: precision, recall and alignment error rate.
 * Och and Ney 2003, "A Systematic Comparison of Various Statistical Alignment Models", section 6.
 *
 * S are the sure gold links, P the sure and possible ones. For scored links A:
 *     precision  |A ∩ P| / |A|
 *     recall     |A ∩ S| / |S|
 *     AER        1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|)
 * over all sentences: counts are added up before dividing.
 */

/* Words of a sentence and its translation, from 0. */
struct word_link {
    int source, target;
    bool sure; // only meaningful in gold links
};

struct alignment_counts {
    int64_t links;          // |A|
    int64_t sure;           // |S|
    int64_t sure_found;     // |A ∩ S|
    int64_t possible_found; // |A ∩ P|
};

/* Compares by source, then by target, ignoring `sure`. For qsort. */
int word_link_compare(const void *a, const void *b);

/* Adds the counts of a sentence. Both lists are sorted by word_link_compare, without duplicates. */
void alignment_count(const struct word_link *gold, int gold_count, const struct word_link *links,
                     int link_count, struct alignment_counts *counts);

/* NaN if nothing was counted. */
double alignment_precision(const struct alignment_counts *counts);
double alignment_recall(const struct alignment_counts *counts);
double alignment_error_rate(const struct alignment_counts *counts);

enum gold_layout { GOLD_PHARAOH, GOLD_NAACL };

struct gold_alignments {
    enum gold_layout layout;
    int from;                // the number of the first word in the file: 0 or 1
    bool without_zero;       // no link in the file has the number 0: it may count from 1
    struct word_link *links; // of sentence s: begin[s] … begin[s+1]-1, sorted (word_link_compare)
    int *lines;              // each link's line in the file, from 1
    int *begin;              // (sentences + 1)
    int sentences;
};

enum { GOLD_FROM_USUAL = -1 }; // from 0 in Pharaoh's layout, from 1 in NAACL's

/* Reads the alignments of `sentences` sentences, with words counted from `from`: GOLD_FROM_USUAL, 0
 * or 1. Messages begin with path and line: "gold.txt:17: \"3_4\": expected a link such as 3-4".
 * STATUS_INVALID: a different number of sentences, or no links. On failure `out` is empty. */
bool gold_read(const char *path, int sentences, int from, const struct watch *watch,
               struct gold_alignments *out, struct status *status);
void gold_free(struct gold_alignments *gold); // leaves it empty

/* The links of a sentence (from 0) and their number. */
static inline const struct word_link *gold_links(const struct gold_alignments *gold, int sentence,
                                                 int *count)
{
    *count = gold->begin[sentence + 1] - gold->begin[sentence];
    return gold->links + gold->begin[sentence];
}

/* Writes the links of a sentence as if the file counted from 1 instead of 0. links: room for
 * `count` of gold_links. Returns their number. */
int gold_links_from_1(const struct gold_alignments *gold, int sentence, struct word_link *links);

/* Fails if a link of the sentence refers to a word that does not exist. */
bool gold_check(const struct gold_alignments *gold, const char *path, int sentence,
                int source_words, int target_words, struct status *status);

#endif
