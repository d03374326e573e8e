#include "tui/screen/frame/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/strings.h"
#include "base/system.h"
#include "base/thread.h"
#include "session/session_mark.h"
#include "terminal/interrupt.h"
#include "terminal/progress.h"
#include "tui/screen/frame/job.h"

struct worker {
    struct program *program;
    pthread_t thread;
    int news[2];              // a pipe: the screen waits for it and for keys together
    pthread_mutex_t session;  // held while a line runs, or the session is borrowed
    struct session_mark mark; // the session before the first line of letters
    unsigned marked;          // the number of those letters; 0: none
    pthread_mutex_t mutex;    // guards what follows
    pthread_cond_t change;
    struct job_queue queue;
    unsigned last_id;
    bool running, ending;
    bool steady;        // the running line is steady
    unsigned of;        // the running line's letters
    bool aside;         // a line runs in the middle of it
    unsigned aside_of;  // the letters of that line
    bool aside_dropped; // that line must not wait
    bool stopping;      // the running line was told to stop
    double began;
    struct reply replies[JOBS_MOST]; // (finished), oldest first
    int finished;
    char progress[sizeof((struct work *)0)->progress];
    char *question; // NULL: nothing is asked
    int answer;     // -1: not answered yet
};

/* Callbacks for questions and progress have no context, and there is only one screen. */
static struct worker *listening;
static _Thread_local struct worker *working; // whose thread this is

static void wake(struct worker *worker)
{
    while (write(worker->news[1], "", 1) < 0 && errno == EINTR)
        continue; // full: the screen will wake anyway
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
    // Each outcome needs a place: those not yet taken count. After Ctrl-C the screen first decides
    // what will not run (worker_stop).
    while (!worker->ending &&
           (!worker->queue.count || worker->finished == JOBS_MOST || interrupted()))
        pthread_cond_wait(&worker->change, &worker->mutex);
    bool go_on = !worker->ending;
    if (go_on) {
        *job = worker->queue.jobs[0];
        job_queue_remove(&worker->queue, 0);
        worker->running = true;
        worker->steady = job->steady;
        worker->of = job->letters;
        worker->began = seconds_now();
    }
    pthread_mutex_unlock(&worker->mutex);
    return go_on;
}

/* The waiting lines, as worker_queue returns them. Call with the lock held. */
static char *queued_lines(const struct worker *worker)
{
    struct written written;
    FILE *out = written_open(&written);
    for (int i = 0; out && i < worker->queue.count; i++)
        if (worker->queue.jobs[i].lines)
            fprintf(out, "%s\n", worker->queue.jobs[i].lines);
    return out ? written_close(&written) : NULL;
}

/* Drops what these letters asked for or, for letters 0, all lines. Call with the lock held. */
static int drop(struct worker *worker, unsigned letters)
{
    int dropped = job_queue_drop(&worker->queue, letters);
    worker->aside_dropped |= !letters || worker->aside_of == letters;
    return dropped;
}

/* A Ctrl-C that has ended the line may not have reached the screen, which then never sees it: what
 * worker_stop would do is done here. */
static void finish_job(struct worker *worker, struct reply *reply)
{
    pthread_mutex_lock(&worker->mutex);
    if (reply->cancelled && !worker->stopping && interrupted()) {
        reply->stops = true;
        reply->dropped = queued_lines(worker);
        drop(worker, 0);
    }
    worker->replies[worker->finished++] = *reply;
    worker->running = false;
    if (worker->stopping || reply->cancelled)
        interrupt_clear();
    worker->stopping = false;
    worker->progress[0] = '\0';
    pthread_mutex_unlock(&worker->mutex);
    wake(worker);
}

static void drop_mark(struct worker *worker)
{
    session_mark_free(&worker->mark);
    worker->marked = 0;
}

static void set_mark(struct worker *worker, const struct job *job)
{
    struct status unused;
    if (!job->letters || worker->marked == job->letters)
        return;
    session_mark_free(&worker->mark);
    session_take_view(worker->program->session, job->visible, job->of_sentence);
    worker->marked =
        session_mark_set(worker->program->session, job->visible, &worker->mark, &unused)
            ? job->letters
            : 0;
}

