/* Running a command line for the screen: what it found becomes a frame, or a line of news. */
#ifndef ATTNSCOPE_REPLY_H
#define ATTNSCOPE_REPLY_H

#include "tui/program.h"
#include "tui/screen/frame.h"

struct reply {
    struct frame *frame; // what to show now; NULL: what was shown stays
    bool refreshed;      // the frame is of the view that was there, in another state or sentence
    bool stale; // something changed, but what to show was stopped or failed: a blank line shows it
    char *message; // for the status line; NULL: nothing to say
    bool failed;
    bool quit;
};

/* Runs one line, or several of which the last one's reply counts, until one fails. A blank line shows the
 * session as it is. A change of the state or the sentence shows the last view again. What commands print is at most
 * `columns` wide. Where there is no memory for a frame, the message says so. */
void reply_make(struct program *program, const char *lines, int columns, struct reply *out);
void reply_free(struct reply *reply); // leaves it empty

#endif
