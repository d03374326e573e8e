/* Byte-pair encoding (Sennrich, Haddow and Birch 2016) with the merge codes of subword-nmt,
 * fastBPE, GPT-2 and Hugging Face's tokenizers.
 *
 * Codes: an optional first line "#version: 0.2" (or 0.1, the default), then one merge per line, two
 * symbols separated by a blank, highest priority first; of duplicates the first counts. In version
 * 0.2 the last character of a word carries "</w>", in 0.1 "</w>" is a separate symbol. Codes of
 * fastBPE have no first line, a third column with the count of the merge, and word ends as in
 * version 0.2. Plain codes (merges.txt of Hugging Face) do not mark the end of a word. */
#ifndef ATTNSCOPE_BPE_H
#define ATTNSCOPE_BPE_H

#include "model/text/text.h"

struct bpe;

/* The spellings of pieces. */
enum bpe_form {
    BPE_CONTINUED, // "th@@ e": codes of subword-nmt and fastBPE, which mark the end of a word
    BPE_PLAIN,     // "th e": plain codes
    BPE_ENDED      // "th e</w>": plain codes whose symbols include the end of a word
};

/* `codes` need not outlive the call. Messages begin with the line ("line 17: …"). */
struct bpe *bpe_open(const char *codes, size_t bytes, enum bpe_form form, struct status *status);
void bpe_close(struct bpe *bpe); // NULL: nothing

/* Appends the pieces of one word (valid UTF-8, not empty, no blanks). O(n log n) for n
 * characters. */
bool bpe_split(struct bpe *bpe, const char *word, size_t bytes, struct strings *pieces,
               struct status *status);

#endif
