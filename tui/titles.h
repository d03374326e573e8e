/* What a view is called: over a figure, and as the command that shows it again.
 *
 * Texts are the caller's to free; NULL: out of memory.
 */
#ifndef ATTNSCOPE_TITLES_H
#define ATTNSCOPE_TITLES_H

#include "tui/result.h"

/* The name of the command that shows it: "attn". */
const char *view_name(const struct result *view);

/* "encoder  layer 3/4  head 8/8  learned, global"; parts are two blanks apart. */
char *view_title(const struct session *session, const struct result *view, struct status *status);

/* The command without its colon, with all that it says when nothing is left to what was shown before:
 * "attn encoder layer 3 head 8 word". */
char *view_command(const struct result *view, struct status *status);

#endif
