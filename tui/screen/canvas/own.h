/* The program's own texts in ASCII, for terminals that take nothing else (`--ascii`). */
#ifndef ATTNSCOPE_OWN_H
#define ATTNSCOPE_OWN_H

#include "tui/screen/canvas/style.h"

/* Copies a text; with screen_style->ascii the arrows and other signs that the program writes become
 * ASCII, such as "->" and "x", while what users and models wrote is kept. The caller frees it;
 * NULL: out of memory. */
char *own_text(const struct screen_style *screen_style, const char *text);

#endif
