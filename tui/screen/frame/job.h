/* One or more lines that wait for the worker (worker.h). */
#ifndef ATTNSCOPE_JOB_H
#define ATTNSCOPE_JOB_H

#include "tui/command/commands.h"
#include "tui/screen/frame/worker.h"

struct job {
    char *lines;   // NULL: return to before these letters
    char *visible; // NULL: keeps the session's current view
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

#endif
