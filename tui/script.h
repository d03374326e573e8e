/* A session as commands that make it again, a line each: for scripts, and for files that tell how they were
 * made.
 *
 * Point `session` and `stream` where they belong and call the functions in the order of this file; write
 * errors stay with the stream. What does not fit into a line fails (STATUS_INVALID).
 */
#ifndef ATTNSCOPE_SCRIPT_H
#define ATTNSCOPE_SCRIPT_H

#include <stdio.h>

#include "tui/session.h"

struct script_writer {
    const struct session *session;
    FILE *stream;
    int commands; // written so far
};

/* Settings that are not at their defaults and that `chosen` holds for; NULL: all. */
void script_write_settings(struct script_writer *writer, bool (*chosen)(const struct setting *));

/* What heads have otherwise than in the checkpoint, and those that are off. */
bool script_write_heads(struct script_writer *writer, struct status *status);

/* The subject's source as a sentence to translate; then what of its translations is looked at. */
bool script_write_source(struct script_writer *writer, const struct subject *subject,
                         struct status *status);
bool script_write_translation(struct script_writer *writer, const struct subject *subject,
                              struct status *status);

/* Fails where `text`, which messages call `what`, has a line break. */
bool script_check_line(const char *what, const char *text, struct status *status);

#endif
