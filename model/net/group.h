/* Pairs of source and target that are computed in one teacher-forced pass. Inside model/net alone.
 *
 * force.c puts a group together and encodes its sources, group.c decodes its targets.
 */
#ifndef ATTNSCOPE_GROUP_H
#define ATTNSCOPE_GROUP_H

#include "model/net/encoder.h"
#include "model/net/force.h"
#include "model/net/variants.h"

/* Targets of one source with common prefixes, as a tree: each prefix is decoded once. Inside
 * model/net alone.
 *
 * Decoder inputs are the start tokens and the target without its last token; the input at position
 * p is followed by target token p + 1 - starts. Rows of the decoder are those of all branches, one
 * branch after the other. Where a branch parts from its parent, the parent's row is followed by a
 * token of each: a fork.
 */

struct branch {
    int parent;    // an earlier branch, or -1: the first target of its source
    int common;    // tokens that are the parent's; 0 without one
    int own;       // the first position with a row of its own; those before are the parent's
    int rows;      // own ones: positions own … own+rows-1
    int first_row; // of all rows
};

/* The branch of jobs[job] beside those of jobs[first] … jobs[job-1], which have the same source and
 * head_settings. first_row is left to the caller. */
struct branch branch_find(const struct score_job *jobs, int first, int job, int starts);

/* The row that is followed by the first token that is not the parent's; -1: there is none. */
int branch_fork(const struct branch *branches, const struct score_job *jobs, int b, int starts);

/* The row that is followed by token t of branch b; -1: its own fork, or (*b, a branch before it)
 * that of the one that it shares the token with. */
int branch_row(const struct branch *branches, int *b, int t, int starts);

struct job_group {
    struct model *model;
    const struct score_job *jobs;
    int count;
    int *source;                  // (count) the place of each job's source among the distinct ones
    int *variant;                 // (count)
    struct branch *branches;      // (count); numbers of parents are of this group
    struct encoder_input *inputs; // (sources)
    int sources, source_rows, source_longest;
    int first;         // job of the last source
    int rows, longest; // decoder rows in all, and positions of the longest job
    int forks;         // jobs whose targets part from another's
    bool too_many;     // at once: buffers_fit
    struct variants variants;
};

/* Results: the log-probability of the token that follows each row; and, for a job whose target
 * branches off another's, that of its first own token. */
struct answers {
    float *rows;  // (rows)
    float *forks; // (jobs)
};

/* The number of decoder inputs for a target of so many tokens. */
static inline int decoder_inputs(const struct model *model, int target_count)
{
    return model->config->start.count + target_count - 1;
}

/* True if the model has positions for a source and a target of so many tokens. */
bool group_check(const struct model *model, const struct sentence *source, int count,
                 struct status *status);

/* A group of up to `most` jobs, empty at first; `count` is the caller's to set. It is to be closed
 * even where it failed. */
bool group_open(struct job_group *group, struct model *model, const struct score_job *jobs,
                int most, struct status *status);
void group_close(struct job_group *group);
/* Adds a job; jobs of one source and head_settings in a row share its encoding and what their
 * targets begin with. */
bool group_add(struct job_group *group, int job, struct status *status);
/* The passes of a group. captured: floats of a module's captured matrices; answers NULL: the
 * decoder's final states are left in buffers->normed, and nothing is computed from them. */
bool group_run(struct job_group *group, struct observer *observer, size_t captured,
               const struct answers *answers, struct status *status);

/* Decodes all targets; the sources are encoded. answers NULL: their rows' states alone. */
bool decode_group(const struct job_group *group, struct observer *observer,
                  const struct answers *answers, struct status *status);

#endif
