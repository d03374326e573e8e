/* A sentence and a given translation, token by token, and the words that their tokens are of: those
 * that word alignments count, which blanks separate. Of texts that have no blanks between words
 * each piece is a word.
 *
 *     align_sentence_open; align_sentence_force; align_sentence_links; align_sentence_close
 */
#ifndef ATTNSCOPE_ALIGN_SENTENCE_H
#define ATTNSCOPE_ALIGN_SENTENCE_H

#include "model/net/force.h"
#include "model/search/state.h"

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

#endif
