/* A line, or lines, that wait for the worker (worker.h). */
#ifndef ATTNSCOPE_JOB_H
#define ATTNSCOPE_JOB_H

#include "tui/command/commands.h"
#include "tui/screen/frame/worker.h"

struct job {
    char *lines;   // NULL: back to where the session was before these letters
    char *visible; // NULL: the session's current view stays
    int columns;
    bool passing, typed, visits;
    unsigned letters;
    unsigned id;
    enum command_needs needs; // of its command; NEEDS_MODEL of several lines
    bool steady;              // its command leaves the session as it is
    bool waits;               // it was run aside, and needs more
};

/* Copies the lines, of which there is one unless they were pasted. lines NULL: memory is short. */
struct job job_new(const struct worker_lines *lines);
struct worker_lines job_lines(const struct job *job); // as they were given; borrowed
void job_free(struct job *job);

#endif
