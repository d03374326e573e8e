/* Lines typed at the bottom: sentences, commands, searches and answers.
 *
 * typing_open once; typing_begin_… begins a line (line.h), typing_finish after every line_feed and
 * line_key; line_close at the end.
 */
#ifndef ATTNSCOPE_TYPING_H
#define ATTNSCOPE_TYPING_H

#include "tui/screen/state/state.h"

bool typing_open(struct screen *screen, struct status *status);

/* Give the prompt the focus, with an empty line or with a text. */
void typing_begin_prompt(struct screen *screen);
void typing_begin_with(struct screen *screen, const char *text);
/* Begins a command from the view with `text`, the cursor at byte `point` (-1: the end). */
void typing_begin_command(struct screen *screen, const char *text, int point);
void typing_begin_search(struct screen *screen, bool backward);
/* Asks a question from the worker: y or n. */
void typing_ask(struct screen *screen, const char *question);

/* If the line has ended, carries it out and moves the focus. */
void typing_finish(struct screen *screen);
/* Returns from a question to what it replaced. */
void typing_resume(struct screen *screen);
/* Returns from the question what a line means to the line. */
void typing_edit_again(struct screen *screen);
/* Names the current model in the visible prompt. */
void typing_name_model(struct screen *screen);

#endif
