/* Statistics of heads' attention, averaged over many sentences.
 *
 *     head_stats_open; head_stats_add for each sentence; head_mean, head_distance, … ;
 *     head_stats_free
 *
 * A mean runs over the rows of all sentences: positions that attend. Rows of start tokens count in no
 * mean of the decoder's self-attention; in cross-attention every row counts from which a token of the
 * target is predicted, the first one, of the last start token, too. Rows without any weight never
 * count. In row i with weights w_j, j from 0:
 *
 *     entropy            -Σ w_j log2 w_j
 *     confidence         max w_j (Voita et al. 2019)
 *     confidence_no_eos  the same over the columns that are not the end-of-sentence token
 *     distance           Σ w_j |i - j|; in cross-attention i counts the target token that is
 *     predicted, from 0 offset             the share of rows whose greatest weight (the first of
 *                        equal ones) lies at the head's most frequent offset j - i (of equally
 *                        frequent ones the nearest, then the one to the left)
 *     eos                the weight on end-of-sentence tokens
 *     self               w_i; not of cross-attention
 *     punctuation        the weight on tokens of punctuation alone
 *     within_word        the weight on the other tokens of the row's word; not of cross-attention
 *     rare               the weight on the sentence's rarest token: the one with the highest id in
 *     the vocabulary
 *
 * The distance of two heads of one module is the mean Jensen-Shannon distance of their rows: the
 * square root of the divergence in bits, from 0 to 1, over the rows in which both have weight.
 *
 * The memory depends on the number of heads and on the longest sentence, not on how many sentences
 * there are.
 */
#ifndef ATTNSCOPE_HEAD_STATS_H
#define ATTNSCOPE_HEAD_STATS_H

#include <math.h>
#include <stdint.h>

#include "base/status.h"
#include "model/net/force.h"

/* A sum that is the same in whatever order, and in whatever groups, its terms are added: an integer
 * of 128 bits that counts multiples of 2^-64. What a term has below that is cut off.
 */

struct exact_sum {
    int64_t whole; // INT64_MIN: a term was no number, or too large
    uint64_t rest; // multiples of 2^-64
};

static inline void exact_sum_merge(struct exact_sum *sum, struct exact_sum other)
{
    if (sum->whole == INT64_MIN || other.whole == INT64_MIN) {
        *sum = (struct exact_sum){INT64_MIN, 0};
        return;
    }
    sum->rest += other.rest;
    sum->whole = (int64_t)((uint64_t)sum->whole + (uint64_t)other.whole + (sum->rest < other.rest));
}

static inline void exact_sum_add(struct exact_sum *sum, double term)
{
    struct exact_sum other = {INT64_MIN, 0};
    if (fabs(term) < 0x1p62) {
        int64_t whole = (int64_t)term;
        whole -= term < (double)whole; // a call of floor would take longer than all else here
        double rest = term - (double)whole;
        // If a term is just below 0, the rest is rounded to 1.
        other.whole = whole + (rest >= 1);
        other.rest = rest < 1 ? (uint64_t)(rest * 0x1p64) : 0;
    }
    exact_sum_merge(sum, other);
}

static inline double exact_sum_value(struct exact_sum sum)
{
    return sum.whole == INT64_MIN ? NAN : (double)sum.whole + (double)sum.rest * 0x1p-64;
}

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

enum head_measure {
    MEASURE_ENTROPY,
    MEASURE_CONFIDENCE,
    MEASURE_CONFIDENCE_NO_EOS,
    MEASURE_DISTANCE,
    MEASURE_OFFSET,
    MEASURE_EOS,
    MEASURE_SELF,
    MEASURE_PUNCTUATION,
    MEASURE_WITHIN_WORD,
    MEASURE_RARE,
    MEASURE_COUNT
};
extern const char *const head_measure_names[]; // entropy, confidence, …; NULL at the end
enum { STATS_HEADS_MOST = 1024 };

/* A sentence that shows a measure of a head, and its own mean. */
struct head_example {
    int sentence; // its number, as the caller counts
    float mean;
};
enum { EXAMPLES_MOST = 10 };

struct head_examples {
    struct head_example most[EXAMPLES_MOST], least[EXAMPLES_MOST]; // (count) each, in order
    int count;
};

struct head_sums;

/* The selected heads of one module, with what their rows have come to. */
struct module_stats {
    int layers, heads;           // of the module
    int count;                   // selected heads
    int *of;                     // (count): layer * heads + head, 0-based, rising
    int64_t rows;                // that were seen, also those without weight
    struct head_sums *sums;      // (count)
    struct exact_sum *distances; // (count, count), above the diagonal: sums over rows
    int64_t *shared;             // likewise: rows in which both heads have weight
};

struct head_stats {
    struct module_stats modules[MODULE_COUNT];
    struct head_relations relations; // of the encoder's heads; none without syntax
    int sentences;
};

/* wanted: of each module (layers * heads), NULL: none. At most STATS_HEADS_MOST heads of one
 * module. On failure nothing needs to be freed. */
bool head_stats_open(const struct config *config, const bool *const wanted[MODULE_COUNT],
                     struct head_stats *stats, struct status *status);
/* Empty ones of the same heads. */
bool head_stats_like(const struct head_stats *stats, struct head_stats *like,
                     struct status *status);