/* A mark can be used once. Without one, no line of these letters has begun. */
static void return_to_mark(struct worker *worker, const struct job *job, struct reply *reply)
{
    struct status status;
    *reply = (struct reply){.returned = true};
    if (worker->marked != job->letters)
        return;
    reply->failed = !session_mark_return(worker->program->session, &worker->mark, &status);
    reply->busy = reply->failed && status.code == STATUS_BUSY;
    reply->message = reply->failed ? strdup(status.message) : NULL;
    if (!reply->busy)
        drop_mark(worker);
}

static void do_job(struct worker *worker, const struct job *job, struct reply *reply)
{
    if (job->lines) {
        set_mark(worker, job);
        const struct worker_lines lines = job_lines(job);
        reply_make(worker->program, &lines, reply);
    } else {
        return_to_mark(worker, job, reply);
    }
    reply->id = job->id;
    reply->letters = job->letters;
    if (reply->frame)
        reply->frame->asked = job->id;
}

/* Lines that run aside ------------------------------------------------------------------------- */

/* True if a line may run in the middle of the running one. Typed lines keep their order, except for
 * commands with NEEDS_NOTHING. */
static bool may_run_aside(const struct worker *worker, const struct job *job, bool typed)
{
    if (job->waits || !job->lines)
        return !job->waits && worker->steady && worker->of != job->letters;
    return job->needs == NEEDS_NOTHING ||
           (job->needs == NEEDS_SESSION && worker->steady && !(typed && job->typed));
}

/* Takes a line that may run aside. *place: how many wait before it. The last reply slot is reserved
 * for the running line. */
static bool take_aside(struct worker *worker, struct job *job, int *place)
{
    pthread_mutex_lock(&worker->mutex);
    bool can = !worker->ending && !worker->stopping && worker->finished < JOBS_MOST - 1;
    int at = 0;
    bool typed = false; // a typed line is waiting
    while (at < worker->queue.count && !may_run_aside(worker, &worker->queue.jobs[at], typed))
        typed |= worker->queue.jobs[at++].typed;
    can = can && at < worker->queue.count;
    if (can) {
        *job = worker->queue.jobs[at];
        *place = at;
        job_queue_remove(&worker->queue, at);
        worker->aside = true;
        worker->aside_of = job->letters;
        worker->aside_dropped = false;
    }
    pthread_mutex_unlock(&worker->mutex);
    return can;
}

static void reserve_models(struct session *session, bool reserved)
{
    session->aside = reserved;
    for (int i = 0; i < session->model_count; i++)
        if (session->models[i]->model) // the model may be moving to the device
            model_reserve(session->models[i]->model, reserved);
}

/* True if the line must wait: it needs more, or was typed to run after those waiting before it. */
static bool is_to_wait(const struct worker *worker, const struct job *job,
                       const struct reply *reply, int place)
{
    bool early = reply->failed && place > 0 && job->typed && job->needs == NEEDS_SESSION;
    return (reply->busy || early) && !worker->aside_dropped;
}

static void finish_aside(struct worker *worker, struct job *job, int place, struct reply *reply)
{
    pthread_mutex_lock(&worker->mutex);
    bool waits = is_to_wait(worker, job, reply, place);
    if (waits) {
        job->waits = true;
        job_queue_insert(&worker->queue, place, job);
        reply_free(reply);
        *reply = (struct reply){.busy = true, .id = job->id, .letters = job->letters};
    }
    worker->replies[worker->finished++] = *reply;
    worker->aside = false;
    pthread_mutex_unlock(&worker->mutex);
    if (!waits)
        job_free(job);
    wake(worker);
}

/* A line that has to wait has had no effect: its letters have not begun. */
static void run_aside(void)
{
    struct worker *worker = working;
    struct job job;
    int place;
    while (worker && take_aside(worker, &job, &place)) {
        struct reply reply;
        const unsigned marked = worker->marked;
        reserve_models(worker->program->session, true);
        do_job(worker, &job, &reply);
        reserve_models(worker->program->session, false);
        if (reply.failed && worker->marked != marked)
            drop_mark(worker);
        finish_aside(worker, &job, place, &reply);
    }
}

static void *work(void *context)
{
    struct worker *worker = working = context;
    struct job job;
    while (next_job(worker, &job)) {
        struct reply reply;
        pthread_mutex_lock(&worker->session);
        do_job(worker, &job, &reply);
        pthread_mutex_unlock(&worker->session);
        job_free(&job);
        finish_job(worker, &reply);
    }
    return NULL;
}

