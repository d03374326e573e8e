/* The edit script between two texts: which words are kept, changed, dropped and inserted.
 *
 * A script has the fewest changes, drops and insertions, each counted as 1, and among those the
 * most kept words (the Levenshtein distance over words). Ties are broken from the first word on:
 * kept before changed, changed before dropped, dropped before inserted.
 *
 * Words are separated by blanks. In scripts that are written without blanks (Han, kana, Thai, Lao,
 * Burmese, Khmer; not Hangul) every character, with its marks, is a word.
 */
#ifndef ATTNSCOPE_EDIT_SCRIPT_H
#define ATTNSCOPE_EDIT_SCRIPT_H

#include "base/status.h"

/* Bytes begin … end-1 of a text. */
struct span {
    size_t begin, end;
};

enum edit_kind { EDIT_KEPT, EDIT_CHANGED, EDIT_DROPPED, EDIT_INSERTED, EDIT_KINDS };

struct edit {
    enum edit_kind kind;
    struct span words[2]; // in the old and in the new text; empty if none
    bool spaced;          // a blank precedes one of them
};

struct edit_script {
    struct edit *edits; // (count), in the order of the texts
    int count;
    size_t capacity;
    int counts[EDIT_KINDS]; // edits of each kind
};

/* Makes the script that turns one text into the other; free it with edit_script_free, also after a
 * failure. If the texts, without their common prefix and suffix, have more than 16 million pairs of
 * words (4,000 words each), words are compared position by position to limit time and memory: the
 * script is correct, but perhaps not the shortest. */
bool edit_script_make(const char *before, const char *after, struct edit_script *script,
                      struct status *status);
bool edit_script_copy(const struct edit_script *from, struct edit_script *to,
                      struct status *status);
void edit_script_free(struct edit_script *script); // leaves it empty

/* The members of `counts` in JSON: "kept", … */
extern const char *const edit_names[EDIT_KINDS];

/* Writes "3 words changed, 2 dropped", or "" for an empty script; 80 bytes are enough. */
void edit_script_describe(const struct edit_script *script, char *text, size_t size);

/* Two texts one above the other, aligned by their edit script, in lines of limited width.
 *
 * A word stands above the one that it was kept as or changed into; a missing word leaves a gap.
 * Words that are not kept stand between marks, readable without colours: [changed], [-dropped-],
 * {+inserted+}.
 *
 *     Ich habe noch [nie]   so viele [-helle-] Sterne gesehen.
 *     Ich habe noch [immer] so viele           Sterne gesehen.
 *
 * Both texts are broken at the same places: a line is a part of the script.
 */

/* Edits first … end-1 of the script. */
struct edit_line {
    int first, end;
};

/* The line that begins with edit `first`: as many edits as fit into `columns`, at least one. */
struct edit_line edit_line_from(const struct edit_script *script, const char *const texts[2],
                                int first, int columns);

/* Receives a word, or a mark around words, of `bytes` bytes at a column, 0-based, from left to
 * right. */
typedef void edit_put(void *data, int column, enum edit_kind kind, const char *text, size_t bytes);

/* Passes on the line's part of one text (side 0 or 1). */
void edit_line_put(const struct edit_script *script, const char *const texts[2],
                   struct edit_line line, int side, edit_put *put, void *data);

#endif
