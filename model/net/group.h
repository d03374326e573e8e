/* Pairs of source and target that are computed in one teacher-forced pass. Inside model/net alone.
 *
 * force.c puts a group together and encodes its sources, group.c decodes its targets.
 */
#ifndef ATTNSCOPE_GROUP_H
#define ATTNSCOPE_GROUP_H

#include "model/net/branches.h"
#include "model/net/encoder.h"
#include "model/net/variants.h"

struct group {
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

/* Results: the log-probability of the token that follows each row; and, for a job whose target branches off another's,
 * that of its first own token. */
struct answers {
    float *rows;  // (rows)
    float *forks; // (jobs)
};

/* The number of decoder inputs for a target of so many tokens. */
static inline int decoder_inputs(const struct model *model, int target_count)
{
    return model->config->start.count + target_count - 1;
}

/* Decodes all targets; the sources are encoded. */
bool decode_group(const struct group *group, struct observer *observer,
                  const struct answers *answers, struct status *status);

#endif
