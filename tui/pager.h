/* Long text page by page: through $PAGER, else less, when it is taller than the terminal.
 *
 * PAGER="" and PAGER=cat: never. A pager that cannot start: as if there were none.
 */
#ifndef ATTNSCOPE_PAGER_H
#define ATTNSCOPE_PAGER_H

#include <stdio.h>

/* Shows text on `stream`, a terminal; returns when the user has seen enough. Write errors stay with the
 * stream. */
void pager_show(FILE *stream, const char *text);

#endif