/* The screen's side ---------------------------------------------------------------------------- */

static void forget(struct worker *worker)
{
    progress_show_with(NULL);
    progress_between(NULL);
    worker->program->session->confirm = NULL;
    listening = NULL;
}

struct worker *worker_open(struct program *program, struct status *status)
{
    struct worker *worker = memory_new(1, sizeof *worker, status);
    if (!worker)
        return NULL;
    worker->program = program;
    pthread_mutex_init(&worker->session, NULL);
    pthread_mutex_init(&worker->mutex, NULL);
    pthread_cond_init(&worker->change, NULL);
    bool piped = pipe_open(worker->news, false);
    listening = worker;
    progress_show_with(take_progress);
    progress_between(run_aside);
    program->session->confirm = ask;
    int error = piped ? thread_start(&worker->thread, work, worker) : errno;
    if (!error)
        return worker;
    forget(worker);
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
    forget(worker);
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

/* One place is reserved for the line that runs aside, which may have to wait. */
static bool has_room(const struct worker *worker)
{
    return worker->queue.count + worker->aside < JOBS_MOST;
}

unsigned worker_run(struct worker *worker, const struct worker_lines *lines)
{
    struct job job = job_new(lines);
    pthread_mutex_lock(&worker->mutex);
    if (job.lines && job.passing && worker->queue.count &&
        worker->queue.jobs[worker->queue.count - 1].passing)
        job_free(&worker->queue.jobs[--worker->queue.count]);
    bool taken = job.lines && has_room(worker);
    if (taken) {
        job.id = ++worker->last_id ? worker->last_id : ++worker->last_id;
        worker->queue.jobs[worker->queue.count++] = job;
    }
    pthread_cond_broadcast(&worker->change);
    pthread_mutex_unlock(&worker->mutex);
    if (!taken)
        job_free(&job);
    return taken ? job.id : 0;
}

bool worker_return(struct worker *worker, unsigned letters)
{
    pthread_mutex_lock(&worker->mutex);
    drop(worker, letters);
    bool taken = has_room(worker);
    if (taken)
        worker->queue.jobs[worker->queue.count++] = (struct job){.letters = letters};
    pthread_cond_broadcast(&worker->change);
    pthread_mutex_unlock(&worker->mutex);
    return taken;
}

int worker_waiting(struct worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    int waiting = worker->queue.count + worker->aside + worker->running + worker->finished;
    pthread_mutex_unlock(&worker->mutex);
    return waiting;
}

int worker_drop(struct worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    int dropped = drop(worker, 0);
    pthread_mutex_unlock(&worker->mutex);
    return dropped;
}

char *worker_queue(struct worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    char *lines = queued_lines(worker);
    pthread_mutex_unlock(&worker->mutex);
    return lines;
}

void worker_stop(struct worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    drop(worker, 0);
    // Under the lock, so that lines that begin later are not affected.
    worker->stopping = worker->running;
    if (worker->question && worker->answer < 0)
        worker->answer = 0;
    pthread_cond_broadcast(&worker->change);
    if (worker->running)
        interrupt_raise();
    else
        interrupt_clear(); // the line has ended by itself
    pthread_mutex_unlock(&worker->mutex);
}

bool worker_stopping(struct worker *worker)
{
    pthread_mutex_lock(&worker->mutex);
    bool stopping = worker->stopping;
    pthread_mutex_unlock(&worker->mutex);
    return stopping;
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

void worker_look(struct worker *worker, struct work *work)
{
    *work = (struct work){0};
    pthread_mutex_lock(&worker->mutex);
    snprintf(work->progress, sizeof work->progress, "%s", worker->progress);
    work->seconds = worker->running ? seconds_now() - worker->began : 0;
    work->steady = worker->steady;
    for (int i = worker->queue.count - 1; i >= 0; i--) {
        if (!worker->queue.jobs[i].lines)
            continue;
        work->waiting++;
        const char *lines = worker->queue.jobs[i].lines;
        snprintf(work->next, sizeof work->next, "%.*s", (int)strcspn(lines, "\n"), lines);
    }
    pthread_mutex_unlock(&worker->mutex);
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
