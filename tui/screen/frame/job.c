#include "tui/screen/frame/job.h"

#include <stdlib.h>
#include <string.h>

struct job job_new(const struct worker_lines *lines)
{
    struct job job = {.lines = strdup(lines->lines),
                      .visible = lines->visible ? strdup(lines->visible) : NULL,
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
    return (struct worker_lines){job->lines, job->visible, job->columns, job->passing,
                                 job->typed, job->visits,  job->letters};
}

void job_free(struct job *job)
{
    free(job->lines);
    free(job->visible);
}
