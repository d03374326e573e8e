/* Word alignments of a file and its translation, from cross-attention: each word of the target is
 * linked to the word of the source that it attends to most, or that a method of attribution gives
 * most (model/attribution/method.h), or to none. Several heads are taken at once; with alignments
 * made by hand, each of them is scored.
 *
 *     align_run; align_links, align_soft as often as wanted; align_free
 */
#ifndef ATTNSCOPE_ALIGN_FILES_H
#define ATTNSCOPE_ALIGN_FILES_H

#include "model/attribution/attribute.h"
#include "model/net/force.h"
#include "model/score/gold_alignment.h"
#include "model/search/state.h"
#include "model/study/study_context.h"

/* A sentence and a given translation, token by token, and the words that their tokens are of: those
 * that word alignments count, which blanks separate. Of texts that have no blanks between words
 * each piece is a word.
 *
 *     align_sentence_open; align_sentence_force; align_sentence_links; align_sentence_close
 */

/* The words that the tokens of one side belong to. */
struct align_words {
    int *of_token; // (tokens): from 0; -1: a token of no word, such as end-of-sentence
    int count;     // of words
};

struct align_sentence {
    struct sentence source;
    int *target; // (target_count) ids, end-of-sentence included
    int target_count;
    int starts; // start tokens, which the decoder reads before the target
    struct align_words words[2];
};

/* texts and unspaced: of SIDE_SOURCE and SIDE_TARGET. On failure `out` is empty. */
bool align_sentence_open(const struct state *state, const char *const *texts, const bool *unspaced,
                         struct align_sentence *out, struct status *status);
void align_sentence_close(struct align_sentence *sentence); // leaves it empty

/* `capture` is empty on failure, which includes a stop of the watch. */
bool align_sentence_force(const struct state *state, const struct align_sentence *sentence,
                          const struct capture_request *request, const struct watch *watch,
                          struct capture *capture, struct status *status);

/* The row of cross-attention that belongs to token t of the target: with its weights the token is
 * predicted; shifted, it is what the decoder reads. End-of-sentence is never read: it keeps the row
 * that predicts it. */
int align_sentence_row(const struct align_sentence *sentence, int t, bool shifted);

enum { ALIGN_WORDS_MOST = INT16_MAX };
/* Sums within this share of the greatest count as equal, so that rounding does not decide. Maximum
 * flow gives many equal sums. */
#define ALIGN_ALIKE 1e-6
/* Writes for each word of the target the word of the source that it attends to most; -1: none.
 * Weights on the tokens of a word are added up over its columns and over the rows of the target's
 * word; tokens of no word are left out. Of equal sums the first one counts.
 *   weights: (decoder inputs, source tokens); sums: (source words), scratch; links: (target
 *   words) */
void align_sentence_links(const struct align_sentence *sentence, const float *weights, bool shifted,
                          double *sums, int16_t *links);

/* The matrix that aligns: of a head, or of the heads of a layer as one. */
struct align_head {
    int layer, head; // 0-based; head: or HEADS_MEAN, ..., as attribution_matrix takes them
    bool shifted;    // with the rows that read a token, not with those that predict it
    struct alignment_counts counts;
    int64_t words, alike; // of the target: those that the head or a silver alignment links; those
                          // that both link to the same word
};

/* The captures that a method reads for heads of cross-attention, 0-based layers. */
bool align_request(const struct state *state, enum method method, const struct align_head *heads,
                   int count, struct attribution_request *out, struct status *status);

/* An alignment that another one is measured against where none was made by hand: it is silver, not
 * gold. */
enum align_silver_kind {
    SILVER_NONE,
    SILVER_METHOD,   // by a method of attribution
    SILVER_CONSENSUS // for each word of the target the word that most of the other heads link it to
};
struct align_silver {
    enum align_silver_kind kind;
    /* For SILVER_METHOD: the state (borrowed) and the layer (0-based), all heads together. */
    struct state state;
    enum method method; // checked (method_check) for cross-attention
    int layer;
};

struct align_result {
    /* Filled in before. */
    struct strings files;       // SRC TGT, or SRC TGT GOLD; owned
    struct align_silver silver; // without GOLD
    int gold_from;              // the first number of words in GOLD: GOLD_FROM_USUAL, 0 or 1
    enum method method;         // checked (method_check) for cross-attention
    struct align_head *heads;   // (head_count), at least one; owned
    int head_count;
    int shown; // the sentence that is looked at, from 1; of one head no other is aligned then; 0: all

