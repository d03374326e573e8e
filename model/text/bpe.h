/* Byte-pair encoding with the merge codes of subword-nmt (Sennrich, Haddow and Birch 2016).
 *
 * Codes: an optional first line "#version: 0.2" (or 0.1, which is also meant when there is
 * none), then one merge a line, two symbols separated by a blank, most urgent first; of equal
 * ones the first counts. In version 0.2 the last character of a word carries "</w>", in 0.1
 * "</w>" is a symbol of its own. */
#ifndef ATTNSCOPE_BPE_H
#define ATTNSCOPE_BPE_H

#include "model/text/text.h"

struct bpe;

/* `codes` need not live after the call. Messages begin with the line ("line 17: …"). */
struct bpe *bpe_open(const char *codes, size_t bytes, struct status *status);
void bpe_close(struct bpe *bpe); // NULL: nothing

/* Appends the pieces of one word (valid UTF-8, not empty, no blanks), "@@" after all but the last.
 * Takes O(n log n) for n characters. */
bool bpe_split(struct bpe *bpe, const char *word, size_t bytes, struct pieces *pieces,
               struct status *status);

#endif
