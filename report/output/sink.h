/* The destination of results: plain text for people and pipes, or JSON for programs.
 *
 * A sink writes to one stream and never fails; write errors stay with the stream (ferror).
 */
#ifndef ATTNSCOPE_SINK_H
#define ATTNSCOPE_SINK_H

#include <stdio.h>

#include "report/report.h"

struct sink {
    FILE *stream;
    FILE *failures;    // in plain text; NULL: standard error
    bool interactive;  // someone watches: also write what scripts would not read
    bool quiet;        // what has changed is not said, unless someone watches
    const char *where; // of the command that runs, as in struct failure; NULL: ""
    const struct sink_kind *kind;
    int problem; // errno of the first write that failed (sink_written); 0: none has, or unknown
    bool reader_gone; // it was EPIPE: the pipe's reader is gone
};

/* A failure and its reason. */
struct failure {
    const char *where; // the command's place: "FILE:3: ", or ""
    const char *name;  // the heading, as for results
    bool of_command;   // true: the heading is a command's name
    const char *message;
};

struct sink_kind {
    /* Called for each translated line of a file, in order, before the result. */
    void (*line)(struct sink *sink, const char *translation);
    /* A command is done; `command` is the heading of its result. In text for scripts a report that
     * only says what has changed goes where failures go: their output may be a file of
     * translations. */
    void (*result)(struct sink *sink, const char *command, const struct report *report);
    /* The report holds what the command finished before failing. */
    void (*failure)(struct sink *sink, const struct failure *failure, const struct report *report);
};

extern const struct sink_kind plain_sink, json_sink;

/* Flushes. True if everything so far was written. */
bool sink_written(struct sink *sink, struct status *status);

#endif
