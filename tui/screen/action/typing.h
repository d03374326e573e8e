/* Lines typed at the bottom: sentences and commands, texts to search for, answers.
 *
 * typing_open once; typing_begin_… begins a line (line.h), typing_finish after every line_feed and
 * line_key; line_close at the end.
 */
#ifndef ATTNSCOPE_TYPING_H
#define ATTNSCOPE_TYPING_H

#include "tui/screen/state/state.h"

bool typing_open(struct screen *screen, struct status *status);

/* Gives the prompt the focus, with an empty line, or with a text. */
void typing_begin_prompt(struct screen *screen);
void typing_begin_with(struct screen *screen, const char *text);
/* Begins a command in the view, with that text, the cursor at byte `point` (-1: the end). */
void typing_begin_command(struct screen *screen, const char *text, int point);
void typing_begin_search(struct screen *screen, bool backward);
/* Asks a question of the worker's: y or n. */
void typing_ask(struct screen *screen, const char *question);

/* If the line has ended, does what the line says, and moves the focus. */
void typing_finish(struct screen *screen);
/* Goes back from a question to what it took the place of. */
void typing_resume(struct screen *screen);
/* From the question what a line is back to the line. */
void typing_edit_again(struct screen *screen);
/* Names the current model in the prompt that is shown. */
void typing_name_model(struct screen *screen);

#endif
