/* The line at the bottom of the screen: typed with readline, drawn by us.
 *
 * line_open once, before the terminal's screen (surface.h) is; line_begin, then line_feed with what comes in until
 * line_state says that it ended; line_draw in between; line_close. readline neither reads nor writes the terminal.
 * History, key bindings and completion are the prompt's (editing.h, history.h, complete.h).
 */
#ifndef ATTNSCOPE_LINE_H
#define ATTNSCOPE_LINE_H

#include "tui/editing.h"
#include "tui/screen/canvas.h"

/* `completer`: what Tab asks (complete.h's function, when the session may be read). */
bool line_open(line_completer *completer, void *context, struct status *status);
void line_close(void);

/* Begins a line after `prompt` (copied), with `text` typed already and the cursor at byte `point` (-1: its
 * end). One that had not ended is left. */
void line_begin(const char *prompt, const char *text, int point);

/* The same for what is no command, such as a text to search: it is never part of the history. */
void line_ask(const char *prompt);

/* Bytes that were typed or pasted, all that there are: an Esc at their end is one alone. It leaves the line (in
 * vi mode the second one; the first ends a search), as Ctrl-G does where there is no search to end; what was typed
 * stays in the history of this session. Half a character, half a key or a paste without its end yet is kept until the
 * rest comes; a byte that is no UTF-8 becomes "?", NUL is left out. Returns how many it took: fewer where the line
 * ended before the last. A paste that there is no memory for is lost, and the line left. */
int line_feed(const unsigned char *bytes, int count);

enum line_end { LINE_TYPING, LINE_ENTERED, LINE_LEFT, LINE_EOF /* Ctrl-D on an empty line */ };
/* How it ended; LINE_ENTERED: *text is what was typed (several lines where that many were pasted), for the
 * caller to free, once; else NULL. */
enum line_end line_state(char **text);

/* Takes away what was typed (Ctrl-C), and half a paste; false: there was nothing. */
bool line_drop(void);

/* Rows that it needs at that width: more than one where it is longer, at most `most`. */
int line_rows(int columns, int most);
/* Draws prompt and text, scrolled so that the cursor is seen; *row and *column: the cursor on the canvas. While
 * the history is searched, what readline says of that is the prompt. */
void line_draw(struct canvas *canvas, struct area area, int *row, int *column);

/* What the last Tab had to offer when it was more than one; count 0: nothing. Forgotten at the next key. */
const struct pieces *line_offers(void);
/* Draws them in columns on the last rows of the area, as many as there is room for, the rest as "and N more".
 * Returns the rows used. */
int line_draw_offers(struct canvas *canvas, struct area area);

#endif