    struct lines lines[2]; // of SIDE_SOURCE and SIDE_TARGET
    struct gold_alignments gold;
    int sentences;       // lines done; blank ones are done without links
    int best;            // of the heads; the first of those with the least error rate, or 0
    double error_from_1; // of the heads the least, were GOLD counted from 1, if it seems so; or NaN
    bool unspaced[2];    // the text of a side has no blanks between words: pieces are words
    struct align_sentence_result {
        int16_t *links; // (head_count, words): source word of each target word; -1: none; behind
                        // them (words) of SILVER_METHOD
        int words;      // of the target
        int sources;    // words of the source
    } * each;           // (lines)
};

/* Reads and checks the files, then takes one sentence after the other. Messages begin with path and
 * line. After a stop (STATUS_CANCELLED) the sentences done are valid. After any other failure, and
 * where only one part of the study is computed (shards/shards.h), `sentences` is 0. Call align_free
 * in every case. */
bool align_run(const struct study_context *context, struct align_result *result,
               struct status *status);
/* Reads and checks the files alone: `lines`, `gold`, `unspaced`, and of each line how many words its
 * texts have. Whoever aligns in another way then fills in `links`. */
bool align_read(const struct study_context *context, struct align_result *result,
                struct status *status);
void align_free(struct align_result *result); // leaves it empty

static inline bool align_has_gold(const struct align_result *result)
{
    return result->files.count > 2;
}

/* True if heads are measured: against GOLD, or against silver. */
static inline bool align_is_scored(const struct align_result *result)
{
    return align_has_gold(result) || result->silver.kind != SILVER_NONE;
}

/* The links of one of the heads in a sentence that is done, sorted (word_link_compare), with room
 * for each[s].words. Returns how many there are. */
int align_links(const struct align_result *result, int sentence, int head, struct word_link *links);

/* Adds the counts of that sentence to those of `out`: against the gold alignment, or the silver
 * one, all of whose links are sure. */
bool align_counts(const struct align_result *result, int sentence, int head, struct align_head *out,
                  struct status *status);

/* For align_files.c, of sentences that are done or measured (align_silver.c, align_links.c). ----- */

/* Fails where the silver alignment cannot be made of these heads. */
bool align_silver_check(const struct align_result *result, struct status *status);
/* Writes the links of SILVER_METHOD for a line, whose words are counted as the texts have them:
 * links (words of the target). */
bool align_silver_measure(const struct align_silver *silver, const char *const *texts,
                          const bool *unspaced, const struct align_words *words,
                          const struct watch *watch, int16_t *links, struct status *status);
/* Writes the silver links that a head is measured against, without its own votes: links (words). */
bool align_silver_links(const struct align_result *result, int sentence, int head, int16_t *links,
                        struct status *status);
/* The error rate's counts, and those of equal words, of a sentence. */
bool align_silver_count(const struct align_result *result, int sentence, int head,
                        struct align_head *out, struct status *status);

/* Sets error_from_1. A file of many sentences in which no word is the first one counts from 1; so
 * does a shorter one if the heads align better then. */
bool align_find_from_1(struct align_result *result, struct status *status);

/* A link of a head, of GOLD, or of both. */
struct judged_link {
    int source, target;          // words, from 0
    bool linked, sure, possible; // by the head; in GOLD, where a sure link is possible, too
};
/* The links of that sentence and those of GOLD that are sure, by target, then by source; freed by
 * the caller. NULL: out of memory. */
struct judged_link *align_judge(const struct align_result *result, int sentence, int head,
                                int *count, struct status *status);
/* The words of one side of a sentence, as links count them, added to `words`. */
bool align_word_texts(const struct state *state, const struct align_result *result, int sentence,
                      int side, struct strings *words, struct status *status);

/* Weights of a sentence token by token, as other toolkits write them. */
struct align_soft {
    int rows, columns;              // target and source tokens with end-of-sentence
    const char **target, **source;  // (rows), (columns): pieces, NULL for end-of-sentence
    float *weights;                 // (rows, columns): weights, or the method's values
    double cost;                    // negative log-probability of the target
    struct align_sentence sentence; // that the texts are of
};

/* The weights of the best head in a sentence, which is forced again in `state`, the one of
 * align_run. A source without end-of-sentence gets it as a last column of zeros. A blank line has
 * no rows. */
bool align_soft(const struct state *state, const struct align_result *result, int sentence,
                const struct watch *watch, struct align_soft *out, struct status *status);
void align_soft_free(struct align_soft *soft); // leaves it empty

#endif
