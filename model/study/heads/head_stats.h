/* Statistics of heads' attention, averaged over many sentences.
 *
 *     head_stats_open; head_stats_add for each sentence; head_mean, head_distance, … ;
 *     head_stats_free
 *
 * Means are over the rows (attending positions) of all sentences. For the decoder's self-attention,
 * rows of start tokens are excluded. For cross-attention, every row that predicts a target token
 * counts, including the first one, that of the last start token. Rows without any weight never
 * count. In row i with weights w_j, j from 0:
 *
 *     entropy            -Σ w_j log2 w_j
 *     confidence         max w_j (Voita et al. 2019)
 *     confidence_no_eos  the same over the columns that are not the end-of-sentence token
 *     distance           Σ w_j |i - j|; in cross-attention i is the predicted target token, from 0
 *     offset             the share of rows whose greatest weight (the first of equals) is at the
 *                        head's most frequent offset j - i (of equals the nearest, then the left)
 *     eos                the weight on end-of-sentence tokens
 *     self               w_i; not for cross-attention
 *     punctuation        the weight on tokens that are only punctuation
 *     within_word        the weight on the other tokens of the row's word; not for cross-attention
 *     rare               the weight on the sentence's rarest token: the one with the highest id
 *
 * The distance of two heads of one module is the mean Jensen-Shannon distance of their rows (the
 * square root of the divergence in bits, from 0 to 1) over the rows in which both have weight.
 *
 * Memory depends on the number of heads and the longest sentence, not on the number of sentences.
 */
#ifndef ATTNSCOPE_HEAD_STATS_H
#define ATTNSCOPE_HEAD_STATS_H

#include <math.h>
#include <stdint.h>

#include "base/status.h"
#include "model/net/force.h"

/* A sum that does not depend on the order or grouping of its terms: a 128-bit integer that counts
 * multiples of 2^-64. Smaller parts of a term are truncated. */

struct exact_sum {
    int64_t whole; // INT64_MIN: a term was NaN or too large
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
        whole -= term < (double)whole; // calling floor would take longer than everything else here
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

/* How often heads of the encoder attend along syntactic relations (Voita et al. 2019, section 5.2).
 *
 *     zero-initialise; relations_add for each sentence; relation_accuracy, relation_baseline;
 *     relations_free
 *
 * A relation has two directions: from the dependent to its head, and from the head to its
 * dependents. A row, that is a token, counts for every relation and direction in which its word is
 * related to another word with tokens. The attention head is right if its greatest weight, ignoring
 * the end-of-sentence token, is on any token of such a word. The baseline is the accuracy of the
 * best single offset: the share of rows for which the token at that offset is right.
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
    int64_t *head_rows, *hits; // (heads): rows in which each has weight, and in which it is right
};

struct head_relations {
    struct relation_sums *sums; // (count): relation * RELATION_DIRECTIONS + direction
    int count;
    size_t capacity;
};

/* Makes room for the relation in both directions, with offsets up to `span`. */
bool relations_make_room(struct head_relations *relations, int relation, int heads, int span,
                         struct status *status);

/* places: (tokens, heads): the column of the greatest weight; -1: the row has no weight and does
 * not count for the head. On failure the sentence may have been partly added. */
bool relations_add(struct head_relations *relations, const struct syntax *syntax,
                   const int32_t *places, int heads, struct status *status);
/* Adds the rows of `others`, which are for the same heads. */
bool relations_merge(struct head_relations *relations, const struct head_relations *others,
                     int heads, struct status *status);
void relations_free(struct head_relations *relations); // leaves it empty

/* The number of rows of the relation; 0: none. */
int64_t relation_rows(const struct head_relations *relations, int relation,
                      enum relation_direction direction);
/* NaN: the head has weight in no rows. */
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
extern const char *const head_measure_names[]; // entropy, confidence, …; NULL-terminated
/* True if heads of the module have the measure. */
bool head_measure_exists(enum module module, enum head_measure measure);
enum { STATS_HEADS_MOST = 1024 };

/* A sentence that exemplifies a measure of a head, and its own mean. */
struct head_example {
    int sentence; // the caller's number for it
    float mean;
};
enum { EXAMPLES_MOST = 10 };

struct head_examples {
    struct head_example most[EXAMPLES_MOST], least[EXAMPLES_MOST]; // (count) each, in order
    int count;
};

struct head_sums;

/* The selected heads of one module, with the sums over their rows. */
struct module_stats {
    int layers, heads;           // of the module
    int count;                   // selected heads
    int *of;                     // (count): layer * heads + head, 0-based, ascending
    int64_t rows;                // rows seen, including those without weight
    struct head_sums *sums;      // (count)
    struct exact_sum *distances; // (count, count), above the diagonal: sums over rows
    int64_t *shared;             // the same: rows in which both heads have weight
};

struct head_stats {
    struct module_stats modules[MODULE_COUNT];
    struct head_relations relations; // of the encoder's heads; empty without syntax
    int sentences;
};

/* wanted: (layers * heads) for each module; NULL: none. At most STATS_HEADS_MOST heads per module.
 * On failure nothing needs to be freed. */
bool head_stats_open(const struct config *config, const bool *const wanted[MODULE_COUNT],
                     struct head_stats *stats, struct status *status);
/* Creates empty statistics for the same heads. */
bool head_stats_like(const struct head_stats *stats, struct head_stats *like,
                     struct status *status);
void head_stats_free(struct head_stats *stats); // leaves it empty

/* The tokens of the rows or columns of a sentence. */
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
    const bool *rows;              // (source.count): which encoder rows count; NULL: all
    const struct capture *capture; // has the weights of the wanted heads
    const struct syntax *syntax;   // of the source; NULL: none
};

