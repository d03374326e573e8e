/* Answers of a terminal among what is typed. Pure: knows no file and no time. */
#ifndef ATTNSCOPE_GRAPHICS_REPLY_H
#define ATTNSCOPE_GRAPHICS_REPLY_H

#include <stdbool.h>
#include <stddef.h>

/* The answers so far; begins as {0}. */
struct graphics_replies {
    bool status;             // the operating status came
    bool sixel;              // 4 is among the primary attributes, or there are registers of colours
    bool kitty, iterm, tmux; // said so
    int cell_width, cell_height; // pixels; 0: not said
};

/* Takes the answers out of `bytes`, and moves what was typed to the front of it.
 *   typed: how many bytes that is; returns how many bytes behind them may be the beginning of an
 *   answer: they are moved behind the typed ones, and are to be given again with what comes
 *   next. */
size_t graphics_reply_take(struct graphics_replies *replies, unsigned char *bytes, size_t count,
                           size_t *typed);

#endif
