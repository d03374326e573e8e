/* The line at the bottom of the screen, edited by readline and drawn by us.
 *
 * line_open once, before opening the terminal's screen (surface.h); line_begin, then line_feed with
 * input until line_state says that it ended; line_draw in between; line_close. readline neither
 * reads nor writes the terminal. History, key bindings and completion are shared with the prompt
 * (editing.h, history.h, complete.h).
 */
#ifndef ATTNSCOPE_LINE_H
#define ATTNSCOPE_LINE_H

#include "tui/prompt/editing.h"
#include "tui/screen/canvas/canvas.h"

/* `completer`: called by Tab (complete() of complete.h, when the session may be read). */
bool line_open(line_completer *completer, void *context, struct status *status);
void line_close(void);

/* Begins a line after `prompt` (copied), containing `text`, with the cursor at byte `point` (-1:
 * its end). An unfinished line is left. */
void line_begin(const char *prompt, const char *text, int point);

/* Begins a line that is not a command, such as a search, and never enters the history. */
void line_ask(const char *prompt);

/* Takes typed or pasted bytes, all that are available, because an Esc at the end counts as the Esc
 * key. So does an Esc before a character for which readline has no binding with Esc; only the Esc
 * is taken then. Esc leaves the line (in vi mode the second Esc does; the first one ends a search),
 * and so does Ctrl-G unless a search is running; the text stays in this session's history. An
 * incomplete character, key or paste is kept until the rest comes. A byte that is not UTF-8 becomes
 * "?", NUL is dropped. Returns the number of bytes taken: fewer if the line ended before the last
 * one. If memory does not suffice for a paste, the paste is lost and the line left. */
int line_feed(const unsigned char *bytes, int count);

/* Takes a key given by its byte sequence (`key`: key_codes.h): runs readline's binding for it or,
 * if none, for the same key without Shift, Alt and Control. False: no binding, nothing inserted. */
bool line_key(const unsigned char *bytes, int count, int key);

/* True if a paste has begun but not ended. */
bool line_pasting(void);
/* True if nothing is typed, not even a part of a key or a text to search the history for. */
bool line_empty(void);
/* Returns the text typed so far and the cursor's byte in it. The caller frees the text; NULL: out
 * of memory. */
char *line_text(int *point);
/* Changes the current line's prompt. */
void line_set_prompt(const char *prompt);
/* Leaves the line, as Esc does. */
void line_leave(void);

enum line_end { LINE_TYPING, LINE_ENTERED, LINE_LEFT, LINE_EOF /* Ctrl-D on an empty line */ };
/* Returns how the line ended. LINE_ENTERED: *text is the typed text (several lines if pasted),
 * returned once; the caller frees it. Else *text is NULL. */
enum line_end line_state(char **text);

/* Clears the line (Ctrl-C) and an unfinished paste; false: it was empty. */
bool line_drop(void);

/* Rows needed by the line at that width, at most `most`. */
int line_rows(int columns, int most);
/* Draws prompt and text, scrolled so that the cursor is visible; *row and *column: the cursor on
 * the canvas. During a history search the prompt is readline's. */
void line_draw(struct canvas *canvas, struct area area, int *row, int *column);

/* The completions offered by the last Tab, if several; count 0: none. Cleared by the next key. */
const struct strings *line_offers(void);
/* Draws the completions in columns on the last rows of the area, as many as fit, and then "and N
 * more". Returns the rows used. */
int line_draw_offers(struct canvas *canvas, struct area area);

#endif