void head_stats_free(struct head_stats *stats); // leaves it empty

/* The tokens along the rows or columns of a sentence. */
struct attended_tokens {
    const bool *eos, *punctuation, *rare; // (count)
    const int *words;                     // (count): the number of each token's word
    int count;
};
struct attended {
    int number;                    // of the sentence, for examples
    struct attended_tokens source; // rows of the encoder, columns of it and of cross-attention
    struct attended_tokens inputs; // of the decoder: its rows and columns, rows of cross-attention
    int starts;                    // start tokens among the inputs
    const bool *rows;              // (source.count): the encoder's rows that count; NULL: all
    const struct capture *capture; // has the weights of the wanted heads
    const struct syntax *syntax;   // of the source; NULL: none
};

/* On failure nothing of the sentence is added, but perhaps to the relations. */
bool head_stats_add(struct head_stats *stats, const struct attended *sentence,
                    struct status *status);

/* `index`: of the selected heads of the module. NaN: the head has no rows, or its module not that
 * measure. */
double head_mean(const struct head_stats *stats, enum module module, int index,
                 enum head_measure measure);
/* The most frequent offset; valid if there are rows. */
int head_offset(const struct head_stats *stats, enum module module, int index);
int64_t head_rows(const struct head_stats *stats, enum module module, int index);
/* NaN: there are no rows in which both have weight. */
double head_distance(const struct head_stats *stats, enum module module, int a, int b);
/* Borrowed from the statistics. Examples of the offset are by the share of the sentence's own most
 * frequent one. */
const struct head_examples *head_examples(const struct head_stats *stats, enum module module,
                                          int index, enum head_measure measure);

/* The relation that a head of the encoder sees furthest above its baseline, if that is by at least
 * 0.1 and the relation has at least 20 rows. */
enum { RELATION_ROWS_LEAST = 20 };
bool head_relation(const struct head_stats *stats, int index, int *relation,
                   enum relation_direction *direction);

/* Where the weight of a row lies: each column is in one of these places. */
enum head_place { PLACE_HERE, PLACE_PREVIOUS, PLACE_NEXT, PLACE_LEFT, PLACE_RIGHT, HEAD_PLACES };
/* The share of the weight that is there: at i, i-1, i+1, before i-1, behind i+1; and the share of
 * the rows whose greatest weight is at an offset. NaN: the head has no rows. */
double head_place_share(const struct head_stats *stats, enum module module, int index,
                        enum head_place place);
double head_offset_share(const struct head_stats *stats, enum module module, int index, int offset);
/* The mean share of the columns of a row that have no weight at all, exactly 0: of entmax, masks and
 * patterns. NaN: the head has no rows. */
double head_zeros(const struct head_stats *stats, enum module module, int index);

/* The fixed pattern that a head is nearest to. The nearness of two rows is twice what they share, the
 * sum of the lesser of their weights, over the sum of all weights of both: 1 where they are equal, 0
 * where no column has weight in both, and one less the total variation where both sum to 1. A row for
 * which the pattern has no weight has the nearness 0. Patterns over words come after those over
 * tokens, which they equal where no word has several; they are none of cross-attention. */
enum { NEAR_PATTERNS = 2 * 8 + 3 };
extern const struct near_pattern {
    const char *name; // as of `:pattern`: "previous word", "gaussian -1"
    struct head head;
} near_patterns[NEAR_PATTERNS];
/* Returns its place in near_patterns, of equally near ones the first, and its mean nearness. NaN:
 * the head has no rows. */
int head_nearest(const struct head_stats *stats, enum module module, int index, double *near);

/* What a head mostly does, by the first of these rules that holds for its mean weights:
 *
 *     current, previous, next     at least half of the weight is on the token at i, i-1, i+1
 *     within word                 … on the other tokens of the row's word
 *     end-of-sentence             … on end-of-sentence tokens
 *     punctuation, rare token     … likewise
 *     syntactic                   it looks along a syntactic relation (head_relation)
 *     sentence start, sentence end  … on the first or the last quarter of the positions; not of the
 *     decoder broad                       the entropy is at least 0.9 of that of uniform weights
 *     left context, right context  at least half of the weight is before i-1, behind i+1
 *     focused                     the confidence is at least a half
 *     mixed                       none of these; "unused": it has no rows with weight
 */
enum head_kind {
    HEAD_CURRENT,
    HEAD_PREVIOUS,
    HEAD_NEXT,
    HEAD_WITHIN_WORD,
    HEAD_EOS,
    HEAD_PUNCTUATION,
    HEAD_RARE,
    HEAD_SYNTACTIC,
    HEAD_START,
    HEAD_END,
    HEAD_BROAD,
    HEAD_LEFT,
    HEAD_RIGHT,
    HEAD_FOCUSED,
    HEAD_MIXED,
    HEAD_UNUSED,
    HEAD_KINDS
};
extern const struct head_kind_info {
    const char *name;
    enum head_measure measure; // by which sentences show it; every module has it
} head_kinds[HEAD_KINDS];
enum head_kind head_kind(const struct head_stats *stats, enum module module, int index);
/* The name of its kind. */
const char *head_name(const struct head_stats *stats, enum module module, int index);

#endif
