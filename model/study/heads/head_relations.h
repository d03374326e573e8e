/* The frequency with which heads of the encoder look along syntactic relations (Voita et al. 2019,
 * section 5.2).
 *
 *     zero-initialise; relations_add for each sentence; relation_accuracy, relation_baseline;
 *     relations_free
 *
 * A relation has two directions: from the dependent to its head, and from the head to its
 * dependents. A row, which is a token, counts for every relation and direction in which its word
 * has another word with tokens. The head of attention is right if its greatest weight, the
 * end-of-sentence token left out, is on any token of such a word. The baseline is what the best
 * single offset reaches: the share of the rows for which the token at that offset is right.
 */
#ifndef ATTNSCOPE_HEAD_RELATIONS_H
#define ATTNSCOPE_HEAD_RELATIONS_H

#include <stdint.h>

#include "base/status.h"

enum relation_direction { TO_HEAD, TO_DEPENDENT, RELATION_DIRECTIONS };
extern const char *const relation_direction_names[]; // "head", "dependent"

/* The words of a sentence. */
struct syntax {
    const int *words; // (tokens): the word of each token, from 0; -1: none
    int tokens;
    const int *heads;     // (count): the word that each one depends on, from 0; -1: none
    const int *relations; // (count): the number of the relation, from 0; -1: not given
    int count;
};

/* The rows of a relation and direction. For head_relations.c and head_stats_text.c. */
struct relation_sums {
    int64_t rows;
    int64_t *offsets; // (2 * span + 1): rows for which the token at offset k - span is right
    int span;
    int64_t *head_rows, *hits; // (heads): rows in which each has weight, and is right
};

struct head_relations {
    struct relation_sums *sums; // (count): relation * RELATION_DIRECTIONS + direction
    int count;
    size_t capacity;
};

/* Room for the relation, with offsets as far as `span`, in both directions. */
bool relations_make_room(struct head_relations *relations, int relation, int heads, int span,
                         struct status *status);

/* places: (tokens, heads): the column of the greatest weight; -1: the row has no weight, and counts
 * neither for nor against the head. On failure the sentence may have been added in part. */
bool relations_add(struct head_relations *relations, const struct syntax *syntax,
                   const int32_t *places, int heads, struct status *status);
/* Adds the rows of others, of the same heads. */
bool relations_merge(struct head_relations *relations, const struct head_relations *others,
                     int heads, struct status *status);
void relations_free(struct head_relations *relations); // leaves it empty

/* Rows of the relation; 0: there are none. */
int64_t relation_rows(const struct head_relations *relations, int relation,
                      enum relation_direction direction);
/* NaN: there are no rows in which the head has weight. */
double relation_accuracy(const struct head_relations *relations, int relation,
                         enum relation_direction direction, int head);
double relation_baseline(const struct head_relations *relations, int relation,
                         enum relation_direction direction);

#endif
