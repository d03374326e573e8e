/* The thread that runs command lines while the screen answers keys.
 *
 * worker_open; worker_run as often as wanted, lines run one after the other; worker_take their
 * replies when worker_file is readable; worker_close stops the line that runs and waits for it. All
 * functions are for the screen's thread.
 *
 * The worker's thread alone uses the session and the model; frames, once made, are the screen's.
 * Lines whose command leaves the model alone (enum command_needs) do not wait for a study: they run
 * aside, on the worker's thread too, where the study asks whether to go on (progress_between).
 */
#ifndef ATTNSCOPE_WORKER_H
#define ATTNSCOPE_WORKER_H

#include "tui/program/program.h"
#include "tui/screen/frame/frame.h"

/* Running a command line for the screen: its result becomes a frame, or a message. */

struct reply {
    struct frame *frame; // to be shown now; NULL: the old one stays
    bool refreshed;      // the frame is of the view that was there, in another state or sentence
    bool stale; // something changed, but what to show was stopped or failed: a blank line shows it
    char *message; // for the status line; NULL: nothing to say
    bool failed;
    struct terminal_picture picture; // to be shown instead of the screen; owned
    bool quit;
    bool busy;        // it was run aside and waits: another reply follows
    unsigned id;      // as worker_run gave it
    unsigned letters; // as they were given to worker_run
    bool returned;    // the end of worker_return
};

/* Runs one line, or several, as many as were typed or a row of a table asks for, until the user stops one; of several the reply
 * is that of the last, with the last message of those that failed, if any. A blank line shows the
 * session as it is. After a change of the state or the sentence the last view is shown again. What
 * commands print is at most `columns` wide. `visible`: the command, without its colon, of the view
 * on the screen, which becomes the current view, so that `:export FILE` writes what is seen; NULL:
 * the current view stays. Of several that were typed the message says how many ran. Short of memory
 * for a frame, the message says so. */
struct worker_lines;
void reply_make(struct program *program, const struct worker_lines *lines, struct reply *out);
void reply_free(struct reply *reply); // leaves it empty

struct worker;

struct worker *worker_open(struct program *program, struct status *status);
void worker_close(struct worker *worker);

/* Lines to be run: those of reply_make, copied. */
struct worker_lines {
    const char *lines, *visible;
    int columns;
    bool passing;     // they replace passing lines queued just before that have not begun
    bool typed;       // behind what is typed; what fails may be right after lines that wait
    bool visits;      // they go to a sentence of a table: `:back` returns from there
    unsigned letters; // which letters asked for them (worker_return); 0: none
};
/* Queues lines. Returns the number that their reply has; 0: too many lines wait, or memory is
 * short. */
unsigned worker_run(struct worker *worker, const struct worker_lines *lines);
/* Drops what these letters asked for, and undoes it in the session where it has begun: state and
 * current view are what they were. Its reply is `returned`. False: memory is short. */
bool worker_return(struct worker *worker, unsigned letters);
/* Returns how many lines are not done yet or have replies that were not taken. */
int worker_waiting(struct worker *worker);
/* Drops the lines that wait; returns how many. */
int worker_drop(struct worker *worker);
/* Drops the lines that wait and stops the one that runs. */
void worker_stop(struct worker *worker);
/* The lines that wait, oldest first, each with a line break. The caller frees it; NULL: out of
 * memory. */
char *worker_queue(struct worker *worker);

/* Readable when worker_take, worker_progress or worker_question have something new. */
int worker_file(const struct worker *worker);
bool worker_take(struct worker *worker, struct reply *reply);

/* What can be seen of the work. */
struct work {
    double seconds;                // that the line has run for; 0: none runs
    bool steady;                   // while it runs, commands of the session's views run aside
    int waiting;                   // lines
    char progress[256], next[256]; // of the line that runs; the first that waits; "": none
};
void worker_look(struct worker *worker, struct work *work);

/* The question of a command, which waits for worker_answer; NULL: none. */
const char *worker_question(struct worker *worker);
void worker_answer(struct worker *worker, bool yes);

/* Borrows the session until worker_give_back; NULL: a line is running. */
const struct session *worker_borrow(struct worker *worker);
void worker_give_back(struct worker *worker);

#endif
