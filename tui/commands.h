/* The command language: one table of commands, and running a line of it.
 *
 * Text that does not begin with ":" is a sentence. Commands may be shortened to any unique beginning.
 */
#ifndef ATTNSCOPE_COMMANDS_H
#define ATTNSCOPE_COMMANDS_H

#include "tui/result.h"

/* A command line, taken apart as its command wants it. */
struct request {
    const char *line;    // the whole of it, without blanks around it
    const char *text;    // what follows the command's name (a sentence: all of it), as typed
    struct pieces words; // the same, split as a shell does; empty for commands that take text
};

struct command {
    const char *name;      // without the colon
    const char *arguments; // in the help's notation; "" for none
    const char *summary;   // one line
    const char *details;   // more lines for `:help NAME`, or NULL
    bool takes_text;       // its arguments are text as typed, not words
    bool (*run)(struct session *session, const struct request *request, struct result *result,
                struct status *status);
};

extern const struct command command_table[];
extern const int command_count;

/* The command with that name or unique beginning of a name. NULL: unknown or ambiguous. */
const struct command *command_find(const char *name, struct status *status);

/* Whether there is nothing to run in a line: it is empty or blank. */
bool command_blank(const char *line);

/* The name that results of this line go under: its command's, "sentence", or what was typed in a
 * command's place. */
void command_name(const char *line, char *name, size_t size);

/* Runs one line. On failure `result` holds what was finished before, if anything; freed by the caller
 * in either case. */
bool command_run(struct session *session, const char *line, struct result *result,
                 struct status *status);

#endif
