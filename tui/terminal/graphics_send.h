/* Escape sequences to a terminal, or through tmux to the terminal around it. Inside graphics*.c. */
#ifndef ATTNSCOPE_GRAPHICS_SEND_H
#define ATTNSCOPE_GRAPHICS_SEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* tmux drops a longer sequence (its INPUT_BUF_LIMIT is 1 MiB). */
enum { GRAPHICS_TMUX_MOST = (1 << 20) - 64 };

/* Writes one whole sequence. Returns how many bytes tmux has to hold. */
size_t graphics_send(FILE *stream, bool tmux, const char *sequence, size_t bytes);

#endif
