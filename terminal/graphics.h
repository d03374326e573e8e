/* Pictures on a terminal: kitty's graphics protocol, iTerm2's inline images, sixel graphics, or
 * half blocks.
 *
 * The terminal is asked what it can show, because TERM does not say and does not survive tmux and
 * ssh:
 * - The answer to XTVERSION (CSI > q) identifies iTerm2, and tmux, which passes sequences on to the
 *   outer terminal if allow-passthrough is on.
 * - kitty answers its query (a=q) with OK; iTerm2 answers CSI 1337 n with its name.
 * - Attribute 4 of the primary device attributes (DA1, CSI c) means sixel, and so does an answer
 *   about colour registers (XTSMGRAPHICS). The latter is asked for through tmux, which answers DA1
 *   itself.
 * The operating status (DSR, CSI 5 n) comes last: every terminal answers it, so its answer ends the
 * wait.
 *
 * Call graphics_ask, then graphics_write and graphics_remove; one thread at a time.
 *   https://sw.kovidgoyal.net/kitty/graphics-protocol/
 *   https://iterm2.com/documentation-images.html
 *   https://github.com/tmux/tmux/wiki/FAQ (passthrough)
 *   https://vt100.net/docs/vt3xx-gp/chapter14.html (sixel)
 */
#ifndef ATTNSCOPE_GRAPHICS_H
#define ATTNSCOPE_GRAPHICS_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

enum graphics {
    GRAPHICS_AUTO, // depends on the terminal's answers
    GRAPHICS_KITTY,
    GRAPHICS_ITERM,
    GRAPHICS_SIXEL,
    GRAPHICS_BLOCKS,
    GRAPHICS_OFF
};
extern const char *const graphics_names[]; // NULL at the end

struct graphics_terminal {
    enum graphics kind;          // as requested, or detected; not AUTO
    bool tmux;                   // sequences must be passed through tmux
    int columns, rows;           // of the window
    int cell_width, cell_height; // pixels
};

/* Asks the terminal on standard input and output, for at most two seconds. Keys typed meanwhile go
 * to the queue in terminal.h. Without a terminal on standard input: half blocks, without asking.
 * Input that is not raw is made raw meanwhile. */
void graphics_ask(enum graphics wanted, struct graphics_terminal *terminal);

/* Writes a PNG file of `bytes` bytes at the beginning of a line, no larger than `rows` rows and the
 * window's columns; leaves the cursor in the first column below it. kitty and iTerm2 get the
 * unmodified file. STATUS_INVALID: the picture is too large for tmux or for memory. Write errors
 * stay with the stream. */
bool graphics_write(const struct graphics_terminal *terminal, int rows, const void *png,
                    size_t bytes, FILE *stream, struct status *status);

/* Removes a picture from terminals on which overwriting text does not. */
void graphics_remove(const struct graphics_terminal *terminal, FILE *stream);

#endif
