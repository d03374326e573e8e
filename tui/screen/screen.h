/* The full-screen session: the loop that connects its modules.
 *
 * Modules, lowest first: canvas (cells and the terminal), picture, sheet, line (typing a line),
 * frame (what is shown, made by a worker thread), state, action (what keys do), draw.
 */
#ifndef ATTNSCOPE_SCREEN_H
#define ATTNSCOPE_SCREEN_H

#include "tui/program/program.h"

/* Runs until the user quits or the terminal is gone; `ascii`: the program's own signs are ASCII.
 * False: it could not start; the terminal is unchanged. */
bool screen_run(struct program *program, bool ascii, struct status *status);

#endif
