/* Sessions of fuzz targets, on models of tests/fuzz/models/own, and the folder that their commands
 * run in. A model stays open: opening it would be most of an execution.
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

/* With one thread of the CPU. Never NULL. */
struct session *fuzz_session_open(const char *model);
/* Takes from a session what commands have made: it is as it was when it was opened. */
void fuzz_session_reset(struct session *session);

/* Changes to an empty folder, and gives the commands a second of computing time, after which Ctrl-C
 * comes. */
void fuzz_session_enter(void);
/* Writes a file there. */
void fuzz_session_write(const char *name, const void *data, size_t size);
/* Changes back, and empties the folder. */
void fuzz_session_leave(void);

/* Runs lines as the program does, until one of them quits. What they print goes nowhere. */
void fuzz_session_run(struct session *session, char *lines);

/* True if a text may name a file of another folder. Such inputs are not run: commands would write
 * there. */
bool fuzz_names_others(const char *text);

#endif
