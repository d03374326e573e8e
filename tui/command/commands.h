/* The command language: one table of commands, and running a line of it.
 *
 * Text that does not begin with ":" is a sentence. Commands may be shortened to any unique beginning.
 */
#ifndef ATTNSCOPE_COMMANDS_H
#define ATTNSCOPE_COMMANDS_H

#include "tui/report/report.h"

/* A command line, taken apart as its command wants it. */
struct request {
    const char *line;    // the whole of it, without blanks around it
    const char *text;    // what follows the command's name (a sentence: all of it), as typed
    struct pieces words; // the same, split as a shell does; empty for commands that take text
};

/* What may stand in a place of a command's arguments, for completion at the prompt and in shells; kinds
 * that may stand in the same place are joined. */
enum completion_kind {
    COMPLETE_MORE = 1 << 0,       // and the same in all places after this one
    COMPLETE_FILE = 1 << 1,       // a path
    COMPLETE_SELECTOR = 1 << 2,   // part of a SELECTOR (selector.h)
    COMPLETE_WORD = 1 << 3,       // "word"
    COMPLETE_MASK = 1 << 4,       // a mask's name
    COMPLETE_PATTERN = 1 << 5,    // a pattern's name
    COMPLETE_STACK = 1 << 6,      // enc or dec
    COMPLETE_SIDE = 1 << 7,       // q or k
    COMPLETE_GROUPING = 1 << 8,   // "by" and what gates are averaged by
    COMPLETE_SETTING = 1 << 9,    // a setting's name
    COMPLETE_VALUE = 1 << 10,     // a value of the setting named before it
    COMPLETE_COMMAND = 1 << 11,   // a command's name, or a topic of :help
    COMPLETE_TOKEN = 1 << 12,     // a token of the current sentence
    COMPLETE_STATE = 1 << 13,     // a state's name, or a model's
    COMPLETE_VIEW = 1 << 14,      // a command with `view`, and its arguments
    COMPLETE_GROUP = 1 << 15,     // "by" and lengths, "group" and a number, after two files
    COMPLETE_ABLATION = 1 << 16,  // "by" and what is off at a time, "or", "show" and a number
    COMPLETE_PRUNING = 1 << 17,   // "until", "or"
    COMPLETE_CONTRAST = 1 << 18,  // "by", "group" and a number; "ablate" and what may follow it
    COMPLETE_ACROSS = 1 << 19,    // "in" and states, after all else
    COMPLETE_MODEL = 1 << 20,     // the path of a model
    COMPLETE_ALIGNMENT = 1 << 22, // "by" and "layer,head" after files; "shifted"
    COMPLETE_METHOD = 1 << 21,    // "as" and a method (selector.h)
    COMPLETE_STATS = 1 << 23,     // "distances"; "show" and a measure of heads
};
enum { COMPLETE_PLACES = 3 };

/* Under what title `:help` lists a command. */
enum command_group {
    GROUP_NONE, // no command's
    GROUP_SENTENCES,
    GROUP_VIEWS,
    GROUP_HEADS,
    GROUP_STUDY,
    GROUP_SESSION,
    GROUP_COUNT
};

/* Runs a command: fills the report. On failure the report holds what was finished before, if anything. */
typedef bool command_function(struct session *session, const struct request *request,
                              struct report *report, struct status *status);

struct command {
    const char *name;      // without the colon
    const char *arguments; // in the help's notation; "" for none
    const char *summary;   // one line
    const char *details;   // more lines for `:help NAME`, or NULL
    bool takes_text;       // its arguments are text as typed, not words
    command_function *run;
    unsigned completes[COMPLETE_PLACES]; // what its first, second, … word may be; 0: nothing known
    enum command_group group;
    bool view; // what it shows can be exported; the last that worked is the current view
};

extern const struct command command_table[];
extern const int command_count;

/* What text without a colon is; not in the table. */
extern const struct command sentence_command;

/* Lines that show what a command does, NULL at the end: in this order, they run as they stand in a session with
 * samples/en-de.bin where samples/ is. At least two of them are that command. */
enum { EXAMPLE_LINES = 7 };
const char *const *command_examples(const struct command *command);

/* The command with that name or unique beginning of a name. NULL: unknown or ambiguous. */
const struct command *command_find(const char *name, struct status *status);

/* Whether a command of the table has exactly that name. */
bool command_is(const char *name);

/* Whether there is nothing to run in a line: it is empty or blank. */
bool command_blank(const char *line);

/* Whether a line is a remark to those who read it in a script: it begins with ":#". "#" alone would make
 * sentences disappear. */
bool command_comment(const char *line);

/* The name that results of this line go under: its command's, "sentence", or what was typed in a
 * command's place. */
void command_name(const char *line, char *name, size_t size);

/* Runs one line. On failure `report` holds what was finished before, if anything; freed by the caller
 * in either case. */
bool command_run(struct session *session, const char *line, struct report *report,
                 struct status *status);

/* Runs a view command, written without its colon, for what it finds: the current view stays what it was.
 * Fails where the command is no view. `report` as above. */
bool command_view(struct session *session, const char *view, struct report *report,
                  struct status *status);

#endif
