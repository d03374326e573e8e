/* The brackets that terminals put around a paste, if they were asked to. */
#ifndef ATTNSCOPE_PASTE_H
#define ATTNSCOPE_PASTE_H

#define PASTE_BEGINS "\033[200~"
#define PASTE_ENDS "\033[201~"
enum { PASTE_MARK = sizeof PASTE_BEGINS - 1 }; // bytes of each

#endif
