/* Which words of two texts differ: those of a longest common subsequence stayed, the others changed.
 *
 * A word is what stands between blanks. In scripts that are written without blanks (Han, kana, Thai, Lao,
 * Burmese, Khmer; not Hangul) every character with its marks is a word.
 */
#ifndef ATTNSCOPE_CHANGED_H
#define ATTNSCOPE_CHANGED_H

#include "gpu/status.h"

/* Bytes begin … end-1 of a text. */
struct span {
    size_t begin, end;
};

struct changed {
    struct span *spans; // (count), in order; neighbours, with the blanks between them, are one
    int count;
    size_t capacity;
};

/* What of each text the other one lacks. Each is freed with changed_free, also after a failure. */
bool changed_words(const char *before, const char *after, struct changed *in_before,
                   struct changed *in_after, struct status *status);
void changed_free(struct changed *changed); // leaves it empty

#endif
