/* Shows text that is taller than the terminal through $PAGER, or through less if that is unset.
 *
 * With PAGER="" or PAGER=cat no pager is used. The same holds if the pager cannot be started.
 */
#ifndef ATTNSCOPE_PAGER_H
#define ATTNSCOPE_PAGER_H

#include <stdio.h>

/* Shows text on `stream`, a terminal. Returns when the user leaves the pager. Write errors stay
 * with the stream. */
void pager_show(FILE *stream, const char *text);

#endif
