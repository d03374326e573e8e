/* Searches texts. A search with capitals is case-sensitive; otherwise Unicode case folding applies
 * to both sides ("straße" finds "STRASSE").
 *
 * Pure functions on UTF-8. Each invalid byte counts as U+FFFD; "" finds nothing.
 */
#ifndef ATTNSCOPE_FIND_H
#define ATTNSCOPE_FIND_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/screen/canvas/canvas.h"

/* The first match of `search` in `text`, *length bytes long; NULL: none. */
const char *find_in(const char *text, const char *search, size_t *length);

/* The first of `count` items from `from` on (0-based; `backward`: the last up to `from`) for which
 * `holds` is true, wrapping around; -1: none. */
int find_around(int count, int from, bool backward,
                bool (*holds)(const void *context, int index, const char *search),
                const void *context, const char *search);

/* Highlighting search matches on a canvas (find.h). */

/* Applies the style to every match of `search` (NULL, "": none) in a text drawn on the first row of
 * the area, scrolled left by `left` columns. */
void find_mark(struct canvas *canvas, struct area area, const char *text, int left,
               const char *search, struct style style);

#endif
