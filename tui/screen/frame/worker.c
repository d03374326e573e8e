#include "tui/screen/frame/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"
#include "tui/session/session_mark.h"
#include "tui/terminal/interrupt.h"
#include "tui/terminal/progress.h"

enum { MOST_WAITING = 64, PROGRESS_BYTES = 256 };

struct job {
    char *lines;   // NULL: back to where the session was before these letters
    char *visible; // NULL: the session's current view stays
    int columns;
    bool passing;
    unsigned letters;
};

struct worker {
    struct program *program;
    pthread_t thread;
    int news[2];              // a pipe: the screen waits for it together with keys
    pthread_mutex_t session;  // held while a line runs, or the session is borrowed
    struct session_mark mark; // before the first line of letters
    unsigned marked;          // those letters; 0: none
    pthread_mutex_t mutex;    // of what follows
    pthread_cond_t change;
    struct job queue[MOST_WAITING];
    int queued;
    bool running, ending;
    bool stopping; // the one that runs was told to
    double began;
    struct reply replies[MOST_WAITING]; // (finished), oldest first
    int finished;
    char progress[PROGRESS_BYTES];
    char *question; // NULL: nothing is asked
    int answer;     // -1: none yet
};

/* Commands ask questions and report progress through callbacks without a context, and there is one
 * screen only. */
static struct worker *listening;

static void wake(struct worker *worker)
{
    while (write(worker->news[1], "", 1) < 0 && errno == EINTR)
        continue; // full: the screen will wake
}

/* The worker's thread -------------------------------------------------------------------------- */

static void take_progress(const char *line)
{
    struct worker *worker = listening;
    pthread_mutex_lock(&worker->mutex);
    snprintf(worker->progress, sizeof worker->progress, "%s", line);
    pthread_mutex_unlock(&worker->mutex);
    wake(worker);
}

static bool ask(const char *question)
{
    struct worker *worker = listening;
    pthread_mutex_lock(&worker->mutex);
    worker->question = strdup(question);
    worker->answer = worker->question && !worker->ending && !worker->stopping ? -1 : 0;
    wake(worker);
    while (worker->answer < 0)
        pthread_cond_wait(&worker->change, &worker->mutex);
    bool yes = worker->answer > 0;
    free(worker->question);
    worker->question = NULL;
    pthread_mutex_unlock(&worker->mutex);
    return yes;
}

/* The next line, or false at the end. */
static bool next_job(struct worker *worker, struct job *job)
{
    pthread_mutex_lock(&worker->mutex);
    // Outcomes have a place each: those that nobody has taken count.
    while (!worker->ending && (!worker->queued || worker->finished == MOST_WAITING))
        pthread_cond_wait(&worker->change, &worker->mutex);
    bool go_on = !worker->ending;
    if (go_on) {
        *job = worker->queue[0];
        memmove(worker->queue, worker->queue + 1, --worker->queued * sizeof *worker->queue);
        worker->running = true;
        worker->began = seconds_now();
    }
    pthread_mutex_unlock(&worker->mutex);
    return go_on;
}

static void finish_job(struct worker *worker, const struct reply *reply)
{
    pthread_mutex_lock(&worker->mutex);
    worker->replies[worker->finished++] = *reply;
    worker->running = false;
    if (worker->stopping)
        interrupt_clear();
    worker->stopping = false;
    worker->progress[0] = '\0';
    pthread_mutex_unlock(&worker->mutex);
    wake(worker);
}

static void free_job(struct job *job)
{
    free(job->lines);
    free(job->visible);
}

static void set_mark(struct worker *worker, const struct job *job)
{
    struct status unused;
    if (!job->letters || worker->marked == job->letters)
        return;
    session_mark_free(&worker->mark);
    worker->marked =
        session_mark_set(worker->program->session, job->visible, &worker->mark, &unused)
            ? job->letters
            : 0;
}

/* A mark serves once. Without one no line of these letters has begun. */
static void return_to_mark(struct worker *worker, const struct job *job, struct reply *reply)
{
    struct status status;
    *reply = (struct reply){.returned = true};
    if (worker->marked != job->letters)
        return;
    reply->failed = !session_mark_return(worker->program->session, &worker->mark, &status);
    reply->message = reply->failed ? strdup(status.message) : NULL;
    session_mark_free(&worker->mark);
    worker->marked = 0;
}

static void do_job(struct worker *worker, const struct job *job, struct reply *reply)
{
    pthread_mutex_lock(&worker->session);
    if (job->lines) {
        set_mark(worker, job);
        reply_make(worker->program, job->lines, job->visible, job->columns, reply);
    } else {
        return_to_mark(worker, job, reply);
    }
    pthread_mutex_unlock(&worker->session);
    reply->letters = job->letters;
}

static void *work(void *context)
{
    struct worker *worker = context;
    struct job job;
    while (next_job(worker, &job)) {
        struct reply reply;
        do_job(worker, &job, &reply);
        free_job(&job);
        finish_job(worker, &reply);
    }
    return NULL;
}

/* The screen's side ---------------------------------------------------------------------------- */

