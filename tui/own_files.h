/* Files that the program keeps for its user: in $XDG_STATE_HOME/attnscope, else ~/.local/state/attnscope. */
#ifndef ATTNSCOPE_OWN_FILES_H
#define ATTNSCOPE_OWN_FILES_H

/* The path of one; folders that are missing are made, for their owner alone. The caller frees it; NULL: there
 * is no place for it, or no memory. */
char *own_file_path(const char *name);

#endif
