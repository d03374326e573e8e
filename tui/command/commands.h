/* The command language: one table of commands, and running a line of it.
 *
 * Text that does not begin with ":" is a sentence. Commands may be shortened to any unique prefix.
 */
#ifndef ATTNSCOPE_COMMANDS_H
#define ATTNSCOPE_COMMANDS_H

#include "report/report.h"
#include "tui/argument/argument.h"

/* A command line, parsed for its command. */
struct request {
    const struct command *command;
    const char *line;     // the whole line, without surrounding blanks
    const char *text;     // the text after the command's name (for a sentence: all of it), as typed
    struct strings words; // the same, split as in a shell; empty for commands that take text
    const struct argument_values *given; // the same, parsed as the command's arguments
    bool silent; // run only for its report (command_view): shows nothing meanwhile
};

/* The title under which `:help` lists a command. */
enum command_group {
    GROUP_NONE, // no command's
    GROUP_SENTENCES,
    GROUP_VIEWS,
    GROUP_HEADS,
    GROUP_STUDY,
    GROUP_SESSION,
    GROUP_COUNT
};

/* What a command needs. Between its steps, a running command lets others use what it does not
 * need. */
enum command_needs {
    NEEDS_MODEL, // exclusive use of the session
    /* It reads the session and changes at most its view. If it needs more than the current sentence
     * holds, it fails with STATUS_BUSY. */
    NEEDS_SESSION,
    NEEDS_NOTHING // it reads only what no command changes
};

/* Runs a command: fills the report. On failure the report holds what was finished before, if
 * anything. */
typedef bool command_function(struct session *session, const struct request *request,
                              struct report *report, struct status *status);

/* An item in a list of the help: a name and its meaning. */
struct help_item {
    const char *name, *text;
};

enum { EXAMPLE_LINES = 7 };

struct command {
    const char *name;    // without the colon
    const char *summary; // one line
    struct argument_list arguments;
    bool takes_text; // its arguments are text as typed, separated by bars, not words
    /* The rest of `:help NAME` and the manual: prose; the code that shows it breaks the lines. NULL
     * at the end, or NULL: none. */
    const struct help_item *meanings; // of its arguments' values
    const struct help_item *columns;  // of its tables: titles, as in "p, p adjusted"
    const char *const *notes;         // paragraphs
    /* Lines that show what the command does, NULL at the end. They run unmodified, in this order,
     * in a session with samples/en-de.bin, in the folder of samples/. At least two of them are that
     * command; at most EXAMPLE_LINES in all. */
    const char *const *examples;
    command_function *run;
    int which; // distinguishes commands that share a function
    enum command_group group;
    bool view; // results that have a command (report_command) can be exported; the last successful
               // one is the current view. The session stays unchanged while it runs
    enum command_needs needs;
    bool continues; // after a stop it continues over the same files where it was stopped
    bool decides;   // if it fails in a script, what follows does not run: its model would be wrong
};

extern const struct command *const command_table[];
extern const int command_count;

/* The command of text without a colon; not in the table. */
extern const struct command sentence_command;

/* Writes the arguments, as after the name in the help: "SRC [REF]". */
void command_usage(const struct command *command, FILE *out);
char *command_usage_text(const struct command *command); // freed by the caller; NULL: out of memory

/* Finds a command by name or unique prefix. NULL: unknown or ambiguous. */
const struct command *command_find(const char *name, struct status *status);

/* Returns the text on a column with that title in the help of the command `name`; NULL: none. */
const char *command_column(const char *name, const char *title);

/* True if a command of the table has exactly that name. */
bool command_is(const char *name);

/* The command of a line; NULL: none. */
const struct command *command_of_line(const char *line);

/* True if a line is empty or blank, so that there is nothing to run. */
bool command_blank(const char *line);

/* True if a line is a comment in a script: it begins with ":#". With "#" alone sentences could
 * disappear. */
bool command_comment(const char *line);

/* The heading for results of this line: its command's name, "sentence", or what was typed as a
 * command. */
void command_name(const char *line, char *name, size_t size);

/* Runs one line. On failure `report` holds what was finished before, if anything. The caller always
 * frees it. */
bool command_run(struct session *session, const char *line, struct report *report,
                 struct status *status);

/* Runs a view command, without its colon, only for its report: the current view stays. Fails if the
 * command is not a view. `report` as above. */
bool command_view(struct session *session, const char *view, struct report *report,
                  struct status *status);

/* Reports the current sentence's view in `:attn`, by tokens or words; it becomes the current view.
 * `report` is empty at first; the caller always frees it. */
bool attention_of_sentence(struct session *session, const struct view *view, bool words,
                           struct report *report, struct status *status);

/* A topic that `:help` and the manual page explain besides commands. Constants. */
struct topic {
    const char *name, *alias; // alias: another spelling, or NULL
    const char *summary;      // one line
    const char *const
        *parts; // paragraphs; one that begins with a blank is a line to type. NULL: the end
};
extern const struct topic topic_table[];
extern const int topic_count;

/* Finds a topic by name or alias, or returns NULL. */
const struct topic *topic_find(const char *name);

#endif
