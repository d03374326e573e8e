/* Two texts one above the other, aligned by their edit script, in lines of limited width.
 *
 * A word stands above the one that it was kept as or changed into; where a text has no word, there
 * is a gap. Words that are not kept stand between marks, so that they are told without colours:
 * [changed], [-dropped-], {+inserted+}.
 *
 *     Ich habe noch [nie]   so viele [-helle-] Sterne gesehen.
 *     Ich habe noch [immer] so viele           Sterne gesehen.
 *
 * Both texts are broken in the same places: a line is a part of the script.
 */
#ifndef ATTNSCOPE_EDIT_LINES_H
#define ATTNSCOPE_EDIT_LINES_H

#include "tui/text/edit_script.h"

/* Edits first … end-1 of the script. */
struct edit_line {
    int first, end;
};

/* The line that begins with edit `first`: as many as fit into `columns`, at least one. */
struct edit_line edit_line_from(const struct edit_script *script, const char *const texts[2],
                                int first, int columns);

/* Receives a word, or a mark around words, of `bytes` bytes at a column, 0-based, from left to
 * right. */
typedef void edit_put(void *data, int column, enum edit_kind kind, const char *text, size_t bytes);

/* Passes on what the line has of one text (side 0 or 1). */
void edit_line_put(const struct edit_script *script, const char *const texts[2],
                   struct edit_line line, int side, edit_put *put, void *data);

#endif
