/* Texts of ours in ASCII, where the terminal must get nothing else (`--ascii`). */
#ifndef ATTNSCOPE_OWN_H
#define ATTNSCOPE_OWN_H

#include "tui/screen/look.h"

/* A copy in which, with look->ascii, arrows and other signs that the program writes are ASCII: "->" for an arrow,
 * "x" for a cross; what users and models wrote stays. The caller frees it; NULL: out of memory. */
char *own_text(const struct look *look, const char *text);

#endif
