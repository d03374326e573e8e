/* Word alignments of a file and its translation, from cross-attention: each target word is linked
 * to the source word that it attends to most, or that an attribution method
 * (model/attribution/method.h) ranks highest, or to none. Several heads are aligned at once; given
 * alignments made by hand, each head is scored.
 *
 *     align_run; align_links, align_soft any number of times; align_free
 */
#ifndef ATTNSCOPE_ALIGN_FILES_H
#define ATTNSCOPE_ALIGN_FILES_H

#include "model/attribution/attribute.h"
#include "model/net/force.h"
#include "model/score/gold_alignment.h"
#include "model/search/state.h"
#include "model/study/study_context.h"

/* A sentence and a given translation as tokens, and the words they belong to, as counted by word
 * alignments: separated by blanks. In texts without blanks between words, each piece is a word.
 *
 *     align_sentence_open; align_sentence_force; align_sentence_links; align_sentence_close
 */

/* The words that the tokens of one side belong to. */
struct align_words {
    int *of_token; // (tokens): from 0; -1: not part of a word, such as end-of-sentence
    int count;     // of words
};

struct align_sentence {
    struct sentence source;
    int *target; // (target_count) ids, end-of-sentence included
    int target_count;
    int starts; // number of start tokens, which the decoder reads before the target
    struct align_words words[2];
};

/* texts and unspaced: of SIDE_SOURCE and SIDE_TARGET. On failure `out` is empty. */
bool align_sentence_open(const struct state *state, const char *const *texts, const bool *unspaced,
                         struct align_sentence *out, struct status *status);
void align_sentence_close(struct align_sentence *sentence); // leaves it empty

/* Fails if the watch stops it. `capture` is empty on failure. */
bool align_sentence_force(const struct state *state, const struct align_sentence *sentence,
                          const struct capture_request *request, const struct watch *watch,
                          struct capture *capture, struct status *status);

/* The row of cross-attention for token t of the target: the row that predicts the token or, with
 * `shifted`, the row that reads it. End-of-sentence is never read: it keeps the row that predicts
 * it. */
int align_sentence_row(const struct align_sentence *sentence, int t, bool shifted);

enum { ALIGN_WORDS_MOST = INT16_MAX };
/* Sums within this fraction of the greatest count as equal, so that rounding does not decide.
 * Maximum flow produces many equal sums. */
#define ALIGN_ALIKE 1e-6
/* Writes, for each target word, the source word that it attends to most; -1: none. Weights are
 * summed over the columns of the source word and the rows of the target word, ignoring tokens
 * outside words. The first of equal sums wins.
 *   weights: (decoder inputs, source tokens); sums: (source words), scratch; links: (target
 *   words) */
void align_sentence_links(const struct align_sentence *sentence, const float *weights, bool shifted,
                          double *sums, int16_t *links);

/* The matrix to align with: of one head, or of the merged heads of a layer. */
struct align_head {
    int layer, head; // 0-based; head: or HEADS_MEAN, ..., as in attribution_matrix
    bool shifted;    // use the rows that read a token, not those that predict it
    struct alignment_counts counts;
    int64_t words, alike; // target words linked by the head or the silver alignment; linked by both
                          // to the same word
};

/* Requests the captures that a method needs for heads of cross-attention (0-based layers). */
bool align_request(const struct state *state, enum method method, const struct align_head *heads,
                   int count, struct attribution_request *out, struct status *status);

/* A silver alignment: the reference if no gold alignment was made by hand. */
enum align_silver_kind {
    SILVER_NONE,
    SILVER_METHOD,   // by an attribution method
    SILVER_CONSENSUS // links each target word to the word that most of the other heads link it to
};
struct align_silver {
    enum align_silver_kind kind;
    /* For SILVER_METHOD: the state (borrowed) and the layer (0-based), with all heads merged. */
    struct state state;
    enum method method; // checked (method_check) for cross-attention
    int layer;
};

struct align_result {
    /* Filled in by the caller. */
    struct strings files;       // SRC TGT, or SRC TGT GOLD; owned
    struct align_silver silver; // without GOLD
    int gold_from;              // where words in GOLD are counted from: GOLD_FROM_USUAL, 0 or 1
    enum method method;         // checked (method_check) for cross-attention
    struct align_head *heads;   // (head_count), at least one; owned
    int head_count;
    int shown; // the sentence to show, from 1; with one head only this one is aligned; 0: all

