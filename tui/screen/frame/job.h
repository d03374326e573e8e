/* One or more lines that wait for the worker (worker.h). */
#ifndef ATTNSCOPE_JOB_H
#define ATTNSCOPE_JOB_H

#include "tui/command/commands.h"
#include "tui/screen/frame/worker.h"

struct job {
    char *lines;   // NULL: return to before these letters
    char *visible; // NULL: keeps the session's current view
    bool of_sentence;
    int columns;
    bool passing, typed, visits;
    unsigned letters;
    unsigned id;
    enum command_needs needs; // of its command; NEEDS_MODEL for several lines
    bool steady;              // its command does not change the session
    bool waits;               // it was run aside and needs more
};

/* Copies the lines; several only if pasted. lines NULL: out of memory. */
struct job job_new(const struct worker_lines *lines);
struct worker_lines job_lines(const struct job *job); // as given; borrowed
void job_free(struct job *job);

enum { JOBS_MOST = 64 };

/* Oldest first. */
struct job_queue {
    struct job jobs[JOBS_MOST];
    int count;
};
void job_queue_remove(struct job_queue *queue, int place);
/* At that place, or at the end if fewer wait. */
void job_queue_insert(struct job_queue *queue, int place, const struct job *job);
/* Frees the jobs of these letters or, for letters 0, all that are lines. Returns their number. */
int job_queue_drop(struct job_queue *queue, unsigned letters);

#endif
