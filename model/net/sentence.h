/* A line of text as a model reads it, and token ids as a person reads them. */
#ifndef ATTNSCOPE_SENTENCE_H
#define ATTNSCOPE_SENTENCE_H

#include "gpu/status.h"
#include "model/net/checkpoint.h"

/* Zero-initialise before the first use; sentence_encode replaces the content. */
struct sentence {
    struct pieces
        pieces; // as the tokeniser cut them, prefix and suffix as the vocabulary spells them
    int *ids;   // (count), unknown pieces as unk
    int *words; // (count), 0-based word of each token
    int count;  // with prefix and suffix; may be 0
};

bool sentence_encode(const struct checkpoint *checkpoint, const char *text,
                     struct sentence *sentence, struct status *status);
bool sentence_copy(const struct sentence *from, struct sentence *to, struct status *status);
void sentence_free(struct sentence *sentence); // leaves it empty

/* A given translation as ids of the target vocabulary, end-of-sentence appended; *ids is freed by the
 * caller. Returns the count, or -1. */
int target_encode(const struct checkpoint *checkpoint, const char *text, int **ids,
                  struct status *status);
/* Where words begin on the target side: the WORD_… bits of a piece of the vocabulary, and the 0-based
 * word of each decoder input (start tokens, then the target without its last token). inputs and words:
 * (count). */
uint8_t target_class(const struct checkpoint *checkpoint, int id);
void number_target_words(const struct checkpoint *checkpoint, const int *inputs, int count,
                         int *words);

/* The text that target ids spell; special tokens (pad, end-of-sentence) and start tokens are left out, an
 * unknown token shows as the vocabulary spells it. The caller frees it; NULL: status. */
char *target_text(const struct checkpoint *checkpoint, const int *ids, int count,
                  struct status *status);

#endif
