/* A shortcut that a plug-in may take: a faster way to compute the same result, possibly with
 * different rounding. Programs that measure the gain of each look up the symbol attnscope_shortcuts
 * in the plug-in, a table whose last entry has the name NULL. */
#ifndef ATTNSCOPE_SHORTCUT_H
#define ATTNSCOPE_SHORTCUT_H

#include <stdbool.h>

struct shortcut_entry {
    const char *name;
    bool usual; // on by default
};

#endif
