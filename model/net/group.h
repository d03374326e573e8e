/* Pairs of source and target that are computed in one teacher-forced pass. Internal to model/net.
 *
 * force.c builds a group and encodes its sources; group.c decodes its targets.
 */
#ifndef ATTNSCOPE_GROUP_H
#define ATTNSCOPE_GROUP_H

#include "model/net/encoder.h"
#include "model/net/force.h"
#include "model/net/variants.h"

/* Targets of one source as a tree of common prefixes: each prefix is decoded once.
 *
 * Decoder inputs are the start tokens and the target without its last token; the input at position
 * p is followed by target token p + 1 - starts. The decoder's rows are those of all branches, one
 * branch after another. At a fork, where a branch parts from its parent, the parent's row is
 * followed by a token of each.
 */

struct branch {
    int parent;    // an earlier branch; -1 for the first target of its source
    int common;    // tokens shared with the parent; 0 without one
    int own;       // the first position with its own row; earlier rows are the parent's
    int rows;      // its own rows: positions own … own+rows-1
    int first_row; // of all rows
};

/* The branch of jobs[job], given those of jobs[first] … jobs[job-1], which have the same source and
 * head_settings. The caller sets first_row. */
struct branch branch_find(const struct score_job *jobs, int first, int job, int starts);

/* The row before the first token that differs from the parent's; -1: none. */
int branch_fork(const struct branch *branches, const struct score_job *jobs, int b, int starts);

/* The row before token t of branch *b, which becomes the branch that owns the token: the same or an
 * earlier one. -1: the token follows the fork of that branch. */
int branch_row(const struct branch *branches, int *b, int t, int starts);

struct job_group {
    struct model *model;
    const struct score_job *jobs;
    int count;
    int *source;                  // (count) index of each job's source among the distinct ones
    int *variant;                 // (count)
    struct branch *branches;      // (count); `parent` counts within this group
    struct encoder_input *inputs; // (sources)
    int sources, source_rows, source_longest;
    int first;         // job of the last source
    int rows, longest; // decoder rows in total, and positions of the longest job
    int forks;         // jobs whose targets branch off another's
    bool too_many;     // to be computed at once (buffers_fit)
    struct variants variants;
};

/* Results: the log-probability of the token that follows each row, and of the first own token of
 * each job whose target branches off another's. */
struct answers {
    float *rows;  // (rows)
    float *forks; // (jobs)
};

/* The number of decoder inputs for a target of `target_count` tokens. */
static inline int decoder_inputs(const struct model *model, int target_count)
{
    return model->config->start.count + target_count - 1;
}

/* True if the model has positions for a source and a target of `count` tokens. */
bool group_check(const struct model *model, const struct sentence *source, int count,
                 struct status *status);

/* Opens an empty group of up to `most` jobs; the caller sets `count`, and closes the group even on
 * failure. */
bool group_open(struct job_group *group, struct model *model, const struct score_job *jobs,
                int most, struct status *status);
void group_close(struct job_group *group);
/* Adds a job. Consecutive jobs with the same source and head_settings share the encoding and the
 * common prefixes of their targets. */
bool group_add(struct job_group *group, int job, struct status *status);
/* Runs the passes of a group. captured: floats in a module's captured matrices. answers NULL:
 * leaves the decoder's final states in buffers->normed and computes nothing from them. */
bool group_run(struct job_group *group, struct observer *observer, size_t captured,
               const struct answers *answers, struct status *status);

/* Decodes all targets, whose sources must be encoded. answers NULL: computes only the states of
 * their rows. */
bool decode_group(const struct job_group *group, struct observer *observer,
                  const struct answers *answers, struct status *status);

#endif
