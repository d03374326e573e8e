/* Where results go: plain text for people and pipes, or JSON for programs.
 *
 * A sink writes to one stream and never fails; write errors stay with the stream (ferror).
 */
#ifndef ATTNSCOPE_SINK_H
#define ATTNSCOPE_SINK_H

#include <stdio.h>

#include "tui/result.h"

struct sink {
    FILE *stream;
    FILE *failures;   // in plain text; NULL: standard error
    bool interactive; // someone watches: say also what a script would not want to read
    const struct sink_kind *kind;
};

struct sink_kind {
    /* A line of a file has its translation; called in the order of the lines, before the result. */
    void (*line)(struct sink *sink, const char *translation);
    /* A command is done. */
    void (*result)(struct sink *sink, const struct session *session, const char *command,
                   const struct result *result);
    /* A command failed; `result` holds what it finished before (RESULT_NONE: nothing), `where` says where
     * the command stands ("FILE:3: ", or ""). `session` is NULL when loading failed. */
    void (*failure)(struct sink *sink, const struct session *session, const char *where,
                    const char *command, const struct result *result, const char *message);
};

extern const struct sink_kind plain_sink, json_sink;

/* Whether everything so far could be written; flushes. */
bool sink_written(struct sink *sink, struct status *status);

#endif
