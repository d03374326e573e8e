/* Runs command lines one after the other and shows what they give: the only place that decides what goes
 * to standard output and standard error, and what the program ends with.
 *
 * Fill in session and sink, let session->program and session->sink point here, then call the functions
 * in any order; exit_code is what the program ends with. Once `stop` is set nothing more is run.
 */
#ifndef ATTNSCOPE_PROGRAM_H
#define ATTNSCOPE_PROGRAM_H

#include "tui/sink.h"

struct running_script;

struct program {
    struct session *session; // NULL: loading failed
    struct sink sink;
    bool prompt; // someone types: Ctrl-C stops what runs, not the program
    bool stop;   // no further command is run
    int exit_code;
    const struct running_script *script; // the innermost one that runs; NULL: none
};

/* What a script came to. */
struct script_counts {
    int commands, failed;
};

/* Scripts that run one another, at most so many. */
enum { MOST_SCRIPTS = 16 };

/* The name of what is no command's failure: a script, or a line of it, cannot be read. */
#define SCRIPT_ITSELF "script"

/* Writes "attnscope: MESSAGE" to standard error. */
void program_complain(const char *message);

/* Shows a failure; `where` and `command` as in sink.h. */
void program_fail(struct program *program, const char *where, const char *command,
                  const char *message);

/* Whether everything so far could be written; if not, the program is to stop. */
bool program_written(struct program *program);

/* Runs one line, unless it is blank or a comment, and shows its result or failure. */
void program_line(struct program *program, const char *where, const char *line);

/* Makes an exported file again (replay.h) and shows whether it is the same; where it is not, the program
 * ends with a failure's exit code. */
void program_replay(struct program *program, const char *path);

/* Runs the lines of a file, or of a stream that messages call `name`, to its end. A line that fails is
 * shown and counted, and the next one runs. False: the script itself cannot be read or was interrupted;
 * messages begin with its path. `counts` holds in either case. */
bool program_script(struct program *program, const char *path, struct script_counts *counts,
                    struct status *status);
bool program_stream(struct program *program, FILE *stream, const char *name,
                    struct script_counts *counts, struct status *status);

#endif
