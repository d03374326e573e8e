/* Running a command line for the screen: its result becomes a frame, or a message. */
#ifndef ATTNSCOPE_REPLY_H
#define ATTNSCOPE_REPLY_H

#include "tui/program/program.h"
#include "tui/screen/frame/frame.h"

struct reply {
    struct frame *frame; // to be shown now; NULL: the old one stays
    bool refreshed;      // the frame is of the view that was there, in another state or sentence
    bool stale; // something changed, but what to show was stopped or failed: a blank line shows it
    char *message; // for the status line; NULL: nothing to say
    bool failed;
    struct terminal_picture picture; // to be shown instead of the screen; owned
    bool quit;
};

/* Runs one line, or several, as many as were pasted, until the user stops one; of several the reply
 * is that of the last, with the last message of those that failed, if any. A blank line shows the
 * session as it is. After a change of the state or the sentence the last view is shown again. What
 * commands print is at most `columns` wide. `visible`: the command, without its colon, of the view
 * on the screen, which becomes the current view, so that `:export FILE` writes what is seen; NULL:
 * the current view stays. Short of memory for a frame, the message says so. */
void reply_make(struct program *program, const char *lines, const char *visible, int columns,
                struct reply *out);
void reply_free(struct reply *reply); // leaves it empty

#endif
