/* The history of lines typed at the prompt, kept from session to session.
 *
 * It is in $XDG_STATE_HOME/attnscope/history or else ~/.local/state/attnscope/history, readable
 * only by its owner. If the file cannot be written, the history lasts only for the session, without
 * a message.
 */
#ifndef ATTNSCOPE_HISTORY_H
#define ATTNSCOPE_HISTORY_H

/* The number of lines that are kept. */
enum { MOST_HISTORY = 2000 };

/* Loads the history of earlier sessions. */
void history_open(void);
/* Adds a line, and writes it to the file at once, so that it is not lost however the program ends.
 * Blank lines and repetitions of the last line are not kept. */
void history_keep(const char *line);
/* Adds a line typed but not entered, only for this session. It replaces the last line if that was
 * added in the same way. */
void history_leave(const char *line);
/* Call between two lines. Discards edits of history lines, which readline 8.2 may already have
 * freed. */
void history_settle(void);
/* Cuts the file to its newest lines. */
void history_close(void);

#endif
