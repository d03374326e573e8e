/* Word alignments made by hand, from a file. Two layouts, told apart by the first line that is not blank:
 *
 *   Pharaoh  a line for each sentence, a link for each word of it: "0-0" is sure, "1?2" and "1p2" are possible. Words
 *            count from 0. A blank line has no link.
 *   NAACL    a line for each link, "0001 1 2", "0001 1 2 S" or "0001 1 2 P", S is sure and P possible; a confidence
 *            may follow. Sentences and words count from 1, and 0 is the empty word: its links are left out. The
 *            layout of the shared tasks of NAACL 2003 and ACL 2005 (Mihalcea and Pedersen 2003).
 *
 * The source's word stands before the target's. A link that a sentence has twice counts once, and is sure where one of
 * the two is.
 *
 *     gold_read; gold_links and gold_check of each sentence; gold_free
 */
#ifndef ATTNSCOPE_GOLD_ALIGNMENT_H
#define ATTNSCOPE_GOLD_ALIGNMENT_H

#include "model/score/alignment_score.h"
#include "model/text/lines.h"

enum gold_layout { GOLD_PHARAOH, GOLD_NAACL };

struct gold_alignments {
    enum gold_layout layout;
    struct word_link *links; // of sentence s: begin[s] … begin[s+1]-1, sorted (word_link_compare)
    int *lines;              // the line of the file that each link stands in, from 1
    int *begin;              // (sentences + 1)
    int sentences;
};

/* Reads the alignments of so many sentences. Messages begin with path and line: "gold.txt:17: \"3_4\": expected a link
 * such as 3-4". A file of another number of sentences, or without a link, is STATUS_INVALID. On failure `out` is
 * empty. */
bool gold_read(const char *path, int sentences, const struct watch *watch,
               struct gold_alignments *out, struct status *status);
void gold_free(struct gold_alignments *gold); // leaves it empty

/* The links of a sentence (from 0), and how many. */
static inline const struct word_link *gold_links(const struct gold_alignments *gold, int sentence,
                                                 int *count)
{
    *count = gold->begin[sentence + 1] - gold->begin[sentence];
    return gold->links + gold->begin[sentence];
}

/* Fails where a link of the sentence is of a word that it does not have. */
bool gold_check(const struct gold_alignments *gold, const char *path, int sentence,
                int source_words, int target_words, struct status *status);

#endif