struct worker *worker_open(struct program *program, struct status *status)
{
    struct worker *worker = memory_new(1, sizeof *worker, status);
    if (!worker)
        return NULL;
    worker->program = program;
    pthread_mutex_init(&worker->session, NULL);
    pthread_mutex_init(&worker->mutex, NULL);
    pthread_cond_init(&worker->change, NULL);
    bool piped = pipe2(worker->news, O_CLOEXEC | O_NONBLOCK) == 0;
    listening = worker;
    int error = piped ? thread_start(&worker->thread, work, worker) : errno;
    if (!error) {
        progress_show_with(take_progress);
        program->session->confirm = ask;
        return worker;
    }
    if (piped) {
        close(worker->news[0]);
        close(worker->news[1]);
    }
    free(worker);
    status_fail(status, STATUS_IO, "cannot begin a thread: %s", strerror(error));
    return NULL;
}

void worker_close(struct worker *worker)
{
    if (!worker)
        return;
    worker_stop(worker);
    pthread_mutex_lock(&worker->mutex);
    worker->ending = true;
    pthread_cond_broadcast(&worker->change);
    pthread_mutex_unlock(&worker->mutex);
    worker_answer(worker, false);
    pthread_join(worker->thread, NULL);
    progress_show_with(NULL);
    worker->program->session->confirm = NULL;
    listening = NULL;
    for (int i = 0; i < worker->finished; i++)
        reply_free(&worker->replies[i]);
    session_mark_free(&worker->mark);
    close(worker->news[0]);
    close(worker->news[1]);
    pthread_cond_destroy(&worker->change);
    pthread_mutex_destroy(&worker->mutex);
    pthread_mutex_destroy(&worker->session);
    free(worker);
}

bool worker_run(struct worker *worker, const struct worker_lines *lines)
{
    struct job job = {strdup(lines->lines), lines->visible ? strdup(lines->visible) : NULL,
                      lines->columns, lines->passing, lines->letters};
    pthread_mutex_lock(&worker->mutex);
    if (job.lines && job.passing && worker->queued && worker->queue[worker->queued - 1].passing)
        free_job(&worker->queue[--worker->queued]);
    bool taken = job.lines && worker->queued < MOST_WAITING;
    if (taken)
        worker->queue[worker->queued++] = job;
    pthread_cond_broadcast(&worker->change);
    pthread_mutex_unlock(&worker->mutex);
    if (!taken)
        free_job(&job);
    return taken;
}

bool worker_return(struct worker *worker, unsigned letters)
{
    pthread_mutex_lock(&worker->mutex);
    int kept = 0;
    for (int i = 0; i < worker->queued; i++)
        if (worker->queue[i].letters == letters)
            free_job(&worker->queue[i]);
        else
            worker->queue[kept++] = worker->queue[i];
    bool taken = kept < MOST_WAITING;
    worker->queued = kept;
    if (taken)
        worker->queue[worker->queued++] = (struct job){.letters = letters};
    pthread_cond_broadcast(&worker->change);
    pthread_mutex_unlock(&worker->mutex);
    return taken;
}

int worker_waiting(struct worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    int waiting = worker->queued + worker->running + worker->finished;
    pthread_mutex_unlock(&worker->mutex);
    return waiting;
}

void worker_stop(struct worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    while (worker->queued > 0)
        free_job(&worker->queue[--worker->queued]);
    // Under the lock: what begins after it is not meant.
    worker->stopping = worker->running;
    if (worker->question && worker->answer < 0)
        worker->answer = 0;
    pthread_cond_broadcast(&worker->change);
    if (worker->running)
        interrupt_raise();
    pthread_mutex_unlock(&worker->mutex);
}

int worker_file(const struct worker *worker)
{
    return worker->news[0];
}

bool worker_take(struct worker *worker, struct reply *reply)
{
    char bytes[64];
    while (read(worker->news[0], bytes, sizeof bytes) > 0)
        continue;
    pthread_mutex_lock(&worker->mutex);
    bool any = worker->finished > 0;
    if (any) {
        *reply = worker->replies[0];
        memmove(worker->replies, worker->replies + 1, --worker->finished * sizeof *worker->replies);
        pthread_cond_broadcast(&worker->change);
    }
    pthread_mutex_unlock(&worker->mutex);
    return any;
}

double worker_progress(struct worker *worker, char *text, size_t size)
{
    pthread_mutex_lock(&worker->mutex);
    snprintf(text, size, "%s", worker->progress);
    double seconds = worker->running ? seconds_now() - worker->began : 0;
    pthread_mutex_unlock(&worker->mutex);
    return seconds;
}

const char *worker_question(struct worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    const char *question = worker->answer < 0 ? worker->question : NULL;
    pthread_mutex_unlock(&worker->mutex);
    return question;
}

void worker_answer(struct worker *worker, bool yes)
{
    pthread_mutex_lock(&worker->mutex);
    if (worker->question && worker->answer < 0)
        worker->answer = yes;
    pthread_cond_broadcast(&worker->change);
    pthread_mutex_unlock(&worker->mutex);
}

const struct session *worker_borrow(struct worker *worker)
{
    return pthread_mutex_trylock(&worker->session) == 0 ? worker->program->session : NULL;
}

void worker_give_back(struct worker *worker)
{
    pthread_mutex_unlock(&worker->session);
}
