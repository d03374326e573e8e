/* The thread that runs command lines while the screen handles keys.
 *
 * worker_open; worker_run as often as needed, lines run one after the other; worker_take for their
 * replies when worker_file is readable; worker_close stops the running line and waits for it. Call
 * all functions on the screen's thread.
 *
 * Only the worker's thread changes the session and uses the model; the screen's thread reads the
 * session between worker_borrow and worker_give_back. Finished frames belong to the screen.
 * Lines whose command does not need the model (enum command_needs) do not wait for a study: they
 * run aside, also on the worker's thread, when the study asks whether to continue
 * (progress_between).
 */
#ifndef ATTNSCOPE_WORKER_H
#define ATTNSCOPE_WORKER_H

#include "tui/program/program.h"
#include "tui/screen/frame/frame.h"

/* Running a command line for the screen: its result becomes a frame, or a message. */

struct reply {
    struct frame *frame; // to show now; NULL: keep the old one
    bool refreshed;      // the frame shows the previous view in another state or sentence
    bool stale; // something changed, but making the frame was stopped or failed: run a blank line
                // to show it
    char *message; // for the status line; NULL: none
    bool failed;
    bool cancelled; // by Ctrl-C, which is then over
    bool stops;     // that Ctrl-C has dropped the waiting lines, without worker_stop
    char *dropped;  // these lines, as from worker_queue; NULL: none, or out of memory
    struct terminal_picture picture; // to show instead of the screen; owned
    bool quit;
    bool busy;        // it was run aside and now waits: another reply follows
    unsigned id;      // as returned by worker_run
    unsigned letters; // as given to worker_run
    bool returned;    // the end of worker_return
};

/* Runs one line, or several that were typed or that a table's row asks for, until the user stops
 * one. The reply to several is that of the last, with the message of the last failure, if any. A
 * blank line shows the session as it is. After a change of the state or the sentence the last view
 * is shown again. Commands print at most `columns` wide. `visible`: the command, without its colon,
 * of the view on the screen, which becomes the current view, so that `:export FILE` writes what is
 * seen, and of the current sentence the one that is shown again; NULL: keeps the current view. For
 * several typed lines the message says how many ran. If out of memory for a frame, the message says
 * so. */
struct worker_lines;
void reply_make(struct program *program, const struct worker_lines *lines, struct reply *out);
void reply_free(struct reply *reply); // leaves it empty

struct worker;

struct worker *worker_open(struct program *program, struct status *status);
void worker_close(struct worker *worker);

/* Lines to run, as in reply_make; copied. */
struct worker_lines {
    const char *lines, *visible;
    bool of_sentence; // the visible view is of the current sentence
    int columns;
    bool passing;     // they replace passing lines queued just before, if not begun
    bool typed;       // typed by the user: run in order; one that fails may succeed after the
                      // waiting lines
    bool visits;      // they go to a sentence of a table: `:back` returns from there
    unsigned letters; // the letters that asked for them (worker_return); 0: none
};
/* Queues lines. Returns the id of their reply; 0: too many lines wait, or out of memory. */
unsigned worker_run(struct worker *worker, const struct worker_lines *lines);
/* Drops what these letters asked for and undoes what has begun: restores state and current view.
 * Its reply is `returned`. False: out of memory. */
bool worker_return(struct worker *worker, unsigned letters);
/* Returns how many lines are unfinished or have untaken replies. */
int worker_waiting(struct worker *worker);
/* Drops the waiting lines; returns their number. */
int worker_drop(struct worker *worker);
/* Drops the waiting lines and stops the running one. After an interrupt (terminal/interrupt.h) no
 * line begins until this is called. */
void worker_stop(struct worker *worker);
/* True from then until the running line has stopped. */
bool worker_stopping(struct worker *worker);
/* Returns the waiting lines, oldest first, each with a line break. The caller frees it; NULL: out
 * of memory. */
char *worker_queue(struct worker *worker);

/* A descriptor, readable when worker_take, worker_look or worker_question have something new. */
int worker_file(const struct worker *worker);
bool worker_take(struct worker *worker, struct reply *reply);

/* The visible state of the work. */
struct work {
    double seconds;                // since the line began; 0: none runs
    bool steady;                   // while it runs, commands that need only the session's views run
                                   // aside
    int waiting;                   // lines
    char progress[256], next[256]; // of the running line; the first waiting line; "": none
};
void worker_look(struct worker *worker, struct work *work);

/* The question of a command that waits for worker_answer; NULL: none. */
const char *worker_question(struct worker *worker);
void worker_answer(struct worker *worker, bool yes);

/* Borrows the session until worker_give_back; NULL: a line is running. */
const struct session *worker_borrow(struct worker *worker);
void worker_give_back(struct worker *worker);

#endif
