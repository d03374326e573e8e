/* Files that the program keeps for its user, in $XDG_STATE_HOME/attnscope or else
 * ~/.local/state/attnscope. */
#ifndef ATTNSCOPE_OWN_FILES_H
#define ATTNSCOPE_OWN_FILES_H

/* The path of such a file. Missing folders are created, accessible to their owner only. The caller
 * frees the path. NULL: there is no place for it, or no memory. */
char *own_file_path(const char *name);

#endif
