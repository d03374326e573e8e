/* Sessions for fuzz targets, on models of tests/fuzz/models/own, and the folder in which their
 * commands run. The model stays open, because opening it would take most of an execution.
 *
 *     struct session *session = fuzz_session_open("tests/fuzz/models/own/mixture_decoder.bin");
 *     fuzz_session_enter();
 *     ... commands ...
 *     fuzz_session_leave();
 *     fuzz_session_reset(session);
 */
#ifndef ATTNSCOPE_FUZZ_SESSION_H
#define ATTNSCOPE_FUZZ_SESSION_H

#include "session/session.h"

/* Opens a session with one CPU thread. Never returns NULL. */
struct session *fuzz_session_open(const char *model);
/* Restores a session to its state after opening. */
void fuzz_session_reset(struct session *session);

/* Changes to an empty folder, and gives the commands a second of computing time, after which they
 * are interrupted as by Ctrl-C. */
void fuzz_session_enter(void);
/* Writes a file into that folder. */
void fuzz_session_write(const char *name, const void *data, size_t size);
/* Changes back, and empties the folder. */
void fuzz_session_leave(void);

/* Runs lines as the program does, until one of them quits. Their output is discarded. */
void fuzz_session_run(struct session *session, char *lines);

/* True if a text may name a file in another folder. Such inputs are not run, because commands would
 * write there. */
bool fuzz_names_others(const char *text);

#endif
