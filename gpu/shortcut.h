/* A shortcut that a plug-in may take: another way to compute the same, possibly rounded otherwise.
 * Programs that measure what each gains look up the table of them by the name attnscope_shortcuts
 * in the plug-in; the name of its last entry is NULL. */
#ifndef ATTNSCOPE_SHORTCUT_H
#define ATTNSCOPE_SHORTCUT_H

#include <stdbool.h>

struct shortcut_entry {
    const char *name;
    bool usual; // on unless something else is asked for
};

#endif
