/* Writes the manual's tables of commands, settings, keys and options, so that each text exists only
 * once. The surrounding text is in templates: doc/attnscope.1.in and doc/completion.*.in, which the
 * Makefile fills with scripts/fill_template.awk, and doc/manual.md, which scripts/update_docs.py
 * updates.
 *
 * The functions do not fail; write errors stay with the stream (ferror).
 */
#ifndef ATTNSCOPE_MANUAL_H
#define ATTNSCOPE_MANUAL_H

#include <stdio.h>

/* Writes the tables with this name (manual_names in options.h). */
void manual_write(const char *name, FILE *stream);

/* The tables ----------------------------------------------------------------------------------- */

void manual_man(FILE *stream);
/* Each table between the comments that mark its place. */
void manual_markdown(FILE *stream);
void manual_bash(FILE *stream);
void manual_zsh(FILE *stream);
void manual_fish(FILE *stream);

/* Begins the table for the place @name@ of a template. */
static inline void manual_place(FILE *stream, const char *name)
{
    fprintf(stream, "@%s@\n", name);
}

#endif
