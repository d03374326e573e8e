/* What was typed at the prompt, kept from session to session.
 *
 * In $XDG_STATE_HOME/attnscope/history, else ~/.local/state/attnscope/history, readable by its owner
 * alone. Where that cannot be written there is history for the session alone, and nobody is bothered.
 */
#ifndef ATTNSCOPE_HISTORY_H
#define ATTNSCOPE_HISTORY_H

/* Lines that are kept. */
enum { MOST_HISTORY = 2000 };

/* Makes the history of former sessions the prompt's. */
void history_open(void);
/* Adds a line, at once to the file as well, so that nothing that ends the program loses it. Blank lines
 * and repetitions of the last one are not kept. */
void history_keep(const char *line);
/* Adds a line that was not entered, to be found again in this session; not to the file. It takes the place of
 * one left just before. */
void history_leave(const char *line);
/* Between two lines: forgets how lines of the history were edited. readline 8.2 may have freed that already. */
void history_settle(void);
/* Cuts the file to its newest lines. */
void history_close(void);

#endif
