/* The line at the bottom of the screen: typed with readline, drawn by us.
 *
 * line_open once, before the terminal's screen (surface.h) is; line_begin, then line_feed with what
 * comes in until line_state says that it ended; line_draw in between; line_close. readline neither
 * reads nor writes the terminal. History, key bindings and completion are the prompt's (editing.h,
 * history.h, complete.h).
 */
#ifndef ATTNSCOPE_LINE_H
#define ATTNSCOPE_LINE_H

#include "tui/prompt/editing.h"
#include "tui/screen/canvas/canvas.h"

/* `completer`: what Tab asks (complete.h's function, when the session may be read). */
bool line_open(line_completer *completer, void *context, struct status *status);
void line_close(void);

/* Begins a line after `prompt` (copied), with `text` already in it and the cursor at byte `point`
 * of it (-1: its end). A line that has not ended is left. */
void line_begin(const char *prompt, const char *text, int point);

/* Begins a line that is no command, such as a text to search for, and never enters the history. */
void line_ask(const char *prompt);

/* Takes bytes that were typed or pasted; there must be no more of them yet, since an Esc at the
 * end counts as the Esc key, and so does one before a character with which readline binds
 * nothing: of these two it takes the Esc. Esc leaves the line (in vi mode the second Esc does;
 * the first one ends a search), and so does Ctrl-G when no search is running; the text stays in
 * the history of this session. An incomplete character, key or paste is kept until the rest
 * comes. A byte that is not UTF-8 becomes "?", NUL is dropped. Returns how many bytes it took:
 * fewer if the line ended before the last one. If memory is too short for a paste, the paste is
 * lost and the line left. */
int line_feed(const unsigned char *bytes, int count);

/* Takes a key that is a sequence of these bytes (`key`: key_codes.h): does what readline binds to
 * it or, where it binds nothing, to the same key without Shift, Alt and Control. False: it binds
 * neither, and nothing is inserted. */
bool line_key(const unsigned char *bytes, int count, int key);

/* True if a paste has begun whose end has not come. */
bool line_pasting(void);
/* True if nothing is typed, not even a part of a key or a text to search the history for. */
bool line_empty(void);
/* Returns the text typed so far, for the caller to free, and the cursor's byte in it; NULL: memory
 * is short. */
char *line_text(int *point);
/* Changes the prompt of the line that is typed. */
void line_set_prompt(const char *prompt);
/* Leaves the line, as Esc does. */
void line_leave(void);

enum line_end { LINE_TYPING, LINE_ENTERED, LINE_LEFT, LINE_EOF /* Ctrl-D on an empty line */ };
/* Returns how it ended; LINE_ENTERED: *text is the text typed (several lines if that many were
 * pasted), for the caller to free, once; else NULL. */
enum line_end line_state(char **text);

/* Clears the line (Ctrl-C), and a paste that is still coming in; false: it was empty. */
bool line_drop(void);

/* Rows that the line needs at that width, at most `most`. */
int line_rows(int columns, int most);
/* Draws prompt and text, scrolled so that the cursor is visible; *row and *column: the cursor on
 * the canvas. During a search of the history the prompt is readline's. */
void line_draw(struct canvas *canvas, struct area area, int *row, int *column);

/* The completions offered by the last Tab if there were several; count 0: none. Cleared by the next
 * key. */
const struct strings *line_offers(void);
/* Draws the completions in columns on the last rows of the area, as many as fit, and then "and N
 * more". Returns the rows used. */
int line_draw_offers(struct canvas *canvas, struct area area);

#endif
