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
    FILE *failures;   // in plain text; NULL: standard error
    bool interactive; // someone watches: say also what a script would not want to read
    const struct sink_kind *kind;
    int problem; // errno of the first write that failed (sink_written); 0: none has, or unknown
    bool reader_gone; // it was EPIPE: the stream is a pipe that nobody reads any more
};

/* A failure, and its reason. */
struct failure {
    const char *where; // the place of the command: "FILE:3: ", or ""
    const char *name;  // the heading, as of results
    bool of_command;   // true: the heading is a command's name
    const char *message;
};

struct sink_kind {
    /* A line of a file has its translation; called in the order of the lines, before the result. */
    void (*line)(struct sink *sink, const char *translation);
    /* A command is done; `command` is what its result goes under. */
    void (*result)(struct sink *sink, const char *command, const struct report *report);
    /* The report holds what the command finished before it failed. */
    void (*failure)(struct sink *sink, const struct failure *failure, const struct report *report);
};

extern const struct sink_kind plain_sink, json_sink;

/* True if everything so far could be written; flushes. */
bool sink_written(struct sink *sink, struct status *status);

#endif
