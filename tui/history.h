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
/* Cuts the file to its newest lines. */
void history_close(void);

#endif
