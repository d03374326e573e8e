/* What terminals put around what is pasted, where they were asked to. */
#ifndef ATTNSCOPE_PASTE_H
#define ATTNSCOPE_PASTE_H

#define PASTE_BEGINS "\033[200~"
#define PASTE_ENDS "\033[201~"
enum { PASTE_MARK = sizeof PASTE_BEGINS - 1 }; // bytes of each

#endif
