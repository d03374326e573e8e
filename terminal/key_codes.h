/* Key codes. A character has its Unicode number (Ctrl-A is 1, Enter '\r', Esc 27, Backspace 127);
 * all other keys have numbers above Unicode. */
#ifndef ATTNSCOPE_KEY_CODES_H
#define ATTNSCOPE_KEY_CODES_H

#define CTRL(letter) ((letter)&0x1F)

enum {
    KEY_BASE = 0x110000,
    KEY_ARROW_UP,
    KEY_ARROW_DOWN,
    KEY_ARROW_LEFT,
    KEY_ARROW_RIGHT,
    KEY_PAGE_UP,
    KEY_PAGE_DOWN,
    KEY_FIRST, // Home
    KEY_LAST,  // End
    KEY_TAB_BACK,
    KEY_OTHER // a key that the terminal knows but the program does not use
};

/* The brackets that terminals put around a paste on request. */

#define PASTE_BEGINS "\033[200~"
#define PASTE_ENDS "\033[201~"
enum { PASTE_MARK = sizeof PASTE_BEGINS - 1 }; // bytes of each

#endif
