/* Answers of a terminal among what is typed. Pure: knows no file and no time. */
#ifndef ATTNSCOPE_GRAPHICS_SEQUENCES_H
#define ATTNSCOPE_GRAPHICS_SEQUENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Escape sequences to a terminal, or through tmux to the terminal around it. Inside graphics*.c. */

/* tmux drops a longer sequence (its INPUT_BUF_LIMIT is 1 MiB). */
enum { GRAPHICS_TMUX_MOST = (1 << 20) - 64 };

/* Writes one whole sequence. Returns how many bytes tmux has to hold. */
size_t graphics_send(FILE *stream, bool tmux, const char *sequence, size_t bytes);

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