    struct lines lines[2]; // of SIDE_SOURCE and SIDE_TARGET
    struct gold_alignments gold;
    int sentences;       // lines done; blank ones have no links
    int best;            // the first head with the lowest error rate, or 0
    double error_from_1; // the lowest error rate with GOLD counted from 1, if it seems to be; or
                         // NaN
    bool unspaced[2];    // the text of a side has no blanks between words: pieces are words
    struct align_sentence_result {
        int16_t *links; // (head_count, words): source word of each target word; -1: none; followed
                        // by (words) for SILVER_METHOD
        int words;      // of the target
        int sources;    // words of the source
    } * each;           // (lines)
};

/* Reads and checks the files, then aligns one sentence after another. Messages begin with path and
 * line. After a stop (STATUS_CANCELLED) the sentences done are valid. `sentences` is 0 after any
 * other failure, and if only one part of the study is computed (shards/shards.h). Call align_free
 * in every case. */
bool align_run(const struct study_context *context, struct align_result *result,
               struct status *status);
/* Only reads and checks the files: `lines`, `gold`, `unspaced`, and the number of words in the
 * texts of each line. A caller that aligns in another way then fills in `links`. */
bool align_read(const struct study_context *context, struct align_result *result,
                struct status *status);
void align_free(struct align_result *result); // leaves it empty

static inline bool align_has_gold(const struct align_result *result)
{
    return result->files.count > 2;
}

/* True if heads are scored against GOLD or silver. */
static inline bool align_is_scored(const struct align_result *result)
{
    return align_has_gold(result) || result->silver.kind != SILVER_NONE;
}

/* Writes the links of a head in a sentence that is done, sorted (word_link_compare), to `links`,
 * which has room for each[s].words. Returns their number. */
int align_links(const struct align_result *result, int sentence, int head, struct word_link *links);

/* Adds the counts of that sentence to `out`: against the gold alignment, or the silver one, all of
 * whose links are sure. */
bool align_counts(const struct align_result *result, int sentence, int head, struct align_head *out,
                  struct status *status);

/* For align_files.c, on sentences done or measured (align_silver.c, align_links.c) ------------- */

/* Fails if the silver alignment cannot be computed from these heads. */
bool align_silver_check(const struct align_result *result, struct status *status);
/* Writes the links of SILVER_METHOD for a line, with words counted as in its texts. links: (target
 * words). */
bool align_silver_measure(const struct align_silver *silver, const char *const *texts,
                          const bool *unspaced, const struct align_words *words,
                          const struct watch *watch, int16_t *links, struct status *status);
/* Writes the silver links that a head is scored against, excluding its own votes. links:
 * (words). */
bool align_silver_links(const struct align_result *result, int sentence, int head, int16_t *links,
                        struct status *status);
/* Counts a sentence for the error rate, and its equal words. */
bool align_silver_count(const struct align_result *result, int sentence, int head,
                        struct align_head *out, struct status *status);

/* Sets error_from_1. GOLD counts from 1 if it has many sentences and never uses the first number,
 * or if it is shorter and the heads then align better. */
bool align_find_from_1(struct align_result *result, struct status *status);

/* A link of a head, of GOLD, or of both. */
struct judged_link {
    int source, target;          // words, from 0
    bool linked, sure, possible; // by the head; in GOLD, where a sure link is also possible
};
/* The links of that sentence and the sure ones of GOLD, sorted by target, then source. The caller
 * frees them. NULL: out of memory. */
struct judged_link *align_judge(const struct align_result *result, int sentence, int head,
                                int *count, struct status *status);
/* Adds the words of one side of a sentence to `words`, as numbered by links. */
bool align_word_texts(const struct state *state, const struct align_result *result, int sentence,
                      int side, struct strings *words, struct status *status);

/* Token-level weights of a sentence, as other toolkits write them. */
struct align_soft {
    int rows, columns;              // target and source tokens with end-of-sentence
    const char **target, **source;  // (rows), (columns): pieces, NULL for end-of-sentence
    float *weights;                 // (rows, columns): weights, or the method's values
    double cost;                    // negative log-probability of the target
    struct align_sentence sentence; // whose pieces these are
};

/* The weights of the best head in a sentence, which is forced again in `state`, the one of
 * align_run. A source without end-of-sentence gets a last column of zeros for it. A blank line has
 * no rows. */
bool align_soft(const struct state *state, const struct align_result *result, int sentence,
                const struct watch *watch, struct align_soft *out, struct status *status);
void align_soft_free(struct align_soft *soft); // leaves it empty

#endif