/* On failure nothing of the sentence is added, except possibly to the relations. */
bool head_stats_add(struct head_stats *stats, const struct attended *sentence,
                    struct status *status);

/* index: among the selected heads of the module. NaN: the head has no rows, or its module does not
 * have that measure. */
double head_mean(const struct head_stats *stats, enum module module, int index,
                 enum head_measure measure);
/* The most frequent offset; valid if there are rows. */
int head_offset(const struct head_stats *stats, enum module module, int index);
int64_t head_rows(const struct head_stats *stats, enum module module, int index);
/* NaN: no row has weight in both. */
double head_distance(const struct head_stats *stats, enum module module, int a, int b);
/* Borrowed from the statistics. Examples of MEASURE_OFFSET are ranked by the share of the
 * sentence's own most frequent offset. */
const struct head_examples *head_examples(const struct head_stats *stats, enum module module,
                                          int index, enum head_measure measure);

/* The relation for which an encoder head is furthest above the baseline, if by at least 0.1 and if
 * the relation has at least 20 rows. */
enum { RELATION_ROWS_LEAST = 20 };
bool head_relation(const struct head_stats *stats, int index, int *relation,
                   enum relation_direction *direction);

/* Where the weight of a row is: each column is in one of these places. */
enum head_place { PLACE_HERE, PLACE_PREVIOUS, PLACE_NEXT, PLACE_LEFT, PLACE_RIGHT, HEAD_PLACES };
/* The share of the weight at i, i-1, i+1, before i-1 or after i+1; and the share of rows whose
 * greatest weight is at an offset. NaN: the head has no rows. */
double head_place_share(const struct head_stats *stats, enum module module, int index,
                        enum head_place place);
double head_offset_share(const struct head_stats *stats, enum module module, int index, int offset);
/* The mean share of a row's columns whose weight is exactly 0, due to entmax, masks or patterns.
 * NaN: the head has no rows. */
double head_zeros(const struct head_stats *stats, enum module module, int index);

/* The fixed pattern that a head is nearest to. The nearness of two rows is twice the sum of the
 * lesser of their weights, divided by the sum of all weights of both: 1 if they are equal, 0 if no
 * column has weight in both, and one minus the total variation if both sum to 1. A row for which
 * the pattern has no weight has nearness 0. Each pattern over words comes after the same over
 * tokens, and equals it if every word has one token; cross-attention does not have it. */
enum { NEAR_PATTERNS = 2 * PATTERN_GAUSSIAN + 3 };
extern const struct near_pattern {
    const char *name; // as in `:pattern`: "previous word", "gaussian -1"
    struct head head;
} near_patterns[NEAR_PATTERNS];
/* Returns its index in near_patterns (the first of equals) and writes its mean nearness. NaN: the
 * head has no rows. */
int head_nearest(const struct head_stats *stats, enum module module, int index, double *near);

/* What a head mostly does, by the first of these rules that its mean weights satisfy:
 *
 *     current, previous, next       at least half of the weight is on the token at i, i-1, i+1
 *     within word                   … on the other tokens of the row's word
 *     end-of-sentence               … on end-of-sentence tokens
 *     punctuation, rare token       … on such tokens
 *     syntactic                     it attends along a syntactic relation (head_relation)
 *     sentence start, sentence end  at least half of the weight is on the first or last quarter of
 *                                   the positions; not for the decoder
 *     broad                         the entropy is at least 0.9 of that of uniform weights
 *     left context, right context   at least half of the weight is before i-1, after i+1
 *     focused                       the confidence is at least a half
 *     mixed                         none of these
 *     unused                        it has no rows with weight
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
    enum head_measure measure; // ranks the sentences that show it; every module has it
} head_kinds[HEAD_KINDS];
enum head_kind head_kind(const struct head_stats *stats, enum module module, int index);
/* The name of the head's kind. */
const char *head_name(const struct head_stats *stats, enum module module, int index);

#endif
