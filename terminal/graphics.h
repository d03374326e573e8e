/* Pictures on a terminal: kitty's graphics protocol, iTerm2's inline images, sixel graphics, or
 * half blocks.
 *
 * The terminal is asked what it can show, since TERM does not say it and does not survive tmux and
 * ssh:
 * - XTVERSION (CSI > q) names tmux, which passes sequences on to the terminal around it if
 * allow-passthrough is on;
 * - kitty's query (a=q) is answered with OK, iTerm2's CSI 1337 n with its name, which its XTVERSION
 * is, too;
 * - attribute 4 of the primary device attributes (DA1, CSI c) is sixel, and so are its registers of
 *   colours (XTSMGRAPHICS), which are asked for through tmux, since it keeps the attributes for
 *   itself.
 * The operating status (DSR, CSI 5 n) is asked last: every terminal answers it, so that nothing is
 * waited for after its answer.
 *
 * graphics_ask, then graphics_write, graphics_remove; by one thread at a time.
 *   https://sw.kovidgoyal.net/kitty/graphics-protocol/
 *   https://iterm2.com/documentation-images.html https://github.com/tmux/tmux/wiki/FAQ
 *   (passthrough)  https://vt100.net/docs/vt3xx-gp/chapter14.html (sixel)
 */
#ifndef ATTNSCOPE_GRAPHICS_H
#define ATTNSCOPE_GRAPHICS_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"

enum graphics {
    GRAPHICS_AUTO, // as the terminal answers
    GRAPHICS_KITTY,
    GRAPHICS_ITERM,
    GRAPHICS_SIXEL,
    GRAPHICS_BLOCKS,
    GRAPHICS_OFF
};
extern const char *const graphics_names[]; // NULL at the end

struct graphics_terminal {
    enum graphics kind;          // as asked for, or found; not AUTO
    bool tmux;                   // sequences have to be passed through
    int columns, rows;           // of the window
    int cell_width, cell_height; // pixels
};

/* Asks the terminal on standard input and output, for two seconds at most. What is typed meanwhile
 * goes to terminal.h. Without a terminal on standard input nothing is asked: half blocks. The
 * input must be raw already, or is made so for this time. */
void graphics_ask(enum graphics wanted, struct graphics_terminal *terminal);

/* Writes a PNG file (`bytes` of it) at the beginning of a line, no larger than `rows` rows and the
 * window's columns; afterwards the cursor is in the first column below it. kitty and iTerm2 get the
 * file as it is. STATUS_INVALID: the picture is too large for tmux or for memory. Write errors stay
 * with the stream. */
bool graphics_write(const struct graphics_terminal *terminal, int rows, const void *png,
                    size_t bytes, FILE *stream, struct status *status);

/* Writes what removes a picture from the terminal, where text that is written over it does not. */
void graphics_remove(const struct graphics_terminal *terminal, FILE *stream);

#endif
