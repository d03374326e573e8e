/* Finding in texts what was typed to search for. Case counts only where that has capitals; otherwise both
 * are compared as Unicode folds case ("STRASSE" is found by "straße").
 *
 * Pure functions over UTF-8. Invalid bytes are U+FFFD each; nothing is found by "".
 */
#ifndef ATTNSCOPE_FIND_H
#define ATTNSCOPE_FIND_H

#include <stdbool.h>
#include <stddef.h>

/* The first place of `search` in `text`, and its bytes in *length; NULL: it is nowhere. */
const char *find_in(const char *text, const char *search, size_t *length);

/* Of `count` things the first from `from` on (0-based; `backward`: the last up to it) for which `holds`,
 * going on at the other end; -1: none. */
int find_around(int count, int from, bool backward,
                bool (*holds)(const void *context, int index, const char *search),
                const void *context, const char *search);

#endif
