/* Classifies the tokens of a sentence, for statistics of heads (head_stats.h).
 *
 *     zero-initialise; attended_fill for each sentence; attended_free
 */
#ifndef ATTNSCOPE_ATTENDED_SENTENCE_H
#define ATTNSCOPE_ATTENDED_SENTENCE_H

#include "model/net/sentence.h"
#include "model/study/heads/head_stats.h"

/* The tokens of one side: struct attended_tokens points into it. */
struct attended_side {
    bool *eos, *punctuation, *rare; // (count)
    int *words, *ids;               // (count)
    int count;
    size_t capacity[5];
    signed char *known; // (vocabulary): true if a piece is punctuation; -1: not determined yet
};

/* The words of a CoNLL-U sentence: struct syntax points into it. */
struct attended_syntax {
    int *words;             // (tokens)
    int *heads, *relations; // (count)
    size_t capacity[3];
    struct syntax syntax;
};

struct attended_sentence {
    struct attended_side sides[2]; // source, decoder inputs
    struct attended_syntax syntax;
};

/* A sentence and its translation. */
struct forced_sentence {
    int number;
    const struct sentence *source;
    const int *target; // (count) ids with end-of-sentence
    int count;
    const struct conllu_sentence *conllu; // its words; NULL: none
    const char *text;                     // the text of these words
};

/* `out` borrows from the sentence, and stays valid until it is filled again. The caller sets its
 * capture. */
bool attended_fill(const struct checkpoint *checkpoint, const struct forced_sentence *forced,
                   struct attended_sentence *sentence, struct attended *out, struct status *status);
void attended_free(struct attended_sentence *sentence); // leaves it empty

#endif
