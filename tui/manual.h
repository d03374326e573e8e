/* The manual, written from the tables of commands, settings and options: what they say is said there
 * alone.
 *
 * Writers write to a stream and never fail; write errors stay with the stream (ferror).
 */
#ifndef ATTNSCOPE_MANUAL_H
#define ATTNSCOPE_MANUAL_H

#include <stdio.h>

#include "gpu/status.h"

/* man, readme, complete-bash, complete-zsh, complete-fish; NULL at the end. */
extern const char *const manual_names[];

/* The one of manual_names that is `name`. NULL: none is. */
const char *manual_find(const char *name, struct status *status);

/* Writes the part of that name (from manual_names). */
void manual_write(const char *name, FILE *stream);

/* The parts ------------------------------------------------------------------------------------- */

void manual_man(FILE *stream);
/* The README's tables, each between the comments that mark its place. */
void manual_readme(FILE *stream);
void manual_bash(FILE *stream);
void manual_zsh(FILE *stream);
void manual_fish(FILE *stream);

struct command;

/* What a command's details say besides explaining SELECTOR, or NULL: a manual explains that once. */
const char *manual_details(const struct command *command);

#endif
