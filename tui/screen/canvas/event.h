/* Input from the terminal: keys, typed text, the mouse, a new size. */
#ifndef ATTNSCOPE_EVENT_H
#define ATTNSCOPE_EVENT_H

#include "tui/terminal/key_codes.h"

enum event_kind {
    EVENT_NONE,   // nothing is there
    EVENT_KEY,    // `key`; for a line also its `bytes`
    EVENT_TEXT,   // `bytes` for a line
    EVENT_PASTE,  // instead of keys a paste comes next: it is to be read as text
    EVENT_MOUSE,  // row, column, mouse
    EVENT_RESIZE, // the size changed, or the program goes on after Ctrl-Z: draw again
    EVENT_END     // the terminal is gone
};

enum mouse { MOUSE_CLICK, MOUSE_DOUBLE, MOUSE_UP, MOUSE_DOWN, MOUSE_LEFT, MOUSE_RIGHT };

struct event {
    enum event_kind kind;
    int key; // key_codes.h
    int row, column;
    enum mouse mouse;
    unsigned char bytes[256];
    int count; // of bytes
};

#endif
