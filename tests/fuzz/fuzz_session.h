/* Sessions of fuzz targets: one for each input, on a golden model, in a folder that is removed at exit. */
#ifndef ATTNSCOPE_FUZZ_SESSION_H
#define ATTNSCOPE_FUZZ_SESSION_H

#include "tui/session/session.h"

/* Changes to the folder, and gives the commands a second of computing time, after which Ctrl-C comes. Never NULL. */
struct session *fuzz_session_open(const char *model);
/* Changes back. */
void fuzz_session_close(struct session *session);

/* Whether a text may name a file of another folder. Such inputs are not run: commands would write there. */
bool fuzz_names_others(const char *text);

#endif
