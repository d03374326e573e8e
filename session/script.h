/* Writes a session as commands that restore it, one per line: for scripts, and for exported files,
 * which record how they were made.
 *
 * Set `session` and `stream`, then call the functions in the order of this file. Write errors stay
 * with the stream. Text with a line break fails (STATUS_INVALID).
 */
#ifndef ATTNSCOPE_SCRIPT_H
#define ATTNSCOPE_SCRIPT_H

#include <stdio.h>

#include "session/session.h"

struct script_writer {
    const struct session *session;
    FILE *stream;
    int commands; // written so far
};

/* Writes the settings that differ from their defaults and for which `chosen` is true; NULL: all of
 * these. */
void script_write_settings(struct script_writer *writer, bool (*chosen)(const struct setting *));

/* Writes the heads that differ from the checkpoint and the heads that are off. */
bool script_write_heads(struct script_writer *writer, struct status *status);

/* script_write_source writes a text as a sentence to translate;
 * script_write_translation then writes which of its translations is shown. */
bool script_write_source(struct script_writer *writer, const char *text, struct status *status);
bool script_write_translation(struct script_writer *writer, const struct sentence_pair *pair,
                              struct status *status);

/* Fails if `text` has a line break; the message calls it `what`. */
bool script_check_line(const char *what, const char *text, struct status *status);

#endif
