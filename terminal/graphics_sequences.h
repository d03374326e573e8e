/* Finds a terminal's answers among typed input. Pure: no files, no clock. */
#ifndef ATTNSCOPE_GRAPHICS_SEQUENCES_H
#define ATTNSCOPE_GRAPHICS_SEQUENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Escape sequences to a terminal, or through tmux to the outer terminal. Private to graphics*.c. */

/* tmux drops a longer sequence (its INPUT_BUF_LIMIT is 1 MiB). */
enum { GRAPHICS_TMUX_MOST = (1 << 20) - 64 };

/* Writes one whole sequence. Returns how many bytes tmux must buffer. */
size_t graphics_send(FILE *stream, bool tmux, const char *sequence, size_t bytes);

/* The answers so far; begins as {0}. */
struct graphics_replies {
    bool status;                 // the operating status came
    bool sixel;                  // 4 is among the primary attributes, or there are colour registers
    bool kitty, iterm, tmux;     // identified themselves
    int cell_width, cell_height; // pixels; 0: not answered
};

/* Extracts the answers from `bytes` and moves typed bytes to its front.
 *   typed: the number of typed bytes. Returns the number of bytes after them that may begin an
 *   answer; pass those again, followed by the next input. */
size_t graphics_reply_take(struct graphics_replies *replies, unsigned char *bytes, size_t count,
                           size_t *typed);

#endif
