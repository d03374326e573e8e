/* Writes the manual from the tables of commands, settings, keys and options, so that each text exists only once.
 *
 * The functions do not fail; write errors stay with the stream (ferror).
 */
#ifndef ATTNSCOPE_MANUAL_H
#define ATTNSCOPE_MANUAL_H

#include <stdio.h>

/* Writes the part with this name (manual_names in options.h). */
void manual_write(const char *name, FILE *stream);

/* The parts ------------------------------------------------------------------------------------- */

void manual_man(FILE *stream);
/* The tables of doc/manual.md, each between the comments that mark its place. */
void manual_markdown(FILE *stream);
void manual_bash(FILE *stream);
void manual_zsh(FILE *stream);
void manual_fish(FILE *stream);

#endif
