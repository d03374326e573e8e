/* Files that the program keeps for its user, in $XDG_STATE_HOME/attnscope or else
 * ~/.local/state/attnscope. */
#ifndef ATTNSCOPE_OWN_FILES_H
#define ATTNSCOPE_OWN_FILES_H

/* Returns the path of such a file. Creates missing folders, accessible only to their owner. The
 * caller frees the path. NULL: no place for it, or out of memory. */
char *own_file_path(const char *name);

#endif
