#include "tui/screen/frame/job.h"

#include <stdlib.h>
#include <string.h>

struct job job_new(const struct worker_lines *lines)
{
    struct job job = {.lines = strdup(lines->lines),
                      .visible = lines->visible ? strdup(lines->visible) : NULL,
                      .of_sentence = lines->of_sentence,
                      .columns = lines->columns,
                      .passing = lines->passing,
                      .typed = lines->typed,
                      .visits = lines->visits,
                      .letters = lines->letters};
    const bool several = strchr(lines->lines, '\n');
    const struct command *command = several ? NULL : command_of_line(lines->lines);
    job.needs = command ? command->needs : several ? NEEDS_MODEL : NEEDS_NOTHING; // the line fails
    job.steady = command && command->view;
    return job;
}

struct worker_lines job_lines(const struct job *job)
{
    return (struct worker_lines){job->lines,   job->visible, job->of_sentence, job->columns,
                                 job->passing, job->typed,   job->visits,      job->letters};
}

void job_free(struct job *job)
{
    free(job->lines);
    free(job->visible);
}

void job_queue_remove(struct job_queue *queue, int place)
{
    memmove(queue->jobs + place, queue->jobs + place + 1,
            (size_t)(--queue->count - place) * sizeof *queue->jobs);
}

void job_queue_insert(struct job_queue *queue, int place, const struct job *job)
{
    place = place < queue->count ? place : queue->count;
    memmove(queue->jobs + place + 1, queue->jobs + place,
            (size_t)(queue->count++ - place) * sizeof *queue->jobs);
    queue->jobs[place] = *job;
}

int job_queue_drop(struct job_queue *queue, unsigned letters)
{
    int kept = 0, count = queue->count;
    for (int i = 0; i < count; i++) {
        struct job *job = &queue->jobs[i];
        if (letters ? job->letters == letters : job->lines != NULL)
            job_free(job);
        else
            queue->jobs[kept++] = *job;
    }
    queue->count = kept;
    return count - kept;
}
