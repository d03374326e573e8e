/* Runs command lines one after the other and shows their results. This is the only place that
 * decides what goes to standard output and standard error, and what the exit status is.
 *
 * Fill in session and sink, call program_connect, then the other functions in any order. exit_code
 * is the exit status of the program. Once `stop` is set, no further command runs.
 */
#ifndef ATTNSCOPE_PROGRAM_H
#define ATTNSCOPE_PROGRAM_H

#include "report/output/sink.h"
#include "report/report.h"

struct running_script;

struct program {
    struct session *session; // NULL: loading failed
    struct sink sink;
    bool prompt;      // a user types commands: Ctrl-C stops the running command, not the program
    bool stop;        // no further command runs
    bool interrupted; // by Ctrl-C: the program ends as by SIGINT
    bool lost;        // a script has stopped without its model, and so do those that run it
    int exit_code;
    const struct running_script *script; // the innermost running script; NULL: none
    char *warnings; // of program_warn, for the screen, which hides standard error; owned
};

/* The depth to which scripts may be nested. */
enum { MOST_SCRIPTS = 16 };

/* The name to report instead of a command if a script, or a line of it, cannot be read. */
#define SCRIPT_ITSELF "script"

/* Makes this program the host of the session (session.h): commands show lines and run scripts
 * through it. The program must not be moved afterwards. */
void program_connect(struct program *program);

/* Writes "attnscope: MESSAGE" to standard error. */
void program_complain(const char *message);

/* The same while the session opens; the full screen then shows it, too. The caller frees
 * program->warnings. */
void program_warn(struct program *program, const char *message);

/* Shows a failure; `where` and `command` as in sink.h. */
void program_fail(struct program *program, const char *where, const char *command,
                  const char *message);

/* True if all output so far was written. Otherwise says why and sets `stop`; for a closed pipe sets
 * sink.reader_gone instead of a message. */
bool program_written(struct program *program);

/* Runs one line, unless it is blank or a comment, and shows its result or failure. False: it
 * failed, and what follows in a script must not run (command.decides). */
bool program_line(struct program *program, const char *where, const char *line);

/* Makes an exported file again and shows whether it is the same. If not, the exit status is that of
 * a failure. */
void program_replay(struct program *program, const char *path);

/* Writes a model in our own format (convert.h) and says so; needs no session. */
void program_convert(struct program *program, const char *model,
                     const struct tokenizer_files *tokenizers, const char *path, bool keep_files);

/* Runs the lines of a file, or of a stream that messages call `name`. A line that fails is shown
 * and counted, and the next one runs, unless the line decides over it (program_line) and the script
 * is a file. False: the script itself cannot be read, was interrupted or stopped; messages begin
 * with its path. `counts` is valid in either case. */
bool program_script(struct program *program, const char *path, struct script_counts *counts,
                    struct status *status);
bool program_stream(struct program *program, FILE *stream, const char *name,
                    struct script_counts *counts, struct status *status);

/* `--replay FILE`: makes an exported file again from the commands that it records. */

/* Puts the session into the state in which the file was written and writes it again, beside it as
 * NAME.replayed.EXT. The models that the file was made from must be loaded; they are identified by
 * the SHA-256 of their checkpoints. *same: true if the bytes are the same, or, of JSON, the content
 * but for the models' paths; then the new file is removed. Messages begin with the path. Files are
 * untrusted input: only commands that set up a view are run. */
bool replay_file(struct session *session, const char *path, struct report *result, bool *same,
                 struct status *status);

#endif
