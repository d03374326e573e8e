/* The thread that runs command lines while the screen answers keys.
 *
 * worker_open; worker_run as often as wanted: lines run one after the other; worker_take what they gave, when
 * worker_file is readable; worker_close waits for the one that runs, which it stops. All but the work itself is for the
 * screen's thread.
 */
#ifndef ATTNSCOPE_WORKER_H
#define ATTNSCOPE_WORKER_H

#include "tui/screen/reply.h"

struct worker;

struct worker *worker_open(struct program *program, struct status *status);
void worker_close(struct worker *worker);

/* Queues lines (copied, reply.h); `columns`: how wide what they print may be. `passing`: they take the place of
 * passing ones that came just before and have not begun. False: too many wait, or no memory. */
bool worker_run(struct worker *worker, const char *lines, int columns, bool passing);
/* How many lines are not done, or their replies not taken. */
int worker_waiting(struct worker *worker);
/* Drops the lines that wait and stops the one that runs. */
void worker_stop(struct worker *worker);

/* Readable when worker_take, worker_progress or worker_question have something new. */
int worker_file(const struct worker *worker);
bool worker_take(struct worker *worker, struct reply *reply);

/* How far the work is, as a line, and for how long it has run; "" when there is nothing to say. Copies. */
double worker_progress(struct worker *worker, char *text, size_t size);

/* What a command asks: NULL: nothing. It waits for worker_answer. */
const char *worker_question(struct worker *worker);
void worker_answer(struct worker *worker, bool yes);

/* The session, while no line runs; NULL: one does. worker_give_back after it. */
const struct session *worker_borrow(struct worker *worker);
void worker_give_back(struct worker *worker);

#endif
